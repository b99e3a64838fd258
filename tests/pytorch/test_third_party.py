"""Sampled kernels on models of transformers, timm and peft, against autograd; names of their layers; adapters."""

import copy

import pytest
import torch
from torch.nn import functional as F

import lazyrich.torch as lt
from lazyrich.torch import Probe
from lazyrich.torch._model.low_rank_adapters import find_adapters

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]
N = 12


def gpt2():
    transformers = pytest.importorskip("transformers")
    config = transformers.GPT2Config(
        vocab_size=40, n_positions=16, n_embd=16, n_layer=2, n_head=2, resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0
    )
    return transformers.GPT2LMHeadModel(config), {"input_ids": torch.randint(0, 40, (N, 8))}


def bert_with_adapters(**how):
    peft, transformers = pytest.importorskip("peft"), pytest.importorskip("transformers")
    config = transformers.BertConfig(
        vocab_size=40, hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32,
        max_position_embeddings=16,
    )  # fmt: skip
    base = transformers.BertForSequenceClassification(config)
    model = peft.get_peft_model(
        base, peft.LoraConfig(task_type="SEQ_CLS", r=2, target_modules=["query", "value"], **how)
    )
    return model, {"input_ids": torch.randint(0, 40, (N, 8))}


def timm_model(name):
    timm = pytest.importorskip("timm")
    model = timm.create_model(name, num_classes=3)
    size = model.default_cfg["input_size"]
    return model, torch.randn(N, *size)


def gpt2_with_adapters():
    """On GPT-2's layers with transposed weights, and on its embedding."""
    peft = pytest.importorskip("peft")
    base, x = gpt2()
    config = peft.LoraConfig(r=2, target_modules=["c_attn", "c_proj", "wte"], fan_in_fan_out=True)
    return peft.get_peft_model(base, config), x


def cnn_with_adapters():
    peft = pytest.importorskip("peft")
    base = torch.nn.Sequential(
        torch.nn.Conv2d(3, 4, 3), torch.nn.Tanh(), torch.nn.Flatten(), torch.nn.Linear(4 * 36, 3)
    )
    return peft.get_peft_model(base, peft.LoraConfig(r=2, target_modules=["0", "3"])), torch.randn(N, 3, 8, 8)


CASES = {
    "gpt2": (gpt2, -1),
    "bert, LoRA": (bert_with_adapters, None),
    "bert, rsLoRA": (lambda: bert_with_adapters(use_rslora=True), None),
    "bert, DoRA": (lambda: bert_with_adapters(use_dora=True), None),
    "gpt2, LoRA": (gpt2_with_adapters, -1),
    "cnn, LoRA": (cnn_with_adapters, None),
    "vit": (lambda: timm_model("test_vit"), None),
    "resnet": (lambda: timm_model("test_resnet"), None),
}


@pytest.mark.parametrize("name", CASES)
def test_the_whole_kernel_is_that_of_autograd_and_the_model_stays(name):
    torch.manual_seed(0)
    build, positions = CASES[name]
    model, x = build()
    before = {key: value.clone() for key, value in model.state_dict().items()}
    probe = Probe(model, x, positions=positions, exact=False)
    sampler = probe._sampled.sampler
    found = sampler.measure({}, N)
    model.eval()
    parameters = {key: p for key, p in model.named_parameters() if p.requires_grad}
    rows = []
    for i in range(N):
        one = probe.inputs[i : i + 1]
        out = probe.output_reader(model, one)[0] @ probe._sampled.signs[i // 2].float()
        grads = torch.autograd.grad(out, list(parameters.values()), allow_unused=True, materialize_grads=True)
        rows.append(torch.cat([g.flatten().double() for g in grads]))
    expected = torch.stack(rows) @ torch.stack(rows).T
    whole = sum(found.grams.values())
    assert float((whole - expected).abs().max()) < 1e-4 * float(expected.abs().max())
    assert all(torch.equal(value, before[key]) for key, value in model.state_dict().items())
    names = [layer.name for layer in probe.report().layers]
    assert len(set(names)) == len(names)
    assert not any("base_model" in name or name.endswith("default") for name in names)


def test_adapters_in_words():
    torch.manual_seed(0)
    model, x = bert_with_adapters()
    labels = torch.randint(0, 2, (N,))
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=1e-2)
    probe = Probe(model, x, labels, optimizer=optimizer, exact=False)
    for _ in range(20):
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(**x).logits, labels).backward()
        optimizer.step()
    probe.snapshot(20)
    report = probe.report()
    assert [one.name for one in report.adapters] == [
        f"bert.encoder.layer.{i}.attention.self.{which}" for i in (0, 1) for which in ("query", "value")
    ]
    assert all(one.distance == one.distance and one.word != "from zero" for one in report.adapters)
    words = {layer.name: layer.word for layer in report.layers}
    first = [word for name, word in words.items() if name.endswith("lora_A")]
    second = [word for name, word in words.items() if name.endswith("lora_B")]
    assert len(first) == len(second) == 4
    assert set(first) <= {"from zero", "no gradient"}, "A lies behind B, which begins at zero"
    assert not set(second) & {"from zero", "no gradient"}
    assert words["bert.embeddings.word_embeddings"] == "does not move"


