"""The Random Hierarchy Model (Cagnetta et al., Phys. Rev. X 14, 031001, 2024): labels hidden by levels of synonyms."""

import random
from dataclasses import dataclass
from functools import partial

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from lazyrich._validate.integers import check_int


@dataclass(frozen=True, eq=False)
class RandomHierarchyModel:
    """A grammar: each symbol of a level stands for any of m tuples of s symbols of the level below.

    `rules[l][symbol, choice]` is a tuple. `rules[0]`, of the labels, has shape (classes, synonyms, size); the rules
    below have (vocabulary, synonyms, size). No tuple of a level belongs to two symbols, so an input has one label.
    """

    rules: tuple[Tensor, ...]
    vocabulary: int

    @property
    def n_rules(self) -> int:
        """The number m n_c + (L − 1) m v of rules."""
        return sum(level.shape[0] * level.shape[1] for level in self.rules)

    @property
    def n_symbols(self) -> int:
        """The number s^L of symbols of an input."""
        return self.rules[0].shape[2] ** len(self.rules)

    @property
    def n_inputs(self) -> int:
        """The number of different inputs, n_c m^(1 + s + … + s^(L−1)): a label, and a choice at each node."""
        classes, synonyms, size = self.rules[0].shape
        return classes * synonyms ** sum(size**level for level in range(len(self.rules)))

    def sample(self, n: int, seed: int = 0) -> tuple[Tensor, Tensor]:
        """Draw n different inputs uniformly among all, and return them one-hot (n, s^L · v), with their labels."""
        return self._decode(self._sample_indices(n, seed))

    def split(
        self, train: int | float, test: int, seed: int = 0
    ) -> tuple[tuple[Tensor, Tensor], tuple[Tensor, Tensor]]:
        """Draw inputs and labels for training, and others for testing; `train` is a number, or a fraction between 0
        and 1."""
        if isinstance(train, float) and 0 < train < 1:
            share, train = train, round(train * self.n_inputs)
            if train > 10**7:
                raise ValueError(
                    f"{share} of {self.n_inputs} inputs are {train}, too many to draw: give train as a number"
                )
        train, test = check_int("train", train), check_int("test", test)
        indices = self._sample_indices(train + test, seed)
        return self._decode(indices[:train]), self._decode(indices[train:])

    def _sample_indices(self, n: int, seed: int) -> np.ndarray:
        if check_int("n", n) > self.n_inputs:
            raise ValueError(f"the hierarchy has {self.n_inputs} different inputs; found n = {n}")
        whole = np.int64 if self.n_inputs < 2**63 else object  # Python's integers are unbounded
        return np.array(
            _sample_without_replacement(random.Random(f"inputs {check_int('seed', seed, 0)}"), int(n), self.n_inputs),
            whole,
        )

    def _decode(self, numbers: np.ndarray) -> tuple[Tensor, Tensor]:
        """Return inputs and labels from their numbers, whose digits are the label and the choices at the nodes, from
        the top."""

        def digits(base: int, places: int) -> Tensor:
            nonlocal numbers
            columns = []
            for _ in range(places):
                numbers, digit = numbers // base, numbers % base
                columns.append(torch.from_numpy(digit.astype(np.int64)))
            return torch.stack(columns, 1)

        symbols = labels = digits(self.rules[0].shape[0], 1)
        for level in self.rules:
            symbols = level[symbols, digits(level.shape[1], symbols.shape[1])].flatten(1)
        return F.one_hot(symbols, self.vocabulary).flatten(1).float(), labels[:, 0]


def random_hierarchy_model(
    levels: int = 3, classes: int = 8, synonyms: int = 4, size: int = 2, vocabulary: int = 8, seed: int = 0
) -> RandomHierarchyModel:
    """Draw a `RandomHierarchyModel` whose rules at each level are distinct tuples among all vocabulary^size.

    The defaults are those of kunin2024, appendix D.

    >>> grammar = random_hierarchy_model()
    >>> grammar.n_rules, grammar.n_symbols, grammar.n_inputs
    (96, 8, 131072)
    >>> (x, labels), (x_test, labels_test) = grammar.split(train=1000, test=200)
    >>> x.shape, x_test.shape
    (torch.Size([1000, 64]), torch.Size([200, 64]))
    """
    levels, classes, synonyms = (
        check_int("levels", levels),
        check_int("classes", classes),
        check_int("synonyms", synonyms),
    )
    size, vocabulary = check_int("size", size), check_int("vocabulary", vocabulary)
    if max(classes, vocabulary if levels > 1 else 0) * synonyms > vocabulary**size:
        raise ValueError(
            f"{classes} classes and {vocabulary} symbols with {synonyms} synonyms each need up to "
            f"{max(classes, vocabulary) * synonyms} different tuples, but there are {vocabulary}^{size} = "
            f"{vocabulary**size}: take fewer classes or synonyms, or a larger vocabulary or size"
        )
    draw = partial(
        _sample_without_replacement, random.Random(f"rules {check_int('seed', seed, 0)}"), total=vocabulary**size
    )
    rules = []
    for symbols in (classes, *[vocabulary] * (levels - 1)):
        tuples = [[k // vocabulary**place % vocabulary for place in range(size)] for k in draw(n=symbols * synonyms)]
        rules.append(torch.tensor(tuples).reshape(symbols, synonyms, size))
    return RandomHierarchyModel(tuple(rules), vocabulary)


def _sample_without_replacement(generator: random.Random, n: int, total: int) -> list[int]:
    """Draw n different numbers below total, in random order; total may be far too large to list (Floyd's method)."""
    sample: dict[int, None] = {}
    for last in range(total - n, total):
        number = generator.randrange(last + 1)
        sample[last if number in sample else number] = None
    numbers = list(sample)
    generator.shuffle(numbers)
    return numbers
