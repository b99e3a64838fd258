"""Section 5, "Unbalanced initializations in practice", and appendix D on figure 5: LeNet, and the random hierarchy.

What is checked is small enough to train in seconds, on drawn digits and a grammar of two levels; the figures show more.
"""

from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from lazyrich.papers.claim import Evidence, Setup, claim

DIGITS: dict[str, Any] = {
    "n": 100,
    "test": 50,
    "batch": 10,
    "epochs": [1, 5],
    "rate": 0.003,
    "seen": 20,
    "sample": 8,
    "apart": 4,
}
MEANS = "means over seeds, which differ by several standard errors"


@cache
def _lenets(alpha: float, seed: int, runs: int) -> tuple[dict[str, np.ndarray], ...]:
    """Trained LeNets; several claims look at the same ones."""
    from lazyrich.papers.kunin2024.figures._lenet import cell

    return tuple(cell(alpha, 1000 * seed + i, **DIGITS) for i in range(runs))


def _mean(setup: Setup, alpha: float, name: str) -> Any:
    return np.mean([each[name] for each in _lenets(alpha, setup.seed, setup.pick(3, 6))], axis=0)


@claim(
    "kunin2024",
    "appendix D, figure 5a",
    "the first layer's weights ÷ α and the last one's × α keep the network functionally the same at initialization",
    tolerance=1e-5,
    why="single precision; biases are zero, as He initialization has them",
)
def lenet_is_the_same_function(setup: Setup) -> Evidence:
    return _apart(setup, biases=0.0)


@lenet_is_the_same_function.breaks("biases that are not zero at the start")
def lenet_with_biases(setup: Setup) -> Evidence:
    return _apart(setup, biases=0.1)


def _apart(setup: Setup, biases: float) -> Evidence:
    """By hand: the two weights alone are scaled."""
    import torch

    from lazyrich.papers.kunin2024.figures._lenet import lenet
    from lazyrich.torch.data import digits

    x = digits(20, seed=setup.seed)[0]
    model = lenet(setup.seed)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if name.endswith("bias"):
                weight.fill_(biases)
        before = model(x)
        *_, last = weights = [weight for name, weight in model.named_parameters() if name.endswith("weight")]
        weights[0].div_(7.0)
        last.mul_(7.0)
        return Evidence.equal(model(x), before)


@claim(
    "kunin2024",
    "section 5 (a)",
    "standard initializations see significant NTK evolution early in training",
    tolerance=0.02,
    why=MEANS,
)
def lenet_kernel_moves_early(setup: Setup) -> Evidence:
    return _early(setup, 1.0)


@lenet_kernel_moves_early.breaks("far downstream, where the kernel rests")
def lenet_kernel_rests_downstream(setup: Setup) -> Evidence:
    return _early(setup, 0.3)


def _early(setup: Setup, alpha: float) -> Evidence:
    """S ≥ 0.05 after the first epoch."""
    first, last = _mean(setup, alpha, "kernel_distance")[1:]
    return Evidence.most(0.05, first, f"S = {first:.3f} after 1 epoch, {last:.3f} after 5 (LeNet-5, 100 digits)")


@claim(
    "kunin2024",
    "section 5 (a)",
    "the movement of the NTK is linked to changes in activation patterns rather than large parameter shifts",
    tolerance=0.02,
    why=MEANS,
)
def lenet_moves_by_patterns(setup: Setup) -> Evidence:
    return _patterns(setup, 1.0)


@lenet_moves_by_patterns.breaks("downstream, where the last layer grows behind resting patterns")
def lenet_downstream_moves_by_weights(setup: Setup) -> Evidence:
    return _patterns(setup, 0.1)


def _patterns(setup: Setup, alpha: float) -> Evidence:
    """The kernel behind the new patterns alone moves at least twice as far as that of the new weights alone."""
    patterns, weights = _mean(setup, alpha, "by_patterns"), _mean(setup, alpha, "by_weights")
    seen = f"S by new patterns alone {patterns:.3f}, by new weights alone {weights:.3f}"
    return Evidence.most(2 * weights, patterns, seen)


