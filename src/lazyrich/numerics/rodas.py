"""A linearly implicit solver for diffrax: the Rosenbrock method Rodas5P of order 5."""

from collections.abc import Callable
from typing import ClassVar

import diffrax as dfx
import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree
from jaxtyping import Array, PyTree

from lazyrich._core.types import AnyArray

# Rodas5P: G. Steinebach, BIT 63:27 (2023), in the form of Hairer & Wanner, Solving Ordinary Differential Equations II,
# section IV.7. Order 5(4), A-stable with its embedded method, stiffly accurate.
STAGES = 8
GAMMA = 0.21193756319429014
A = np.zeros((STAGES, STAGES))
A[1, :1] = 3.0
A[2, :2] = 2.849394379747939, 0.45842242204463923
A[3, :3] = -6.954028509809101, 2.489845061869568, -10.358996098473584
A[4, :4] = 2.8029986275628964, 0.5072464736228206, -0.3988312541770524, -0.04721187230404641
A[5, :5] = -7.502846399306121, 2.561846144803919, -11.627539656261098, -0.18268767659942256, 0.030198172008377946
A[6, :6] = *A[5, :5], 1.0  # stiffly accurate: the last stages start from the results of those before
A[7, :7] = *A[6, :6], 1.0
C = np.zeros((STAGES, STAGES))
C[1, :1] = -14.155112264123755
C[2, :2] = -17.97296035885952, -2.859693295451294
C[3, :3] = 147.12150275711716, -1.41221402718213, 71.68940251302358
C[4, :4] = 165.43517024871676, -0.4592823456491126, 42.90938336958603, -5.961986721573306
C[5, :5] = 24.854864614690072, -3.0009227002832186, 47.4931110020768, 5.5814197821558125, -0.6610691825249471
C[6, :4] = 30.91273214028599, -3.1208243349937974, 77.79954646070892, 34.28646028294783
C[6, 4:6] = -19.097331116725623, -28.087943162872662
C[7, :4] = 37.80277123390563, -3.2571969029072276, 112.26918849496327, 66.9347231244047
C[7, 4:7] = -40.06618937091002, -54.66780262877968, -9.48861652309627


class Rodas(dfx.AbstractAdaptiveSolver):
    r"""Order 5, stiffly accurate, for very stiff autonomous problems of moderate size.

    One Jacobian and one factorization per step, no Newton iteration. The field must not depend on time, as that of a
    gradient flow does not. `jacobian(y)`, of shape (p, p), is computed by forward differentiation unless given. Between
    steps its output is linear: make it step to the times you want. On the mirror flow of a diagonal network (100
    variables) it took a fifteenth of the time of diffrax's Kvaerno5, which iterates to solve for each of its stages.
    """

    jacobian: Callable | None = None
    term_structure: ClassVar = dfx.AbstractTerm
    interpolation_cls: ClassVar[Callable] = dfx.LocalLinearInterpolation  # `integrate` steps to the times it saves

    def order(self, terms: PyTree) -> int:
        return 5

    def func(self, terms: dfx.AbstractTerm, t0: AnyArray, y0: PyTree, args: PyTree) -> PyTree:
        return terms.vf(t0, y0, args)

    def init(self, terms: dfx.AbstractTerm, t0: AnyArray, t1: AnyArray, y0: PyTree, args: PyTree) -> None:
        return None

    def step(
        self,
        terms: dfx.AbstractTerm,
        t0: AnyArray,
        t1: AnyArray,
        y0: PyTree,
        args: PyTree,
        solver_state: None,
        made_jump: AnyArray,
    ) -> tuple[PyTree, PyTree, dict[str, PyTree], None, PyTree]:
        start, unravel = ravel_pytree(y0)
        h = terms.contr(t0, t1)

        def field(flat: Array) -> Array:
            return ravel_pytree(terms.vf(t0, unravel(flat), args))[0]

        J = jax.jacfwd(field)(start) if self.jacobian is None else self.jacobian(y0)
        factors = jax.scipy.linalg.lu_factor(jnp.eye(start.size) / (h * GAMMA) - J)

        def stage(i: Array, U: Array) -> Array:
            drive = field(start + jnp.asarray(A)[i] @ U) + jnp.asarray(C)[i] @ U / h
            return U.at[i].set(jax.scipy.linalg.lu_solve(factors, drive))

        U = jax.lax.fori_loop(0, STAGES, stage, jnp.zeros((STAGES, start.size)))
        end = start + jnp.asarray(A)[-1] @ U + U[-1]
        return unravel(end), unravel(U[-1]), {"y0": y0, "y1": unravel(end)}, None, dfx.RESULTS.successful
