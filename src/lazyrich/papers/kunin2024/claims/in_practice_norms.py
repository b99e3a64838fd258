"""Section 5 (b) and (d), and appendix D: filters in front of a batch norm, embeddings in front of a layer norm.

What is checked is small enough to train in seconds, on dead leaves and on products modulo 23; the figures show more.
"""

from functools import cache
from itertools import pairwise

import numpy as np

from lazyrich.papers.claim import Evidence, Setup, claim, undecidable
from lazyrich.papers.rule import Verdict

MEANS = "means over seeds, which differ by several standard errors"
DOUBLE = "double precision, after some steps that amplify its rounding"


@cache
def _rough(alpha: float, seed: int, runs: int) -> float:
    """The mean roughness of the first filters after training."""
    from lazyrich.papers.kunin2024.figures._filters import CLASSES, filters, roughness
    from lazyrich.papers.kunin2024.figures._residual import network, train
    from lazyrich.torch.data import leaves

    found = []
    for number in range(1000 * seed, 1000 * seed + runs):
        model = network([8, 16], 4, 2, CLASSES["leaves"], alpha, number)
        for _ in train(model, leaves(96, seed=number), 12, 2, 0.4, number, augment=False):
            pass
        found.append(float(roughness(filters(model).detach()).mean()))
    return float(np.mean(found))


def _falling(setup: Setup, *alphas: float) -> Evidence:
    """From each α to the next the filters become smoother, by 3 % at least."""
    values = [_rough(alpha, setup.seed, setup.pick(3, 6)) for alpha in alphas]
    seen = ", ".join(f"{value:.2f} at α = {alpha:g}" for value, alpha in zip(values, alphas, strict=True))
    pairs = pairwise(values)
    return Evidence.worst(
        *(Evidence.most(less, 0.97 * more, f"roughness {seen} (white noise: 3.94)") for more, less in pairs)
    )


@claim(
    "kunin2024",
    "section 5 (b)",
    "adjusting the learning speed of the first layer can enhance or degrade the smoothness of its filters",
    tolerance=0.002,
    why=MEANS,
)
def filters_follow_the_speed(setup: Setup) -> Evidence:
    return _falling(setup, 0.1, 1.0, 10.0)


@filters_follow_the_speed.breaks("the order of α turned round")
def filters_against_the_speed(setup: Setup) -> Evidence:
    return _falling(setup, 10.0, 1.0, 0.1)


@claim(
    "kunin2024",
    "appendix D, figure on the filters",
    "networks with a small initialization (α < 1) learn much smoother filters",
    verdict=Verdict.CORRECTED,
    remark="α > 1: the filters are divided by α, so that small ones have α > 1; it is these that become smooth",
    tolerance=0.002,
    why=MEANS,
)
def filters_small_ones_are_smooth(setup: Setup) -> Evidence:
    return _falling(setup, 1.0, 10.0)


@filters_small_ones_are_smooth.printed
def filters_alpha_below_one(setup: Setup) -> Evidence:
    return _falling(setup, 1.0, 0.1)


@claim(
    "kunin2024",
    "section 5 (b) and appendix D",
    "dividing the filters by α adjusts the learning speed of the first layer: it is a rate times α², nothing else",
    tolerance=1e-9,
    why=DOUBLE,
)
def filters_scale_is_a_rate(setup: Setup) -> Evidence:
    return _rate(setup, 2.0)


@filters_scale_is_a_rate.breaks("a rate times α")
def filters_scale_is_not_that_rate(setup: Setup) -> Evidence:
    return _rate(setup, 1.0)


def _rate(setup: Setup, power: float) -> Evidence:
    from lazyrich.papers.kunin2024.figures._filters import as_a_rate

    return Evidence(as_a_rate(3.0, setup.seed, power=power))


