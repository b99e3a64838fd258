"""A model is a function of one input: batches that mix their samples are refused, and so are states, by name."""

import pytest
import torch
from torch import nn

import lazyrich.torch as lt
from lazyrich.torch._model.preserve_model import check_outputs


class Experts(nn.Module):
    """Samples are routed to experts that take a limited number of them; the others pass by."""

    def __init__(self, zero=False):
        super().__init__()
        self.gate, self.head = nn.Linear(6, 4), nn.Linear(6, 2)
        self.experts = nn.ModuleList(nn.Linear(6, 6) for _ in range(4))
        if zero:
            nn.init.zeros_(self.head.weight)

    def forward(self, x):
        capacity = max(1, len(x) // 5)  # less than a fourth: some are always too many
        weights, out = self.gate(x).softmax(-1), x.clone()
        for i, expert in enumerate(self.experts):
            rows = torch.nonzero(weights.argmax(-1) == i)[:capacity, 0]
            out = out.index_add(0, rows, weights[rows, i, None] * torch.relu(expert(x[rows])))
        return self.head(out)


class Largest(nn.Module):
    """Divided by the largest entry of the batch."""

    def __init__(self, gain=1.0, paired=False):
        super().__init__()
        self.first, self.last, self.gain = nn.Linear(6, 8), nn.Linear(8, 2), nn.Parameter(torch.tensor([gain]))
        if paired:
            with torch.no_grad():
                self.first.weight[4:], self.first.bias[4:] = self.first.weight[:4], self.first.bias[:4]
                self.last.weight[:, 4:] = -self.last.weight[:, :4]
                self.last.bias.zero_()

    def forward(self, x):
        h = torch.relu(self.first(x)) + 0.1
        return self.last(h / h.abs().amax()) * self.gain


MIXING = {
    "experts": Experts, "experts, readout 0": lambda: Experts(zero=True), "largest": Largest,
    "largest, gain 0": lambda: Largest(0.0), "largest, gain 1e-6": lambda: Largest(1e-6),
    "largest, paired units": lambda: Largest(paired=True),
}  # fmt: skip


@pytest.mark.parametrize(("n", "dtype"), [(20, torch.float32), (70, torch.float32), (20, torch.bfloat16)])
@pytest.mark.parametrize("name", MIXING)
def test_batches_that_mix_are_refused(name, n, dtype):
    for seed in range(10):
        torch.manual_seed(seed)
        model, x = MIXING[name]().to(dtype), torch.randn(n, 6, dtype=dtype)
        with pytest.raises(ValueError, match=r"the output of a sample depends on the other samples: alone and in a"):
            lt.tangent_kernel(model, x)


class Weakly(nn.Module):
    """A little of the batch's mean: less than single precision might lose, more than it does."""

    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Linear(6, 8), nn.Linear(8, 2)

    def forward(self, x):
        h = torch.relu(self.first(x))
        return self.last(h + 2e-4 * torch.sin(50 * h.mean(0)))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float64])
def test_weak_dependence_is_told_from_rounding(dtype):
    for seed in range(5):
        torch.manual_seed(seed)
        with pytest.raises(ValueError, match=r"the output of a sample depends on the other samples: alone and in a"):
            lt.tangent_kernel(Weakly().to(dtype), torch.randn(20, 6, dtype=dtype))


def test_what_hides_is_no_reason_to_refuse():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 8), nn.LayerNorm(8), nn.ReLU(), nn.Linear(8, 2)).bfloat16()
    nn.init.zeros_(model[3].weight)
    assert check_outputs(model, torch.randn(300, 6, dtype=torch.bfloat16)).shape == (300, 2)


class Counting(nn.Module):
    """Keeps something from pass to pass, in one way or another."""

    def __init__(self, how):
        super().__init__()
        self.layer, self.how, self.calls, self.log = nn.Linear(6, 2), how, 0, []
        self.register_buffer("memory", torch.zeros(()))

    def forward(self, x):
        self.calls += self.how == "calls"
        self.log += [1] if self.how == "log" else []
        if self.how == "memory":
            self.memory += 1
        drawn = torch.rand(()) if self.how == "drawn" else 0
        return self.layer(x) * (1 + self.calls + len(self.log) + self.memory + drawn)


@pytest.mark.parametrize("how", ["calls", "log", "memory", "drawn"])
def test_states_are_not_blamed_on_random_numbers(how):
    words = "draws random numbers" if how == "drawn" else rf"keeps state from one pass to the next \('{how}' changes\)"
    with pytest.raises(ValueError, match=f"two passes on the same inputs give different outputs.*{words}"):
        lt.tangent_kernel(Counting(how), torch.randn(5, 6))


