"""Find the tab of the explorer that shows a flow, and the state of that tab."""

from collections.abc import Callable
from typing import Any

import numpy as np

from lazyrich.flow import GradientFlow
from lazyrich.theorems.canonical_coordinates import projector_defect, to_canonical
from lazyrich.theorems.mode import split_modes
from lazyrich.theorems.theorem import DEFECT_TOLERANCE
from lazyrich.theorems.trajectories.aligned import decoupled_modes
from lazyrich.theorems.trajectories.deep import aligned_with_target, balanced_layers

TabState = tuple[dict[str, Any], dict[str, Any] | None]  # tab and state; points and student of the ReLU tab
TABS_MESSAGE = (
    "The tabs show a single linear neuron (one output, square loss) on two inputs, or on whitened inputs; up to four "
    "aligned modes of a linear network on whitened inputs, with equal initial values; a diagonal network of two "
    "coordinates with one sample, initialized at zero; a ReLU network on two inputs. lazyrich.explore() opens them all"
)


def tab_state_of(flow: GradientFlow) -> TabState:
    """Return the tab that shows this flow, and its state. Raise an error with the reason if there is none."""
    if not isinstance(flow, GradientFlow):
        raise TypeError(f"explore takes a GradientFlow or no argument; found {type(flow).__name__}")
    net, problem = flow.net, flow.problem
    if problem.loss.is_margin_loss:
        raise ValueError(
            f"the explorer trains with the square loss; found {type(problem.loss).__name__}. {TABS_MESSAGE}"
        )
    room: Callable[[GradientFlow], TabState]
    if net.neuron_parameters is not None and not net.linear_in_inputs:
        room = _relu_state
    elif net.signed_factors is not None:
        room = _limit_state
    elif (
        net.weight_matrices is not None
        and len(net.weight_matrices) == 2
        and len(net.weight_matrices[0]) == 1
        and problem.c == 1
    ):
        room = _neuron_state
    elif net.weight_matrices is not None:
        room = _modes_state
    else:
        raise ValueError(f"no tab shows a {type(net).__name__}. {TABS_MESSAGE}")
    return room(flow)


def _unsupported_error(why: str) -> ValueError:
    return ValueError(f"{why}. {TABS_MESSAGE}")


def _unit_rates(flow: GradientFlow) -> None:
    rates = [float(rate) for rate in flow.rates]
    if any(rate != 1 for rate in rates):
        raise _unsupported_error(f"this tab needs learning rates of one; found {rates}")


def _neuron_state(flow: GradientFlow) -> TabState:
    assert flow.net.weight_matrices is not None
    w, a = np.asarray(flow.net.weight_matrices[0][0]), float(flow.net.weight_matrices[1][0, 0])
    eta_w, eta_a = (float(rate) for rate in flow.rates)
    gram, target = (
        np.asarray(flow.problem.kappa * flow.problem.gram),
        np.asarray(flow.problem.min_norm_solution).reshape(-1),
    )
    if len(w) > 2:
        # On whitened inputs w stays in the plane of w and the target.
        if projector_defect(flow.problem) > DEFECT_TOLERANCE or flow.problem.rank < flow.problem.d:
            raise _unsupported_error(f"{len(w)} inputs that are not whitened do not fit into a plane")
        frame = _plane_basis(target, w)
        w, target, gram = frame @ w, frame @ target, frame @ gram @ frame.T
    elif len(w) == 1:
        w, target, gram = np.append(w, 0.0), np.append(target, 0.0), np.diag([gram[0, 0], 0.0])
    (low, high), vectors = np.linalg.eigh(gram)
    low = 0.0 if low <= 1e-12 * high else high if low >= (1 - 1e-12) * high else low
    first = vectors[:, 1] if low < high else np.array([1.0, 0.0])
    beta, delta = a * w, eta_w * a**2 - eta_a * float(w @ w)
    state = {
        "b0x": beta[0],
        "b0y": beta[1],
        "bx": target[0],
        "by": target[1],
        "delta": 0.0 if abs(delta) <= 1e-15 * (eta_w * a**2 + eta_a * float(w @ w)) else delta,
        "eta_w": eta_w,
        "eta_a": eta_a,
        "sign": -1 if a < 0 else 1,
        "angle": float(np.degrees(np.arctan2(first[1], first[0]))),
        "axis1": high,
        "axis2": low,
        "turn": float(np.degrees(np.arctan2(w[1], w[0]))),
        "span": 1.6 * max(float(np.linalg.norm(beta)), float(np.linalg.norm(target)), 1e-2),
    }
    _check_range(np.abs([*beta, *target]), 0, 100, "coordinates of the start and the target")
    _check_range(abs(delta), 0, 1000, "δ")
    _check_range(np.array([eta_w, eta_a, high]), 1e-3, 1e3, "learning rates and strength of the data")
    return {"room": "neuron", "state": _to_json(state)}, None