@claim(
    "kunin2024",
    "appendix D, definition of the smoothness",
    "Δ, with −0.25 in its corners, −0.5 at its edges and 2 in its centre, is a Laplacian: constants are in its kernel",
    verdict=Verdict.CORRECTED,
    remark="with 3 in its centre; the printed entries add up to −1. The order of the filters is the same with both",
    tolerance=1e-12,
    why="a sum of nine numbers",
)
def filters_laplacian(setup: Setup) -> Evidence:
    return _sum(3.0)


@filters_laplacian.printed
def filters_laplacian_as_printed(setup: Setup) -> Evidence:
    return _sum(2.0)


def _sum(centre: float) -> Evidence:
    return Evidence(abs(4 * -0.25 + 4 * -0.5 + centre))


@claim(
    "kunin2024",
    "section 5 (d)",
    "the embeddings are less than 6 % of all parameters of the one-layer transformer",
    tolerance=0.0,
    why="counted",
)
def grokking_embeddings_are_few(setup: Setup) -> Evidence:
    return _few(97)


@grokking_embeddings_are_few.breaks("a larger vocabulary, p = 199")
def grokking_embeddings_of_a_larger_prime(setup: Setup) -> Evidence:
    return _few(199)


def _few(p: int) -> Evidence:
    """By the shapes: tokens and places, four matrices of attention, two of the MLP, three norms, the head."""
    from lazyrich.papers.kunin2024.figures._grokking import share_of_embeddings

    w, tokens = 128, p + 2
    embeddings = (tokens + 5) * w
    rest = 4 * (w * w + w) + (4 * w * w + 4 * w) + (4 * w * w + w) + 3 * 2 * w + tokens * w
    share = share_of_embeddings(p, w)
    seen = f"{100 * share:.2f} % of {embeddings + rest} parameters"
    same = Evidence.equal([share], [embeddings / (embeddings + rest)])
    return Evidence.worst(Evidence.most(share, 0.06, seen), Evidence(0.0 if same.error < 1e-12 else 1.0, seen))


@claim(
    "kunin2024",
    "section 5 (d) and appendix D",
    "dividing the embeddings by α adjusts their learning speed: under Adam it is a rate times α, nothing else",
    tolerance=1e-7,
    why=DOUBLE,
)
def grokking_scale_is_a_rate(setup: Setup) -> Evidence:
    return _adam(setup, 1.0)


@grokking_scale_is_a_rate.breaks("a rate times α², as it would be for SGD")
def grokking_scale_is_not_that_rate(setup: Setup) -> Evidence:
    return _adam(setup, 2.0)


def _adam(setup: Setup, power: float) -> Evidence:
    from lazyrich.papers.kunin2024.figures._grokking import as_a_rate

    return Evidence(as_a_rate(3.0, seed=setup.seed, power=power))


undecidable(
    "kunin2024",
    "section 5 (b)",
    "filters_alignment",
    "adjusting the learning speed of the first layer can enhance or degrade the alignment of its filters with edges",
    "degrade: yes, a slow first layer (α = 0.1) keeps its random filters, in CIFAR-10 and in dead leaves. "
    "Enhance: not seen after 80 steps; the share of a filter's power in one direction is about the same at α = 10"
    " as at α = 1 on CIFAR-10 (0.31 and 0.34) and smaller on dead leaves (0.43 and 0.65); the filters become "
    "smoother",
)
undecidable(
    "kunin2024",
    "appendix D, figure on the filters",
    "filters_accuracy",
    "all networks achieve comparable training and test accuracy, despite the modification in initialization",
    "comparable is a matter of degree. CIFAR-10 after 80 steps: test within 0.02, training 0.52 (α = 0.1) to 0.44"
    " (10). Dead leaves: the outermost α lose 0.1 of 0.92; after 512 steps all are within 0.02",
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
)
undecidable(
    "kunin2024",
    "appendix D, figure on grokking",
    "grokking_fastest_corner",
    "the fastest grokking is seen in an unbalanced rich setting",
    "seen in part: with products modulo 23, the fewest steps to 30 % of the test pairs are at the largest α and "
    "the smallest τ; more than half of what τ gives is due to the rate ÷ τ², which Adam does not make up for. 99 "
    "% was not reached",
)
