"""Arithmetic modulo p as tokens: the task on which grokking was observed (Power et al., arXiv:2201.02177)."""

import torch
from torch import Tensor

from lazyrich._validate.integers import check_int

OPERATIONS = ("addition", "subtraction", "multiplication", "division")


def modular_arithmetic(
    p: int = 97, operation: str = "division", share: float = 0.5, seed: int = 0
) -> tuple[tuple[Tensor, Tensor], tuple[Tensor, Tensor]]:
    """Return tokens (n, 4) and answers (n,) for training, and the others for testing: all pairs x, y, split at random.

    The tokens are x, ∘, y, = with ∘ written as p + 1 and = as p; the answer is x ∘ y mod p. x / y is x times the
    inverse of y, so p must be prime. y runs over 1, …, p − 1 in products and quotients, over 0, …, p − 1 otherwise.

    >>> (tokens, answers), (others, _) = modular_arithmetic(5, "division")
    >>> len(tokens), len(others)
    (10, 10)
    >>> tokens[1].tolist(), answers[1].item()  # 1 / 2 = 3, for 2 · 3 = 1
    ([1, 6, 2, 5], 3)
    """
    p = check_int("p", p, 2)
    if operation not in OPERATIONS:
        raise ValueError(f"operation must be one of {', '.join(OPERATIONS)}; found {operation!r:.60}")
    if operation == "division" and (factor := next((k for k in range(2, int(p**0.5) + 1) if p % k == 0), None)):
        raise ValueError(f"division needs a prime p; found {p} = {factor} · {p // factor}: take another p or operation")
    first = 1 if operation in ("multiplication", "division") else 0
    x, y = torch.cartesian_prod(torch.arange(p), torch.arange(first, p)).T
    n = round(share * len(x)) if 0 < share < 1 else 0
    if not 0 < n < len(x):
        raise ValueError(f"share must leave at least one of the {len(x)} pairs on each side; found {share!r:.60}")
    answers = {
        "addition": lambda: x + y,
        "subtraction": lambda: x - y,
        "multiplication": lambda: x * y,
        "division": lambda: x * torch.tensor([0, *(pow(k, -1, p) for k in range(1, p))])[y],
    }[operation]() % p
    tokens = torch.stack([x, torch.full_like(x, p + 1), y, torch.full_like(x, p)], 1)
    order = torch.randperm(len(x), generator=torch.Generator().manual_seed(check_int("seed", seed, 0)))
    train, test = order[:n], order[n:]
    return (tokens[train], answers[train]), (tokens[test], answers[test])