def _plane_basis(target: np.ndarray, w: np.ndarray) -> np.ndarray:
    """Return two orthonormal rows that span the plane of both vectors."""
    return np.linalg.qr(np.column_stack([target, w]))[0].T


def _modes_state(flow: GradientFlow) -> TabState:
    _unit_rates(flow)
    depth = len(flow.net.weight_matrices or ())
    if projector_defect(flow.problem) > DEFECT_TOLERANCE or flow.problem.rank < flow.problem.d:
        raise _unsupported_error("modes decouple on whitened inputs; these inputs are not whitened")
    small = to_canonical(flow)
    if abs(float(small.time_factor) - 1) > 1e-12:
        raise _unsupported_error(f"this tab needs inputs with κXᵀX = I; here it is {float(small.time_factor):.6g} I")
    if depth > 6:
        raise _unsupported_error(f"this tab needs a network of depth 1 to 6; found {depth}")
    whole, target = np.asarray(flow.net.beta).reshape(small.target.shape), np.asarray(small.target)
    a = w = np.zeros((0, 0))
    if depth == 1:
        left, s, transposed = np.linalg.svd(target, full_matrices=False)
        right = transposed.T
    else:
        a, w, s, left, right = (np.asarray(part) for part in split_modes(small))
    k = len(s)
    order = np.argsort(-s)
    beta = np.asarray(left[:, :k] * (whole @ right[:, :k])).sum(axis=0)
    if depth == 2:
        apart = float(decoupled_modes(flow))
    elif depth > 2:
        apart = max(float(balanced_layers(flow)), float(aligned_with_target(flow)))
    else:
        apart = float(np.linalg.norm(whole - (left * beta) @ right.T)) / max(float(np.linalg.norm(whole)), 1e-300)
    if apart > DEFECT_TOLERANCE:
        raise _unsupported_error(
            f"the modes of this network are not decoupled, or its layers not balanced (off by {apart:.1e})"
        )
    if depth == 2:
        long_a, long_w = np.linalg.norm(a[:k], axis=1), np.linalg.norm(w[:k], axis=1)
        sizes = long_a * long_w
        by_mode = {"start": sizes, "lambda": long_a**2 - long_w**2, "cosine": beta / np.where(sizes > 0, sizes, 1.0)}
    else:
        by_mode = {"start": beta}
    if k > 4 or np.any(s <= 0) or np.any(by_mode["start"] <= 0):
        raise _unsupported_error(
            f"this tab needs one to four modes with positive target and start; here the targets are {s}"
        )
    for name, values in by_mode.items():
        if np.ptp(values) > 1e-9 * max(np.max(np.abs(values)), 1e-9):
            raise _unsupported_error(f"in this tab, all modes have the same start; here their {name} is {values}")
    state: dict[str, Any] = {"depth": depth, "modes": k, **{f"s{i + 1}": s[j] for i, j in enumerate(order)}}
    state |= {name: float(np.mean(values)) for name, values in by_mode.items()}
    if depth == 2:
        # If layers are parallel or balanced up to rounding, the rounding would count as a direction of its own.
        state["cosine"] = np.sign(state["cosine"]) if abs(state["cosine"]) > 1 - 1e-12 else state["cosine"]
        state["lambda"] = state["lambda"] if abs(state["lambda"]) > 1e-14 else 0.0
    _check_range(s, 0.01, 100, "strengths of the target")
    _check_range(by_mode["start"], 1e-12, 10, "sizes of the start")
    return {"room": "modes", "state": _to_json(state)}, None


