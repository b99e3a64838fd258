"""Section 5, "Unbalanced initializations in practice", and appendix D on figure 5: LeNet, and the random hierarchy.

What is checked is small enough to train in seconds, on drawn digits and a grammar of two levels; the figures show more.
"""

from collections.abc import Callable
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from lazyrich.papers.claim import Evidence, Setup, claim
from lazyrich.papers.kunin2024.claims._practice import MEANS, growth_by_row
from lazyrich.papers.verdicts import Grade

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


@cache
def _lenets(alpha: float, seed: int, runs: int) -> tuple[dict[str, np.ndarray], ...]:
    """Train LeNets; cached, since several claims use the same ones."""
    from lazyrich.papers.kunin2024.figures._lenet import cell

    return tuple(cell(alpha, 1000 * seed + i, **DIGITS) for i in range(runs))


def _samples(setup: Setup, alpha: float, name: str) -> Any:
    """Return one quantity of the trained LeNets, with one row per run."""
    return np.array([each[name] for each in _lenets(alpha, setup.seed, setup.size(3, 6))])


@claim(
    "kunin2024",
    "appendix D.3, kernel distance",
    "the first layer's weights ÷ α and the last one's × α keep the network functionally the same at initialization",
    quote=r"We use He initialization  and divide the first layer weights by $\alpha$ and multiply the last layer "
    r"weights by "
    r"$\alpha$ at initialization, which keeps the network functionally the same at initialization.",
    tolerance=1e-5,
    why="single precision; biases are zero, as He initialization has them",
)
def lenet_is_the_same_function(setup: Setup, biases: float = 0.0) -> Evidence:
    """By hand: the two weights alone are scaled."""
    import torch

    from lazyrich.papers.kunin2024.figures._lenet import lenet
    from lazyrich.torch.data import drawn_digits

    x = drawn_digits(20, seed=setup.seed)[0]
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


lenet_is_the_same_function.breaks("biases that are not zero at the start", biases=0.1)


@lenet_is_the_same_function.proof("three layers without biases, any sizes: gates do not change for α > 0")
def scales_cancel(spoiled: bool) -> Any:
    from sympy import symbols

    A, D2, V, D1, W, x = symbols("A D2 V D1 W x", commutative=False)  # Dᵢ: the gates, which α > 0 does not change
    alpha = symbols("alpha", positive=True)
    bias = symbols("b", commutative=False) if spoiled else 0
    return (alpha * A) * D2 * (V * D1 * ((W / alpha) * x + bias)), A * D2 * (V * D1 * (W * x + bias))


@claim(
    "kunin2024",
    "section 5 (a)",
    "standard initializations see significant NTK evolution early in training",
    quote=r"(a) Standard initializations see significant NTK evolution early in training .",
    tolerance=0.02,
    why=MEANS + "; significant: S of 0.05 after the first epoch",
)
def lenet_kernel_moves_early(setup: Setup, significant: float = 0.05) -> Evidence:
    runs = _samples(setup, 1.0, "kernel_distance")
    error = runs[:, 1].std(ddof=1) / np.sqrt(len(runs))
    first, last = runs.mean(0)[1:]
    summary = f"S = {first:.3f} ± {error:.3f} after 1 epoch, {last:.3f} after 5 (LeNet-5, 100 digits)"
    return Evidence(Evidence.at_most(significant, first).error, summary, Grade.SAMPLED)


lenet_kernel_moves_early.breaks("S of a half after the first epoch", significant=0.5)


@claim(
    "kunin2024",
    "section 5 (a)",
    "the movement of the NTK is linked to changes in activation patterns rather than large parameter shifts",
    quote=r"We show the movement is linked to changes in activation patterns rather than large parameter shifts.",
    tolerance=0.02,
    why=MEANS + "; rather: the kernel of the new patterns alone moves twice as far as that of the new weights alone",
)
def lenet_moves_by_patterns(setup: Setup, alpha: float = 1.0) -> Evidence:
    rows = [_samples(setup, alpha, name) for name in ("by_weights", "by_patterns")]
    return growth_by_row(rows, ("new weights alone", "new patterns alone"), 2.0, "S")


lenet_moves_by_patterns.breaks("downstream, where the last layer grows behind resting patterns", alpha=0.1)


@claim(
    "kunin2024",
    "section 5 (a)",
    "adjusting the initialization variance of the first and last layers can amplify or diminish this movement",
    quote=r"Adjusting the initialization variance of the first and last layers can amplify or diminish this movement.",
    tolerance=0.02,
    why=MEANS + "; by a fifth at least",
)
def lenet_movement_follows_alpha(setup: Setup, alphas: tuple[float, ...] = (0.3, 1.0, 10.0)) -> Evidence:
    rows = [_samples(setup, alpha, "kernel_distance")[:, -1] for alpha in alphas]
    return growth_by_row(rows, [f"α = {alpha:g}" for alpha in alphas], 1.2, "S")