ADAPTED = {name: build for name, (build, _) in CASES.items() if "oRA" in name}


@pytest.mark.parametrize("name", ADAPTED)
def test_weights_of_adapters_are_those_that_peft_merges(name):
    torch.manual_seed(0)
    model, _ = ADAPTED[name]()
    for key, p in model.named_parameters():
        if "lora_" in key:
            p.data = p.data + 0.3 * torch.randn_like(p)
    adapters, values = find_adapters(model), {key: p.detach() for key, p in model.named_parameters()}
    assert len(adapters) == {"gpt2, LoRA": 7, "cnn, LoRA": 2}.get(name, 4)
    merged = copy.deepcopy(model).merge_and_unload()
    for adapter in adapters:
        weight = merged.get_submodule(adapter.name.removeprefix("base_model.model.")).weight.detach().double()
        weight = weight.T if adapter.transposed else weight.flatten(1)
        torch.testing.assert_close(adapter.effective_weight(values), weight, rtol=1e-5, atol=1e-6)


def outputs(model, x, positions):
    out = model(**x) if isinstance(x, dict) else model(x)
    out = getattr(out, "logits", out)
    return out if positions is None else out[:, positions]


@pytest.mark.parametrize("name", CASES)
def test_training_gives_the_same_weights_bit_for_bit_with_and_without_a_probe(name):
    """In training mode, with what dropout and batch norm the model has."""
    build, positions = CASES[name]
    states, labels = [], torch.arange(N) % 3 % 2
    for probed in (False, True):
        torch.manual_seed(0)
        model, x = build()
        model.train()
        optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=1e-3)
        probe = Probe(model, x, positions=positions, optimizer=optimizer) if probed else None
        for step in range(1, 5):
            optimizer.zero_grad()
            F.cross_entropy(outputs(model, x, positions), labels).backward()
            optimizer.step()
            if probe is not None and step % 2 == 0:
                probe.snapshot(step)
        states.append(model.state_dict())
    assert all(torch.equal(value, states[1][key]) for key, value in states[0].items())
    assert probe.last_step == 4


def test_the_first_slopes_of_adapters_of_peft():
    """From the gradients of the weights of the model that peft was given."""
    peft = pytest.importorskip("peft")
    torch.manual_seed(0)
    base, x = gpt2()
    labels = torch.arange(N) % 40
    plain = copy.deepcopy(base).eval()
    F.cross_entropy(plain(**x).logits[:, -1], labels).backward()
    config = peft.LoraConfig(r=4, lora_alpha=12, target_modules=["c_attn"], fan_in_fan_out=True)
    model = peft.get_peft_model(base, config)
    rates = lt.adapter_rates(model, x, labels, F.cross_entropy, forward=lambda m, b: m(**b).logits[:, -1])
    assert len(rates.slopes) == 2
    for i, found in enumerate(rates.slopes.values()):
        G = plain.transformer.h[i].attn.c_attn.weight.grad
        assert found == pytest.approx(3 * float(torch.linalg.matrix_norm(G, 2)), rel=1e-4)
    assert rates.steepest in ("transformer.h.0.attn.c_attn", "transformer.h.1.attn.c_attn")
