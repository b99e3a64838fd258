"""Section 5 (b) and (d), and appendix D: filters in front of a batch norm, embeddings in front of a layer norm.

What is checked is small enough to train in seconds, on dead leaves and on products modulo 23; the figures show more.
"""

from functools import cache
from typing import Any

import numpy as np

from lazyrich.papers.claim import Evidence, Setup, claim, undecidable
from lazyrich.papers.kunin2024.claims._practice import MEANS, growth_by_row
from lazyrich.papers.verdicts import Verdict

DOUBLE = "double precision, after some steps that amplify its rounding"


@cache
def _mean_roughness(alpha: float, seed: int, runs: int) -> tuple[float, ...]:
    """Return the mean roughness of the first filters after training, for each run."""
    from lazyrich.papers.kunin2024.figures._filters import CLASSES, filters, roughness
    from lazyrich.papers.kunin2024.figures._residual import network, train
    from lazyrich.torch.data import dead_leaves

    measured = []
    for number in range(1000 * seed, 1000 * seed + runs):
        model = network([8, 16], 4, 2, CLASSES["dead_leaves"], alpha, number)
        for _ in train(model, dead_leaves(96, seed=number), 12, 2, 0.4, number, augment=False):
            pass
        measured.append(float(roughness(filters(model).detach()).mean()))
    return tuple(measured)


def _becomes_smoother(setup: Setup, alphas: tuple[float, ...]) -> Evidence:
    """Test that the filters become smoother from each α to the next, by 3 % at least: 1/roughness grows."""
    rows = [1 / np.array(_mean_roughness(alpha, setup.seed, setup.size(3, 6))) for alpha in alphas]
    return growth_by_row(rows, [f"α = {alpha:g}" for alpha in alphas], 1 / 0.97, "1/roughness (white noise: 0.254)")


@claim(
    "kunin2024",
    "section 5 (b)",
    "adjusting the learning speed of the first layer can enhance or degrade the smoothness of its filters",
    quote=r"learn much smoother filters, giving quantiative support to results in Fig.",
    tolerance=0.002,
    why=MEANS + "; by 3 % at least",
)
def filters_follow_the_speed(setup: Setup, alphas: tuple[float, ...] = (0.1, 1.0, 10.0)) -> Evidence:
    return _becomes_smoother(setup, alphas)


filters_follow_the_speed.breaks("the order of α turned round", alphas=(10.0, 1.0, 0.1))


@claim(
    "kunin2024",
    "appendix D.3, figure on the filters",
    "networks with a small initialization (α < 1) learn much smoother filters",
    quote=r"However, in <strong>B)</strong> we see that networks with a small initialization (<span class="
    r'"math inline">\(\alpha&lt;1\)</span>) learn much smoother filters',
    verdict=Verdict.CORRECTED,
    remark="α > 1: the filters are divided by α, so that small ones have α > 1; it is these that become smooth",
    tolerance=0.002,
    why=MEANS + "; by 3 % at least",
)
def filters_small_ones_are_smooth(setup: Setup, alphas: tuple[float, ...] = (1.0, 10.0)) -> Evidence:
    return _becomes_smoother(setup, alphas)


filters_small_ones_are_smooth.printed(alphas=(1.0, 0.1))
filters_small_ones_are_smooth.breaks("filters of the same size", alphas=(1.0, 1.0))


@claim(
    "kunin2024",
    "section 5 (b) and appendix D.3",
    "dividing the filters by α adjusts the learning speed of the first layer: it is a rate times α², nothing else",
    quote=r"Moreover, we are dividing the convolutional filters weights by a parameter $\alpha$ (after standard "
    r"initialization) which controls the balancedness of the network.",
    tolerance=1e-9,
    why=DOUBLE,
)
def filters_scale_is_a_rate(setup: Setup, power: float = 2.0) -> Evidence:
    from lazyrich.papers.kunin2024.figures._filters import as_a_rate

    return Evidence(as_a_rate(3.0, setup.seed, power=power))


filters_scale_is_a_rate.breaks("a rate times α", power=1.0)


@filters_scale_is_a_rate.proof(
    "two weights, any loss of their direction alone: one step from w/α at η is one from w at α²η"
)
def scale_is_a_rate(spoiled: bool) -> Any:
    from sympy import Matrix, symbols

    x, y, alpha, eta, F = symbols("x y alpha eta F", positive=True)  # F = f′(y/x), the same for w and w/α
    slope = F * Matrix([-y / x**2, 1 / x])  # of f(y/x)
    there = slope.subs({x: x / alpha, y: y / alpha}, simultaneous=True)
    stepped = alpha * (Matrix([x, y]) / alpha - eta * there)
    return stepped, Matrix([x, y]) - alpha ** (1 if spoiled else 2) * eta * slope


