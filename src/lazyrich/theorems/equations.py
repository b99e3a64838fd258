"""The differential equations that several theorems solve."""

from lazyrich.theorems.theorem import Equation

RICCATI = Equation("matrix Riccati", r"$\dot Z = Z\Lambda - (ZP_cZ^{\!\top})Z$")
MODE = Equation("mode", r"$\dot\beta = \sqrt{\kappa^2 + 4\beta^2}\,(s - \beta)$")
DEEP_MODE = Equation("deep mode", r"$\dot a = L|a|^{2-2/L}(s - a)$")
LINEAR = Equation("linear", r"$\dot f = -K(f - y)$")
DECAYED_MODE = Equation(
    "mode with decay", r"$\dot\beta = \sqrt{\kappa^2e^{-4\lambda t} + 4\beta^2}\,(s - \beta) - 2\lambda\beta$"
)
DECAYED_RICCATI = Equation("matrix Riccati with decay", r"$\dot G = MG + GM - G^2 - 2\lambda G$")
DECAYED_LINEAR = Equation("linear with decay", r"$\dot w = A^{\!\top}(r - Aw) - \kappa w$")