def _limit_state(flow: GradientFlow) -> TabState:
    _unit_rates(flow)
    net, problem = flow.net, flow.problem
    assert net.signed_factors is not None
    sides, depth = [np.abs(np.asarray(side)) for side in net.signed_factors], net.degree
    if problem.d != 2 or problem.n != 1 or any(np.ptp(side) > 1e-12 * np.max(side) for side in sides):
        raise _unsupported_error(
            "this tab needs one sample of two coordinates and the same start in each, u₊ = u₋; found "
            f"{problem.n} of {problem.d}, or unequal weights"
        )
    if not 2 <= depth <= 5:
        raise _unsupported_error(f"this tab needs a diagonal network of depth 2 to 5; found {depth}")
    values = [float(side[0, 0]) for side in sides]
    if depth == 2 and len(values) == 2:
        state = {"alpha": values[0] * values[1], "shape": (values[1] - values[0]) / (values[1] + values[0])}
    elif np.ptp(values) <= 1e-12 * max(values):
        state = {"alpha": values[0] ** depth, "shape": 0.0}
    else:
        raise _unsupported_error("this tab needs balanced layers for depths above two")
    (x1, x2), y = (float(v) for v in problem.X[0]), float(np.ravel(problem.y)[0])
    size = float(np.hypot(x1, x2))
    _check_range(np.array([state["alpha"]]), 1e-8, 100, "α")
    _check_range(np.array([size]), 0.05, 100, "the length of the sample")
    _check_range(np.abs([y]), 0, 100, "the label")
    _check_range(np.abs([state["shape"]]), 0, 0.99, "the shape")
    state |= {"depth": depth, "x1": x1, "x2": x2, "y": y, "span": 1.8 * max(size, abs(y) / size, 1e-2)}
    return {"room": "stops", "state": _to_json(state)}, None


def _relu_state(flow: GradientFlow) -> TabState:
    _unit_rates(flow)
    assert flow.net.neuron_parameters is not None
    W, a, slope = flow.net.neuron_parameters
    if flow.problem.d != 2 or slope != 0 or len(W) > 200 or flow.problem.n > 64:
        raise _unsupported_error(
            "this tab needs a ReLU network of up to 200 neurons on up to 64 points in the plane; found "
            f"{len(W)} neurons of slope {slope:g} on {flow.problem.n} points in {flow.problem.d} dimensions"
        )
    points = np.column_stack([flow.problem.X, np.ravel(flow.problem.y)])
    kappa = float(flow.problem.kappa)
    _check_range(np.abs(points), 0, 100, "coordinates and labels of the points")
    _check_range(np.abs(np.column_stack([W, a])), 0, 1000, "weights")
    _check_range(kappa, 1e-6, 1e6, "κ")
    plane = {"points": points.tolist(), "theta": np.column_stack([W, a]).ravel().tolist(), "kappa": kappa}
    return {"room": "relu", "state": {"second": 0}}, plane


def _check_range(values: np.ndarray | float, low: float, high: float, name: str) -> None:
    if not np.all((low <= np.asarray(values)) & (np.asarray(values) <= high)):
        raise _unsupported_error(f"{name}: the page shows values from {low:g} to {high:g}; found {np.asarray(values)}")


def _to_json(state: dict[str, Any]) -> dict[str, Any]:
    return {name: value.item() if isinstance(value, np.generic) else value for name, value in state.items()}
