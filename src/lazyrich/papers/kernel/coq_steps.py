"""Write the steps that lead from a lemma to Coq's `field`: each root, exponential, power and cosine becomes a variable.

The relations that these variables obey are proved on the way from lemmas of Coq's library (see `tactics.v`). Nothing
here needs trust: if a step is wrong, the kernel refuses the lemma.
"""

from collections.abc import Iterator, Mapping
from functools import reduce
from itertools import combinations
from typing import Any

from lazyrich.papers.kernel.coq_terms import NotExportable, Writer, domain, is_symbolic_power, nodes

HYPERBOLIC = ("cosh", "sinh", "tanh")


def steps_to_field(writer: Writer, left: Any, right: Any) -> list[str]:
    """Return the lines of the proof that two expressions are equal, where `writer` has named their symbols."""
    return [*_Steps(writer).lines(list(dict.fromkeys(e for side in (left, right) for e in nodes(side))))]


class _Steps:
    def __init__(self, writer: Writer) -> None:
        self.write = Writer(dict(writer.names))
        self.rules: list[str] = []
        self.roots: dict[Any, str] = {}

    def lines(self, found: list[Any]) -> Iterator[str]:
        import sympy

        yield "intros."
        for relation, e in domain(*found):
            yield from self.without_fractions(relation, e)
        for kind in HYPERBOLIC:
            if any(type(e).__name__ == kind for e in found):
                yield f"rewrite ?{kind}_by_exp in *."
        roots = dict.fromkeys(e.base for e in found if e.is_Pow and e.exp.is_Rational and e.exp.q == 2)
        early = [u for u in roots if not u.has(sympy.exp)]
        for u in early:
            yield from self.root(u)
        yield from self.exponentials(found)
        for u in roots:
            if u not in early:
                yield from self.root(u)
        for angle in dict.fromkeys(e.args[0] for e in found if isinstance(e, sympy.sin | sympy.cos)):
            yield from self.angle(angle)
        rules = f" [{' '.join(self.rules)}]" if self.rules else ""
        yield f"field{rules}; nonzero."

    def without_fractions(self, relation: str, e: Any) -> Iterator[str]:
        """Yield the step from a condition on a fraction to that on its numerator."""
        import sympy

        above, below = sympy.fraction(sympy.together(e))
        if below != 1 and e.is_rational_function():
            inside, how = self.write(above), "nonzero" if relation == "<>" else "positive"
            stated = f"{inside} <> 0" if relation == "<>" else f"0 < {inside}"
            product = f"({self.write(e)}) * {self.write.within(below)}"
            yield f"try (assert ({stated}) by (replace ({inside}) with ({product}) by (field; nonzero); {how}))."

    def replace(self, e: Any, stem: str, text: str) -> str:
        """Return the line that makes a term, the text of an expression, a new variable."""
        taken = set(self.write.names.values())
        name = next(f"{stem}{n}" for n in range(1, len(taken) + 2) if f"{stem}{n}" not in taken)
        self.write.names[e] = name
        return f"set ({name} := {text}) in *; clearbody {name}."

    def rule(self) -> str:
        self.rules.append(f"rule{len(self.rules) + 1}")
        return self.rules[-1]

    def root(self, u: Any) -> Iterator[str]:
        import sympy

        above, below = sympy.fraction(sympy.together(u))
        if below != 1 and u.is_rational_function() and not self.related(u):
            yield from self.root(sympy.expand(above * below))
        inside, related = self.write(u), self.related(u)
        if related:
            proof = f"apply sqrt_is; [nonnegative | field [{' '.join(self.rules)}]; nonzero]"
            yield f"assert (E : sqrt ({inside}) = {related}) by ({proof})."
            yield "rewrite ?E in *; clear E."
            self.write.names[sympy.sqrt(u)] = f"({related})"
            return
        rule = self.rule()
        yield f"assert ({rule} : sqrt ({inside}) ^ 2 = {inside}) by (apply pow2_sqrt; nonnegative)."
        yield f"pose proof (sqrt_pos ({inside}))."
        yield f"try (assert (0 < sqrt ({inside})) by positive)."
        yield self.replace(sympy.sqrt(u), "root", f"sqrt ({inside})")
        self.roots[u] = self.write.names[sympy.sqrt(u)]

    def related(self, u: Any) -> str:
        """Return a root as a multiple of one or two earlier ones, if it is: √(4x) is 2√x."""
        import sympy

        for count in (1, 2):
            for known in combinations(self.roots, count):
                factor = sympy.sqrt(sympy.factor(u / sympy.prod(known)))
                if factor.is_rational_function():
                    return " * ".join([f"({self.write(factor)})", *(self.roots[each] for each in known)])
        return ""

    def exponentials(self, found: list[Any]) -> Iterator[str]:
        """Yield the steps for exponentials and powers: each is a product of integer powers of a few."""
        import sympy

        arguments = {
            self.write(e.args[0]): e.args[0]
            for e in found
            if isinstance(e, sympy.exp) or type(e).__name__ in HYPERBOLIC
        }
        powers = [e for e in found if is_symbolic_power(e)]
        if powers:
            yield "unfold Rpower in *."
            yield "rewrite ?ln_mult in * by positive."
            logs = {a: sympy.Symbol(f"log_{a}", real=True) for e in powers for a in _symbols_of(e.base)}
            for a, log in logs.items():
                name, text = self.write(a), self.write.names.setdefault(log, f"log_{self.write(a)}")
                yield f"pose proof (exp_ln {name} ltac:(positive)); set ({text} := ln {name}) in *; clearbody {text}."
                yield f"subst {name}."
                arguments[text] = log
            for e in powers:
                of_base = [logs[a] for a in _symbols_of(e.base)]
                inside = f"{self.write.within(e.exp)} * ({' + '.join(map(self.write, of_base))})"
                arguments[inside] = e.exp * sympy.Add(*of_base)
        yield from self.products(arguments)

    def products(self, arguments: Mapping[str, Any]) -> Iterator[str]:
        import sympy

        opaque = {log: sympy.Dummy() for u in arguments.values() for log in u.atoms(sympy.log)}
        back = {dummy: log for log, dummy in opaque.items()}
        parts: dict[str, dict[Any, Any]] = {}
        for text, u in arguments.items():
            if u.has(sympy.exp):
                raise NotExportable(f"an exponential of an exponential: {u}")
            parts[text] = dict(sympy.expand(u.subs(opaque)).as_coefficients_dict())
        monomials = list(dict.fromkeys(m for each in parts.values() for m in each))
        units = {m: abs(reduce(sympy.gcd, [each[m] for each in parts.values() if m in each])) for m in monomials}
        base = {m: self.write((units[m] * m).subs(back)) for m in monomials}
        for text, each in parts.items():
            powers = [(base[m], int(c / units[m])) for m, c in each.items()]
            product = " * ".join(f"exp ({e}) ^ {n}" if n > 0 else f"/ exp ({e}) ^ {-n}" for e, n in powers)
            if [n for _, n in powers] != [1] or powers[0][0] != text:
                yield (
                    f"assert (E : exp ({text}) = {product}) by (rewrite !exp_nat, <- ?exp_Ropp, <- ?exp_plus; "
                    "f_equal; simpl INR; field; nonzero)."
                )
                yield "rewrite ?E in *; clear E."
        for m in monomials:
            if m in back and units[m] == 1:
                yield f"rewrite (exp_ln {self.write.within(back[m].args[0])}) in * by positive."
                continue
            yield f"pose proof (exp_pos ({base[m]}))."
            yield self.replace(sympy.Dummy(), "power", f"exp ({base[m]})")
        names = list(self.write.names.values())[-len(monomials) :]
        named = dict(zip(monomials, names, strict=False))
        for text, each in parts.items():
            powers = [(named[m], int(c / units[m])) for m, c in each.items()]
            plain = [n for _, n in powers] == [1]
            product = " * ".join(f"{e} ^ {n}" if n > 0 else f"/ {e} ^ {-n}" for e, n in powers)
            self.write.names[sympy.exp(arguments[text])] = powers[0][0] if plain else f"({product})"

    def angle(self, angle: Any) -> Iterator[str]:
        import sympy

        inside = self.write(angle)
        yield (
            f"assert ({self.rule()} : cos ({inside}) ^ 2 = 1 - sin ({inside}) ^ 2) by "
            f"(pose proof (sin2_cos2 ({inside})); unfold Rsqr in *; nra)."
        )
        yield self.replace(sympy.cos(angle), "power", f"cos ({inside})")
        yield self.replace(sympy.sin(angle), "power", f"sin ({inside})")


def _symbols_of(base: Any) -> list[Any]:
    """Return the symbols whose product is the base of a power."""
    factors = list(base.args) if base.is_Mul else [base]
    if not all(factor.is_Symbol for factor in factors):
        raise NotExportable(f"a symbolic power of {base}, which is no product of symbols")
    return factors
