"""The common part of the steppers of an `OdeSystem` on concrete arrays."""

import numpy as np
from jaxtyping import PyTree

from lazyrich.flow import GradientFlow
from lazyrich.networks import Network
from lazyrich.numerics.driver import Stepper
from lazyrich.numerics.ode_system import OdeSystem
from lazyrich.numerics.stopping import StoppingCondition
from lazyrich.numerics.tolerances import Tolerances, uncertainty_warning
from lazyrich.rounding import rounding_warning
from lazyrich.trajectory import Provenance


class SystemStepper(Stepper):
    """A system, its tolerances, the time and state reached, and the solvers used."""

    def __init__(
        self,
        flow: GradientFlow,
        equation: OdeSystem,
        end: float,
        until: StoppingCondition | None,
        tolerances: Tolerances,
        rtol: float,
        sensitivity: float,
        solver: str,
    ):
        self.flow, self.equation, self.end, self.until = flow, equation, end, until
        self.used = [solver]
        self.tolerances, self.rtol, self.sensitivity = tolerances, rtol, sensitivity
        self.t, self.y = 0.0, equation.initial_state()

    def initial_state(self) -> PyTree:
        return self.equation.initial_state()

    def networks(self, states: PyTree) -> Network:
        return self.equation.networks(self.flow, states)

    @property
    def output_uncertainty(self) -> float:
        """The uncertainty of the outputs due to the tolerance, relative to the residual."""
        return self.equation.output_uncertainty(float(self.tolerances.atol), self.sensitivity)

    def provenance(self, times: np.ndarray) -> Provenance:
        detail = f"rtol {self.rtol:g}, {self.steps} steps{self.equation.description}"
        detail += uncertainty_warning(self.output_uncertainty)
        if words := rounding_warning(self.flow, times):
            detail += f"; {words}"
        return Provenance("integrated", ", then ".join(self.used), detail)

    def _loss(self) -> float:
        return float(self.flow.loss(self.equation.network(self.y)))

    def status(self) -> str:
        return f"t = {self.t:.4g} of {self.end:g}, loss {self._loss():.3g}, {self.steps} steps ({self.used[-1]})"

    def out_of_steps_message(self, t: float, end: float) -> str:
        return (
            f"ran out of {self.steps} steps at t = {t:.6g} of {end:g} (solver {self.used[-1]}, loss "
            f"{self._loss():.3g}). Raise max_steps, loosen rtol, ask for less time, or stop early with "
            "until=LossBelow(...)"
        )