class Elsewhere(nn.Module):
    """Keeps something where no module has it, or draws from a generator that is not the global one."""

    def __init__(self, how):
        super().__init__()
        self.layer, self.how, self.kept = nn.Linear(6, 2), how, iter(range(1, 10**6))
        self.generator = torch.Generator()

    def forward(self, x):
        factor = next(self.kept) if self.how == "state" else 1 + torch.rand((), generator=self.generator)
        return self.layer(x) * factor


@pytest.mark.parametrize("how", ["state", "drawn"])
def test_what_is_kept_elsewhere_is_not_blamed_on_the_global_generators(how):
    with pytest.raises(ValueError, match=r"keeps state outside of its modules, or draws .* a generator of its own"):
        lt.tangent_kernel(Elsewhere(how), torch.randn(5, 6))


class InPlace(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(6, 2)

    def forward(self, x):
        return self.layer(torch.relu(x.add_(1.0)))


def test_inputs_that_are_changed_in_place_are_measured_on_copies():
    torch.manual_seed(0)
    model, x = InPlace(), torch.randn(5, 6)
    before = x.clone()
    found = lt.tangent_kernel(model, x)
    assert torch.equal(x, before)
    torch.testing.assert_close(found, lt.tangent_kernel(model.layer, torch.relu(before + 1)))
    lt.Probe(model, x).snapshot(1)
    lt.balance(model, inputs=x)
    assert torch.equal(x, before)


class Casting(nn.Module):
    """In half precision, and casts what it gets."""

    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Linear(6, 8), nn.Linear(8, 2)
        self.to(torch.bfloat16)
        self.shift = torch.linspace(0, 1, 8).bfloat16()  # neither parameter nor buffer

    def forward(self, x):
        h = torch.relu(self.first(x.to(torch.bfloat16)) + self.shift).to(torch.bfloat16)
        return self.last(h + torch.zeros(8, dtype=torch.bfloat16)).float()


def test_a_model_in_half_precision_may_cast_its_inputs():
    torch.manual_seed(0)
    model, x = Casting(), torch.randn(5, 6)
    wide = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 2))
    wide.load_state_dict(dict(zip(wide.state_dict(), model.state_dict().values(), strict=True)))
    wide[0].register_forward_hook(lambda module, args, out: out + model.shift.float())
    torch.testing.assert_close(lt.tangent_kernel(model, x), lt.tangent_kernel(wide, x), rtol=1e-5, atol=1e-6)
    vector = torch.randn(5, 2)
    torch.testing.assert_close(
        lt.kernel_product(model, x, vector), lt.kernel_product(wide, x, vector), rtol=1e-5, atol=1e-6
    )
    probe = lt.Probe(model, x)
    with torch.no_grad():
        model.last.weight.mul_(1.5)
    probe.snapshot(1)
    assert "raised" not in str(probe.report())


class HalfOutputs(nn.Module):
    """In single precision, with outputs in half: a cast at the end, or autocast within."""

    def __init__(self, how):
        super().__init__()
        self.first, self.last, self.how = nn.Linear(6, 8), nn.Linear(8, 2), how

    def forward(self, x):
        if self.how == "cast":
            return self.last(torch.relu(self.first(x))).bfloat16()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return self.last(torch.relu(self.first(x)))


@pytest.mark.parametrize(("how", "near"), [("cast", 1e-5), ("autocast", 2e-2)])
def test_outputs_in_half_precision_are_measured_in_single(how, near):
    torch.manual_seed(0)
    model, x = HalfOutputs(how), torch.randn(5, 6)
    found = lt.tangent_kernel(model, x)
    plain = lt.tangent_kernel(nn.Sequential(model.first, nn.ReLU(), model.last), x)
    assert found.dtype == torch.float32
    torch.testing.assert_close(found, plain, rtol=0, atol=near * float(plain.max()))
    probe = lt.Probe(model, x, torch.zeros(5, 2))
    with torch.no_grad():
        model.last.weight.mul_(1.5)
    probe.snapshot(1)
    assert "raised" not in str(probe.report())


class Strict(nn.Module):
    """Works in half precision only."""

    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Linear(6, 8).bfloat16(), nn.Linear(8, 2).bfloat16()

    def forward(self, x):
        h = torch.relu(self.first(x.bfloat16()))
        assert h.dtype == torch.bfloat16
        return self.last(h)


def test_a_model_that_works_in_half_precision_only():
    """It is refused in words; its pairs are still those of its function, since half precision is no evidence."""
    torch.manual_seed(0)
    model, x = Strict(), torch.randn(5, 6)
    for measure in (lt.tangent_kernel, lt.Probe):
        with pytest.raises(ValueError, match=r"in half precision is measured in a finer one, and an assertion"):
            measure(model, x)
    assert [pair.name for pair in lt.balance(model, inputs=x).pairs] == ["first → last"]
