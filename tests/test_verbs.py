import jax
import numpy as np
import pytest

import lazyrich as lr

PROBLEM = lr.Problem(np.eye(2), [0.0, 1.0])
FLOW = lr.GradientFlow(lr.inits.neuron([-0.5, 0.0], delta=-4.0), PROBLEM)
NEARLY = lr.GradientFlow(FLOW.net, lr.Problem(np.diag([1.0, 1.001]), [0.0, 1.0]))
RELU = lr.GradientFlow(lr.TwoLayer([[1.0, 0.0]], [1.0]), PROBLEM)


def test_explain_prints_a_table():
    text = str(lr.explain(FLOW))
    assert "single neuron (kunin2024, section 3" in text
    assert "Theorems about other networks: deep aligned modes, diagonal coordinates" in text
    row = next(line for line in text.splitlines() if line.startswith("whitened inputs"))
    assert row.split() == ["whitened", "inputs", "0", "0", "0"]
    lines = text.splitlines()
    assert lines[2].split() == ["defect", "used"]
    assert lines[2].index("used") + 4 == lines[1].index("neuron") + 6  # the mark stands under the theorem
    html = lr.explain(FLOW)._repr_html_()
    assert "<table>" in html
    assert html.count("background") == 1 + len(lr.TRAJECTORY_THEOREMS[0].hypotheses) + sum(
        1 for h in ("decoupled modes", "isotropic imbalance") if h in text
    )


def test_explain_without_a_theorem():
    explanation = lr.explain(NEARLY)
    assert not explanation
    assert "solve() would integrate it" in str(explanation)
    assert "2e-03" in str(explanation)
    assert "No theorem" in str(lr.explain(RELU))


def test_nearly_is_not_held():
    with pytest.raises(lr.NoTheoremApplies, match=r"single neuron: whitened inputs \(off by 2e-03\)") as refusal:
        lr.exact(NEARLY, [1.0])
    assert refusal.value.defects["single neuron"]["whitened inputs"] == pytest.approx(2e-3, rel=0.01)
    traj = lr.solve(NEARLY, [0.0, 1.0])
    assert traj.by.kind == "integrated"


def test_solve_uses_the_theorem_and_says_so():
    traj = lr.solve(FLOW, [0.0, 1.0])
    assert traj.by.kind == "exact"
    assert traj.by.sources == ("kunin2024",)
    assert "kunin2024" in str(traj)
    stopped = lr.solve(FLOW, [1e3], until=lr.LossBelow(1e-8))
    assert stopped.by.kind == "integrated"  # a stopping rule is the integrator's


def test_options_standalone_counterexamplee_are_refused():
    with pytest.raises(ValueError, match="the option rtol has no effect: the theorem 'single neuron' applies"):
        lr.solve(FLOW, [1.0], rtol=1e-6)
    assert lr.solve(NEARLY, [1.0], rtol=1e-6).by.kind == "integrated"
    with pytest.raises(
        ValueError, match="hidden_rotation=False leaves out the rotation of the hidden units; the theorem 'single"
    ):
        lr.exact(FLOW, [1.0], hidden_rotation=False)


def test_solve_measures_hypotheses_once(monkeypatch):
    asked = []
    measure = lr.Theorem.measure
    monkeypatch.setattr(lr.Theorem, "measure", lambda self, flow: asked.append(self) or measure(self, flow))
    lr.solve(FLOW, [1.0])
    assert asked == [lr.TRAJECTORY_THEOREMS[0]], "no more than it takes"
    asked.clear()
    lr.solve(RELU, [1.0])
    assert asked == [theorem for theorem in lr.TRAJECTORY_THEOREMS if not theorem.covers_decay]


def test_errors_say_what_to_do():
    with pytest.raises(ValueError, match="no theorem is called 'saxe'; there are single neuron"):
        lr.exact(FLOW, [1.0], theorem="saxe")
    with pytest.raises(TypeError, match="exact takes a GradientFlow; found DeepLinear"):
        lr.exact(FLOW.net, [1.0])
    with pytest.raises(TypeError, match="explain takes a GradientFlow"):
        lr.explain(PROBLEM)
    with pytest.raises(lr.NoTheoremApplies, match="Hypotheses that fail:\n  single neuron: two linear layers"):
        lr.exact(RELU, [1.0])
    with pytest.raises(ValueError, match="times must be sorted"):
        lr.exact(FLOW, [1.0, 0.5])
    with pytest.raises(ValueError, match="not known inside jit or vmap"):
        jax.vmap(lambda x: lr.solve(lr.GradientFlow(FLOW.net, lr.Problem(x * np.eye(2), [1.0, 2.0])), [1.0]).beta)(
            np.ones(2)
        )


def test_solve_inside_vmap_where_every_hypothesis_is_known():
    nets = jax.vmap(lambda d: lr.inits.neuron([0.1, 0.2], d))(np.array([-1.0, 1.0]))
    found = jax.vmap(lambda net: lr.solve(lr.GradientFlow(net, PROBLEM), [1.0]).beta)(nets)
    one = lr.exact(lr.GradientFlow(lr.inits.neuron([0.1, 0.2], 1.0), PROBLEM), [1.0]).beta
    np.testing.assert_allclose(found[1], one, rtol=1e-14)


def test_cite():
    traj = lr.exact(FLOW, [1.0])
    assert lr.cite(traj).startswith("@inproceedings{kunin2024,")
    assert lr.cite(lr.integrate(FLOW, [1.0])) == ""
    assert all(lr.references.bibtex(key) for theorem in lr.TRAJECTORY_THEOREMS for key in theorem.sources)
    with pytest.raises(TypeError, match="cite takes a trajectory"):
        lr.cite(3)


def test_exact_trajectories_save_and_load(tmp_path):
    traj = lr.exact(FLOW, [0.0, 1.0])
    traj.save(tmp_path / "traj.npz")
    loaded = lr.Trajectory.load(tmp_path / "traj.npz")
    assert loaded.by == traj.by
    assert np.array_equal(loaded.beta, traj.beta)
    factored = lr.GradientFlow(lr.Factorization(np.eye(2)), lr.Problem(np.eye(4)[[0, 3]], [1.0, 2.0]))
    lr.exact(factored, [1.0]).save(tmp_path / "f.npz")
    assert isinstance(lr.Trajectory.load(tmp_path / "f.npz").end, lr.Factorization)


def test_exact_trajectories_draw():
    assert lr.exact(FLOW, np.linspace(0, 5, 20)).plot().axes
