"""The largest curvature of a loss, beside the edge of stability of its optimizer."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Sharpness:
    r"""The largest curvature of a loss, `value`, and the `edge` below which steps are stable, if an optimizer was read.

    With an optimizer the curvature is that of its own step sizes, $\lambda_{\max}(\sqrt P\,\nabla^2L\,\sqrt P)$
    with P the learning rate, or lr/(√v̂ + ε) entry by entry for Adam. Its edge is then 2 for gradient descent, 2(1 + m)
    for heavy ball, 2(1 + m)/(1 + 2m) for Nesterov and 2(1 + b1)/(1 − b1) for Adam. `ratio` is value/edge.

    >>> print(Sharpness(1.9, 2.0))
    lr · λ = 1.9, 95 % of the edge of stability (2)
    """

    value: float
    edge: float | None = None

    @property
    def ratio(self) -> float | None:
        """The value relative to the edge of stability; None if no optimizer was read."""
        return None if self.edge is None else self.value / self.edge

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        if self.ratio is None:
            return f"λ = {self.value:.3g}"
        return f"lr · λ = {self.value:.3g}, {100 * self.ratio:.3g} % of the edge of stability ({self.edge:.3g})"
