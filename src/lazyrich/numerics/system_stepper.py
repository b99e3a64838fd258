"""What is common to the ways of stepping through a `OdeSystem` on known numbers."""

import numpy as np
from jaxtyping import PyTree

from lazyrich._core.stacked_map import vmap_over_stack
from lazyrich._core.types import AnyArray
from lazyrich.flow import GradientFlow
from lazyrich.networks import Network
from lazyrich.numerics.driver import Stepper
from lazyrich.numerics.ode_system import OdeSystem
from lazyrich.numerics.stopping import StoppingCondition
from lazyrich.rounding import rounding_warning
from lazyrich.trajectory import Provenance

MAX_OUTPUT_UNCERTAINTY = 1e-6  # outputs known less well than this are worth a word


class SystemStepper(Stepper):
    """A system, its tolerances, how far it has come and with which solvers."""

    def __init__(
        self,
        flow: GradientFlow,
        equation: OdeSystem,
        end: float,
        until: StoppingCondition | None,
        tolerance: tuple[AnyArray, ...],
        rtol: float,
        blur: float,
        solver: str,
    ):
        self.flow, self.equation, self.end, self.until = flow, equation, end, until
        self.used = [solver]
        self.tolerance, self.rtol, self.blur = tolerance, rtol, blur
        self.t, self.y = 0.0, equation.start()

    def start(self) -> PyTree:
        return self.equation.start()

    def nets(self, states: PyTree) -> Network:
        return vmap_over_stack(self.equation.net, states)

    @property
    def blurred(self) -> float:
        """How uncertain the tolerance leaves the outputs, of what they have to go."""
        return self.equation.uncertainty(float(self.tolerance[1]), self.blur)

    def by(self, times: np.ndarray) -> Provenance:
        detail = f"rtol {self.rtol:g}, {self.steps} steps{self.equation.words}"
        if not (uncertain := self.blurred) <= MAX_OUTPUT_UNCERTAINTY:  # or not known at all
            detail += (
                f"; rounding at this scale leaves the outputs uncertain by {uncertain:.0e} of what they have to go"
            )
        if words := rounding_warning(self.flow, times):
            detail += f"; {words}"
        return Provenance("integrated", ", then ".join(self.used), detail)

    def _loss(self) -> float:
        return float(self.flow.loss(self.equation.net(self.y)))

    def status(self) -> str:
        return f"t = {self.t:.4g} of {self.end:g}, loss {self._loss():.3g}, {self.steps} steps ({self.used[-1]})"

    def exhausted(self, t: float, end: float) -> str:
        return (
            f"ran out of {self.steps} steps at t = {t:.6g} of {end:g} (solver {self.used[-1]}, loss "
            f"{self._loss():.3g}). Raise max_steps, loosen rtol, ask for less time, or stop early with "
            "until=LossBelow(...)"
        )