@claim(
    "kunin2024",
    "section 5 (a)",
    "adjusting the initialization variance of the first and last layers can amplify or diminish this movement",
    tolerance=0.02,
    why=MEANS,
)
def lenet_movement_follows_alpha(setup: Setup) -> Evidence:
    return _ordered(setup, 0.3, 1.0, 10.0)


@lenet_movement_follows_alpha.breaks("the order of α turned round")
def lenet_movement_against_alpha(setup: Setup) -> Evidence:
    return _ordered(setup, 10.0, 1.0, 0.3)


def _ordered(setup: Setup, *alphas: float) -> Evidence:
    S = [_mean(setup, alpha, "kernel_distance")[-1] for alpha in alphas]
    seen = ", ".join(f"S = {s:.3f} at α = {alpha:g}" for s, alpha in zip(S, alphas, strict=True))
    return Evidence.worst(*(Evidence.most(1.2 * less, more, seen) for less, more in pairwise(S)))


@claim(
    "kunin2024",
    "appendix D, random hierarchy model",
    "sampling a random hierarchy requires sampling m n_c + (L − 1) m v rules, and an input has length s^L",
    tolerance=0.0,
    why="counted",
)
def hierarchy_counts(setup: Setup) -> Evidence:
    return _counts(setup, lambda L, n_c, m, s, v: m * n_c + (L - 1) * m * v)


@hierarchy_counts.breaks("L levels below that of the labels")
def hierarchy_one_level_more(setup: Setup) -> Evidence:
    return _counts(setup, lambda L, n_c, m, s, v: m * n_c + L * m * v)


def _counts(setup: Setup, formula: Any) -> Evidence:
    """Tuples counted as they occur in all inputs, level by level, from below: those of symbols that do occur."""
    from lazyrich.torch.data import hierarchy

    L, n_c, m, s, v = 2, 4, 3, 2, 5
    grammar = hierarchy(L, n_c, m, s, v, seed=setup.seed)
    x, labels = grammar.sample(grammar.inputs, setup.seed)
    symbols = x.reshape(len(x), -1, v).argmax(2).numpy()
    # Pairs of neighbours in all inputs are the tuples of the lower level; each is one rule of one symbol.
    lower = {tuple(pair) for row in symbols for pair in row.reshape(-1, s)}
    used = {int(symbol) for symbol in np.unique(np.asarray(grammar.rules[0]))}
    unused = (v - len(used)) * m  # rules of symbols that no label leads to
    upper = {
        (int(label), tuple(tuple(pair) for pair in row.reshape(-1, s)))
        for row, label in zip(symbols, labels, strict=True)
    }
    tops = round(len(upper) / m**s)  # each top tuple is written in m^s ways
    found = [tops + len(lower) + unused, symbols.shape[1]]
    return Evidence.equal(found, [formula(L, n_c, m, s, v), s**L], f"{found[0]} rules, length {found[1]}")


@claim(
    "kunin2024",
    "section 5 (c)",
    "modifying the relative scale can decrease or increase the sample complexity of learning a random hierarchy",
    tolerance=0.002,
    why=MEANS,
)
def hierarchy_relative_scale(setup: Setup) -> Evidence:
    return _accuracies(setup, [0.1, 1.0, 10.0])


@hierarchy_relative_scale.breaks("the same scale three times")
def hierarchy_same_scale(setup: Setup) -> Evidence:
    return _accuracies(setup, [1.0, 1.0, 1.0])


def _accuracies(setup: Setup, alphas: list[float]) -> Evidence:
    """With the same examples, each α generalises better than the one before, by 5 % of it at least."""
    from lazyrich.papers.kunin2024.figures._hierarchy import cell

    grammar = {"levels": 2, "classes": 8, "synonyms": 4, "size": 2, "vocabulary": 8}
    sizes = {"members": setup.pick(10, 20), "width": 64, "hidden": 3, "epochs": 100, "batch": 32, "test": 200}
    test = cell(0.5, setup.seed, grammar=grammar, alphas=alphas, **sizes)["test"].mean(1)
    seen = ", ".join(f"{100 * t:.1f} % at α = {a:g}" for t, a in zip(test, alphas, strict=True))
    return Evidence.worst(*(Evidence.most(1.05 * less, more, f"test accuracy {seen}") for less, more in pairwise(test)))
