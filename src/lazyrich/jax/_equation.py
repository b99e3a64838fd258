"""What is read of an operation of a JAX program."""

from collections.abc import Sequence
from typing import Any, Protocol

from jax.extend import core

Atom = core.Var | core.Literal


class Equation(Protocol):
    """`jax.extend.core.JaxprEqn`, whose stub file does not say that its variables have a shape and a dtype."""

    @property
    def primitive(self) -> core.Primitive: ...

    @property
    def params(self) -> dict[str, Any]: ...

    @property
    def invars(self) -> Sequence[Any]: ...

    @property
    def outvars(self) -> Sequence[Any]: ...

    @property
    def ctx(self) -> Any: ...

    def replace(self, *, params: dict[str, Any]) -> "Equation": ...
