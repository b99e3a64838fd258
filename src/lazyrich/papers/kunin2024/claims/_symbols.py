"""A neuron in symbols, from which the proofs of its claims start. SymPy is imported only when a proof runs."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Neuron:
    """a, w, the Gram matrix XᵀX, the pull Xᵀy, and the rates (η_w, η_a), all symbols."""

    a: Any
    w: Any
    gram: Any
    pull: Any
    rates: tuple[Any, Any]

    @property
    def delta(self) -> Any:
        return self.rates[0] * self.a**2 - self.rates[1] * self.w.dot(self.w)

    @property
    def length(self) -> Any:
        """‖w‖."""
        return _root(self.w.dot(self.w))

    @property
    def B(self) -> Any:
        """‖β*‖ on whitened inputs."""
        return _root(self.pull.dot(self.pull))

    @property
    def along(self) -> Any:
        """w·β* on whitened inputs."""
        return self.w.dot(self.pull)

    @property
    def names(self) -> dict[str, Any]:
        """The values of the names in formulas, on inputs with XᵀX = `gram`."""
        from sympy import eye, sqrt

        (eta_w, eta_a), beta = self.rates, self.a * self.w
        size = self.length * (self.a if self.a.is_positive else -self.a)
        kappa = tidy(sqrt(self.delta**2 + 4 * eta_a * eta_w * beta.dot(beta)))
        return {
            "a": self.a, "w": self.w, "‖w‖": self.length, "η_w": eta_w, "η_a": eta_a, "δ": self.delta, "κ": kappa,
            "μ": self.a * self.length, "φ": self.along / (self.length * self.B), "β": beta, "‖β‖": size,
            "β*": self.pull, "‖β*‖": self.B, "XᵀX": self.gram, "Xᵀy": self.pull, "I": eye(len(self.w)),
        }  # fmt: skip

    @property
    def field(self) -> tuple[Any, Any]:
        """The velocities of a and w, from the loss ½‖Xβ‖² − β·Xᵀy."""
        from sympy import Matrix

        product = self.a * self.w
        loss = (product.T * self.gram * product)[0] / 2 - product.dot(self.pull)
        return -self.rates[1] * loss.diff(self.a), -self.rates[0] * Matrix([loss.diff(each) for each in self.w])

    def rate(self, quantity: Any) -> Any:
        """Return the derivative of a quantity along the flow."""
        outer, inner = self.field
        computed = quantity.diff(self.a) * outer
        for symbol, velocity in zip(self.w, inner, strict=True):
            computed += quantity.diff(symbol) * velocity
        return computed


def neuron(d: int = 2, whitened: bool = True, unit: bool = False, sign: int = 1) -> Neuron:
    """Return a neuron with d inputs whose numbers are all symbols; a has the given sign."""
    from sympy import Matrix, eye, symbols

    a, eta_w, eta_a = symbols("a eta_w eta_a", positive=True)
    half = Matrix(d, d, lambda i, j: symbols(f"g{min(i, j)}{max(i, j)}", real=True))
    rates = (half[0] ** 0, half[0] ** 0) if unit else (eta_w, eta_a)
    if sign < 0:
        a = symbols("a", negative=True)
    w, pull = (Matrix(symbols(f"{name}:{d}", real=True)) for name in "wb")
    return Neuron(a, w, eye(d) if whitened else half, pull, rates)


def tidy(expression: Any) -> Any:
    """Simplify roots of perfect squares, from the inside out."""
    from sympy import Matrix, MatrixBase, expand, factor

    if isinstance(expression, MatrixBase):
        return Matrix(expression.applyfunc(tidy))
    return expression.replace(
        lambda e: e.is_Pow and e.exp.is_Rational and e.exp.q == 2, lambda e: factor(expand(e.base)) ** e.exp
    )


def at_neuron(expression: Any, delta: Any, beta: Any, net: Neuron) -> Any:
    """Evaluate an expression in β and δ at β = a w and the δ of a neuron with unit rates, where the roots are
    rational."""
    values = {delta: net.delta, **{symbol: net.a * each for symbol, each in zip(beta, net.w, strict=True)}}
    return tidy(expression.subs(values))


def riccati(x0: Any, constant: Any, square: Any, delta: Any, R: Any, time: Any) -> Any:
    """Return the source's solution of x' = constant − δx − square·x², with R² = δ²/4 + constant·square."""
    from sympy import exp

    ch, sh = (exp(R * time) + exp(-R * time)) / 2, (exp(R * time) - exp(-R * time)) / 2
    top = 2 * R * x0 * ch + (2 * constant - delta * x0) * sh
    return top / (2 * R * ch + (2 * square * x0 + delta) * sh)


def _root(square: Any) -> Any:
    from sympy import sqrt

    return sqrt(square)