lenet_movement_follows_alpha.breaks("the order of α turned round", alphas=(10.0, 1.0, 0.3))


Formula = Callable[[int, int, int, int], int]


@claim(
    "kunin2024",
    "appendix D.3, random hierarchy model",
    "sampling a random hierarchy requires sampling m n_c + (L − 1) m v rules, and an input has length s^L",
    quote=r"Therefore, sampling an RHM with hyperparameters $n_c, m, s, v$ requires sampling $m n_c + (L-1) m v$ "
    r"rules. … "
    r"The generated sample will therefore have length $s^L$ and a class label.",
    tolerance=0.0,
    why="counted",
)
def hierarchy_counts(setup: Setup, formula: Formula = lambda L, n_c, m, v: m * n_c + (L - 1) * m * v) -> Evidence:
    """Tuples counted as they occur in all inputs, level by level, from below: those of symbols that do occur."""
    from lazyrich.torch.data import random_hierarchy_model

    L, n_c, m, s, v = 2, 4, 3, 2, 5
    grammar = random_hierarchy_model(L, n_c, m, s, v, seed=setup.seed)
    x, labels = grammar.sample(grammar.n_inputs, setup.seed)
    symbols = x.reshape(len(x), -1, v).argmax(2).numpy()
    # Pairs of neighbors in all inputs are the tuples of the lower level; each is one rule of one symbol.
    lower = {tuple(pair) for row in symbols for pair in row.reshape(-1, s)}
    symbols_used = {int(symbol) for symbol in np.unique(np.asarray(grammar.rules[0]))}
    unused = (v - len(symbols_used)) * m  # rules of symbols that no label leads to
    upper = {
        (int(label), tuple(tuple(pair) for pair in row.reshape(-1, s)))
        for row, label in zip(symbols, labels, strict=True)
    }
    tops = round(len(upper) / m**s)  # each top tuple is written in m^s ways
    measured = [tops + len(lower) + unused, symbols.shape[1]]
    return Evidence.equal(measured, [formula(L, n_c, m, v), s**L], f"{measured[0]} rules, length {measured[1]}")


hierarchy_counts.breaks("L levels below that of the labels", formula=lambda L, n_c, m, v: m * n_c + L * m * v)


@claim(
    "kunin2024",
    "section 5 (c)",
    "modifying the relative scale can decrease or increase the sample complexity of learning a random hierarchy: the "
    "share of all inputs that test accuracy ½ takes falls with α",
    quote=r"Using the Random Hierarchy Model, introduced by as a framework for synthetic hierarchical tasks, we show "
    r"that "
    r"modifying the relative scale can decrease or increase the sample complexity of learning.",
    tolerance=0.002,
    why=MEANS + "; each α takes fewer examples than the one before, by 5 % at least",
)
def hierarchy_relative_scale(setup: Setup, alphas: tuple[float, ...] = (0.1, 1.0, 10.0)) -> Evidence:
    """The share at which a line through the test accuracies at 0.4, 0.5 and 0.6 of all inputs is ½; its standard error
    by leaving out one network and data set at a time."""
    from lazyrich.papers.kunin2024.figures._hierarchy import cell

    grammar = {"levels": 2, "classes": 8, "synonyms": 4, "size": 2, "vocabulary": 8}
    sizes = {"members": setup.size(10, 20), "width": 64, "hidden": 3, "epochs": 100, "batch": 32, "test": 200}
    shares, few = (0.4, 0.5, 0.6), list(dict.fromkeys(alphas))
    runs = [cell(share, setup.seed, grammar=grammar, alphas=few, **sizes)["test"] for share in shares]
    test = np.array(runs)[:, [few.index(alpha) for alpha in alphas]]  # (share, α, member)

    def samples_needed(accuracy: np.ndarray) -> np.ndarray:
        slope, level = np.polyfit(shares, accuracy.mean(2), 1)
        return (0.5 - level) / slope

    left_out = np.array([samples_needed(np.delete(test, i, 2)) for i in range(test.shape[2])])
    errors = np.sqrt((len(left_out) - 1) * left_out.var(0))
    parts = [
        f"{n:.3g} ± {e:.1g} (α = {alpha:g})" for n, e, alpha in zip(samples_needed(test), errors, alphas, strict=True)
    ]
    worst = max(Evidence.at_most(1.05 * less, more).error for more, less in pairwise(samples_needed(test)))
    return Evidence(worst, f"share of all inputs {', '.join(parts)}", Grade.SAMPLED)


hierarchy_relative_scale.breaks("the same scale three times", alphas=(1.0, 1.0, 1.0))