@claim(
    "kunin2024",
    "section 5 (d)",
    "the embeddings are less than 6 % of all parameters of the one-layer transformer",
    quote=r"the embedding in a single-layer transformer ($<6\%$ of all parameters)",
    tolerance=0.0,
    why="counted",
)
def grokking_embeddings_are_few(setup: Setup, p: int = 97) -> Evidence:
    """By the shapes: tokens and places, four matrices of attention, two of the MLP, three norms, the head."""
    from lazyrich.papers.kunin2024.figures._grokking import share_of_embeddings

    w, tokens = 128, p + 2
    embeddings = (tokens + 5) * w
    rest = 4 * (w * w + w) + (4 * w * w + 4 * w) + (4 * w * w + w) + 3 * 2 * w + tokens * w
    share = share_of_embeddings(p, w)
    summary = f"{100 * share:.2f} % of {embeddings + rest} parameters"
    same = Evidence.equal([share], [embeddings / (embeddings + rest)])
    return Evidence.worst(Evidence.at_most(share, 0.06, summary), Evidence(0.0 if same.error < 1e-12 else 1.0, summary))


grokking_embeddings_are_few.breaks("a larger vocabulary, p = 199", p=199)


@claim(
    "kunin2024",
    "section 5 (d) and appendix D.3",
    "dividing the embeddings by α adjusts their learning speed: under Adam it is a rate times α, nothing else",
    quote=r"Firstly, we divide the embedding weights of the positional and token embeddings by the same balancedness "
    r"parameter $\alpha$ as in the CNN gabor experiments.",
    tolerance=1e-7,
    why=DOUBLE,
)
def grokking_scale_is_a_rate(setup: Setup, power: float = 1.0) -> Evidence:
    from lazyrich.papers.kunin2024.figures._grokking import as_a_rate

    return Evidence(as_a_rate(3.0, seed=setup.seed, power=power))


grokking_scale_is_a_rate.breaks("a rate times α², as it would be for SGD", power=2.0)


undecidable(
    "kunin2024",
    "section 5 (b)",
    "filters_alignment",
    "adjusting the learning speed of the first layer can enhance or degrade the alignment of its filters with edges",
    "degrade: yes, a slow first layer (α = 0.1) keeps its random filters, in CIFAR-10 and in dead leaves. "
    "Enhance: not seen after 80 steps; the share of a filter's power in one direction is about the same at α = 10"
    " as at α = 1 on CIFAR-10 (0.31 and 0.34) and smaller on dead leaves (0.43 and 0.65); the filters become "
    "smoother",
    quote=r"(b) Filters in CNNs trained on image classification tasks often align with edge detectors . We show that "
    r"adjusting the learning speed of the first layer can enhance or degrade this alignment.",
)
undecidable(
    "kunin2024",
    "appendix D, figure on the filters",
    "filters_accuracy",
    "all networks achieve comparable training and test accuracy, despite the modification in initialization",
    "comparable is a matter of degree. CIFAR-10 after 80 steps: test within 0.02, training 0.52 (α = 0.1) to 0.44"
    " (10). Dead leaves: the outermost α lose 0.1 of 0.92; after 512 steps all are within 0.02",
    quote=r"We can see in <strong>A)</strong> that all networks achieve comparable training and test accuracy, "
    r"despite the modification in initialization.",
)
undecidable(
    "kunin2024",
    "section 5 (d)",
    "grokking_time",
    "decreasing the variance of the embedding significantly reduces the time to grokking",
    "seen in part: with products modulo 23, α = 10 comes to 30 % of the test pairs sooner than α = 1 (figure 5d);"
    " modulo 47, 13 of 26 networks with α = 10 and 2 of 26 with α = 1 came to 99 % in 2,000 steps. No long delay "
    "after the training pairs was seen there; of the source's own 30,000 steps 4,000 were run, one seed, α = 1 "
    "and 10 alike",
    quote=r"We show that decreasing the variance of the embedding in a single-layer transformer ($<6\%$ of all "
    r"parameters) significantly reduces the time to grokking.",
)
undecidable(
    "kunin2024",
    "appendix D, figure on grokking",
    "grokking_fastest_corner",
    "the fastest grokking is seen in an unbalanced rich setting",
    "seen in part: with products modulo 23, the fewest steps to 30 % of the test pairs are at the largest α and "
    "the smallest τ; more than half of what τ gives is due to the rate ÷ τ², which Adam does not make up for. 99 "
    "% was not reached",
    quote=r"We clearly see the fastest grokking in an unbalanced rich setting.",
)
