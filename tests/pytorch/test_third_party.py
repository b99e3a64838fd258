"""Sampled kernels on models of transformers, timm and peft, against autograd; and the names of their layers."""

import pytest
import torch

from lazyrich.torch import Probe

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]
N = 12


def gpt2():
    transformers = pytest.importorskip("transformers")
    config = transformers.GPT2Config(
        vocab_size=40, n_positions=16, n_embd=16, n_layer=2, n_head=2, resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0
    )
    return transformers.GPT2LMHeadModel(config), {"input_ids": torch.randint(0, 40, (N, 8))}


def bert_with_adapters():
    peft, transformers = pytest.importorskip("peft"), pytest.importorskip("transformers")
    config = transformers.BertConfig(
        vocab_size=40, hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32,
        max_position_embeddings=16,
    )  # fmt: skip
    base = transformers.BertForSequenceClassification(config)
    model = peft.get_peft_model(base, peft.LoraConfig(task_type="SEQ_CLS", r=2, target_modules=["query", "value"]))
    return model, {"input_ids": torch.randint(0, 40, (N, 8))}


def timm_model(name):
    timm = pytest.importorskip("timm")
    model = timm.create_model(name, num_classes=3)
    size = model.default_cfg["input_size"]
    return model, torch.randn(N, *size)


CASES = {
    "gpt2": (gpt2, -1),
    "bert, LoRA": (bert_with_adapters, None),
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
    words = {layer.name: layer.word for layer in probe.report().layers}
    first = [word for name, word in words.items() if name.endswith("lora_A")]
    second = [word for name, word in words.items() if name.endswith("lora_B")]
    assert len(first) == len(second) == 4
    assert set(first) <= {"from zero", "no gradient"}, "A lies behind B, which begins at zero"
    assert not set(second) & {"from zero", "no gradient"}
    assert words["bert.embeddings.word_embeddings"] == "does not move"
