"""Results that have a page beside the theorems: a function of the library whose docstring is the statement."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import lazyrich as lr


@dataclass(frozen=True)
class Result:
    """A statement that is not a formula for one flow: its page has the sections of a theorem's.

    - `function`: what computes it; its docstring is the statement, with an example.
    - `script`: the script of the gallery that draws it; `guide`: the page of the documentation about it.
    - `claims`: patterns of ids; `violations`: hypotheses, each with a call that the library refuses.
    """

    slug: str
    title: str
    intuition: str
    function: Callable[..., Any]
    references: tuple[tuple[str, str], ...]
    claims: tuple[str, ...]
    script: str
    guide: str
    violations: Mapping[str, Callable[[], Any]]


def _diagonal(depth: int = 2, **how: Any) -> lr.GradientFlow:
    return lr.GradientFlow(lr.inits.tied_diagonal(2, 0.5, depth=depth), lr.Problem([[1.0, 2.0]], [2.0]), **how)


def _neuron(**how: Any) -> lr.GradientFlow:
    return lr.GradientFlow(lr.inits.neuron([0.5, 0.5], delta=1.0), lr.Problem([[1.0, 2.0]], [2.0]), **how)


def _untied(decay: tuple[float, float]) -> lr.GradientFlow:
    net = lr.Diagonal([[[0.5, 0.5], [0.5, 0.5]]] * 2)
    return lr.GradientFlow(net, lr.Problem([[1.0, 2.0]], [2.0]), decay=decay)


RUN = lr.GrokkingRun(alpha=2.0, decay=0.02, t_fit=7.0, t_grok=86.0)

RESULTS = (
    Result(
        "decay-curve",
        "Why networks grok: weight decay walks from lazy to rich",
        "From a large start a network fits at once, without learning features, and finds the shortest fit. Weight "
        "decay then shrinks the scale of the start that the network remembers, and the network moves along the limits "
        "of smaller and smaller starts, from the shortest fit to the sparsest. The test error therefore falls long "
        "after the training error, at a time that can be computed without training.",
        lr.decay_curve,
        (("lazyrich2026", "grokking"),),
        ("lazyrich2026/walks-along-the-limits", "lazyrich2026/one-curve-for-all-scales", "lazyrich2026/mirror-*"),
        "20_why_networks_grok",
        "decay.md",
        {
            "the flow has weight decay": lambda: lr.decay_curve(_diagonal(), [1.0]),
            "a diagonal network of depth two": lambda: lr.decay_curve(_neuron(decay=0.1), [1.0]),
            "equal rates of decay": lambda: lr.decay_curve(_untied((0.1, 0.2)), [1.0]),
        },
    ),
    Result(
        "grokking-clock",
        "One clock for grokking at every scale",
        "Weight decay shrinks a large start exponentially, so the scale α of the start only sets how long this takes. "
        r"On the clock $\lambda t - \log\alpha$, runs from all large scales and all small decays are the same curve. "
        "One run that generalized late therefore predicts when others will.",
        lr.grokking_clock,
        (("lazyrich2026", "grokking"),),
        ("lazyrich2026/grokking-clock-slope", "lazyrich2026/one-curve-for-all-scales"),
        "21_grokking_clock",
        "decay.md",
        {
            "a large start": lambda: lr.grokking_clock(RUN, alpha=0.5, decay=0.02),
            "generalization long after the fit": lambda: lr.grokking_clock(RUN, alpha=1.01, decay=0.08),
            "more than one layer": lambda: lr.grokking_clock(RUN, alpha=8.0, decay=0.02, degree=1),
        },
    ),
    Result(
        "equivalent-flow",
        "Where gradient descent ends: a flow from another start",
        "Finite steps, batches, momentum and label noise change which of many solutions a diagonal network finds. All "
        "that they do can be written as a change of the initialization: the gradient flow from that other start ends "
        "where the run ends. The change is known exactly, so each effect can be read as a scale or a shift of the "
        "start.",
        lr.equivalent_flow,
        (("lazyrich2026", "finite steps"),),
        ("lazyrich2026/descent-end", "lazyrich2026/heavy-ball-end", "lazyrich2026/label-noise-clock"),
        "19_where_descent_ends",
        "steps.md",
        {
            "a run of gradient descent": lambda: lr.equivalent_flow(lr.solve(_diagonal(), [1.0])),
            "a diagonal network": lambda: lr.equivalent_flow(lr.descend(_neuron(), 3, lr=0.01)),
            "gradient descent, not Adam": lambda: lr.equivalent_flow(
                lr.descend(_diagonal(), 3, lr=0.01, optimizer=lr.Adam())
            ),
        },
    ),
    Result(
        "staircase",
        "The staircase of a vanishing start",
        "As the initialization of a diagonal network vanishes, its flow spends all its time on plateaus, each of which "
        "is a saddle with some features in use. A feature enters when its gradient, added up over time, reaches a "
        "bound, and it may leave again. So the whole path is a finite list of jumps, which is computed without "
        "integrating.",
        lr.staircase,
        (("lazyrich2026", "staircase"),),
        tuple(
            f"lazyrich2026/{name}"
            for name in (
                "plateaus-*",
                "features-leave-again",
                "bounds-of-unequal-weights",
                "staircase-*",
                "identical-columns-share",
            )
        ),
        "18_staircase",
        "staircase.md",
        {
            "a diagonal network of depth two or more": lambda: lr.staircase(_neuron()),
            "no weight decay": lambda: lr.staircase(_diagonal(decay=0.1)),
            "exponents only at depth two": lambda: lr.staircase(_diagonal(depth=3), exponents=[1.0, 2.0]),
        },
    ),
    Result(
        "wide-networks",
        "From lazy to rich at any width, and at infinite width",
        "If the two layers of a linear network start as orthogonal blocks, its predictor obeys an equation of its own, "
        "on any data and for any loss. Width drops out, and so does the relative scale of the layers: one number s "
        "decides between lazy and rich. Random layers come closer to this as they become wider.",
        lr.inits.wide,
        (("lazyrich2026", "wide networks"),),
        tuple(
            f"lazyrich2026/{name}"
            for name in (
                "predictor-equation",
                "grams-from-the-predictor",
                "decay-runs-the-scale-down",
                "exponential-coordinates",
                "whitened-riccati",
                "varre-is-a-special-case",
                "gaussian-start",
            )
        ),
        "22_any_width",
        "wide.md",
        {
            "room for both blocks": lambda: lr.inits.wide(_key(), d=3, h=4, c=2, gamma=1.0),
            "a positive scale": lambda: lr.inits.wide(_key(), d=3, h=8, c=2, gamma=-1.0),
        },
    ),
    Result(
        "attention-in-context",
        "How linear attention learns to regress from its prompt",
        "The average over all prompts turns linear attention into a linear model of features of the prompt, so its "
        "loss is that of a small regression. With one merged matrix for key and query it learns everything in one "
        "jump; with separate ones it learns one eigenvector of the inputs after another. The times and heights of the "
        "plateaus follow in closed form.",
        lr.Problem.in_context,
        (("lazyrich2026", "attention"), ("zhang2025", "")),
        ("lazyrich2026/loss-over-prompts", "lazyrich2026/heads-are-modes"),
        "24_attention_in_context",
        "attention.md",
        {
            "a square covariance": lambda: lr.Problem.in_context([[1.0, 0.5]], 10),
            "at least one example in the prompt": lambda: lr.Problem.in_context([1.0, 0.5], 0),
        },
    ),
    Result(
        "population",
        "Learning from infinitely many samples",
        "For Gaussian inputs and a teacher the loss over all inputs is an integral that can be done by hand: of pairs "
        "of units, only their lengths and their angle matter. A flow on this loss has no samples and no seed, and its "
        "loss is the test error. Flows on n samples approach it as n grows.",
        lr.Population,
        (("lazyrich2026", "population"),),
        ("lazyrich2026/pairs-of-units",),
        "25_infinite_data",
        "population.md",
        {
            "inputs whose moments are known": lambda: lr.Population(lr.TwoLayer([[1.0, 0.0]], [1.0]), inputs="cube"),
            "a symmetric covariance": lambda: lr.Population(
                lr.TwoLayer([[1.0, 0.0]], [1.0]), covariance=[[1.0, 0.5], [0.0, 1.0]]
            ),
        },
    ),
)


def _key() -> Any:
    import jax

    return jax.random.key(0)


def refusal(call: Callable[[], Any]) -> str:
    """What the library says of a call that violates a hypothesis."""
    try:
        call()
    except (ValueError, TypeError) as error:
        return str(error)
    raise AssertionError("a call that violates a hypothesis was accepted")
