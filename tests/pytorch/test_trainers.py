"""The models and trainers that people use: GPT-2, BERT, ViT and ResNet, by their own trainers, with their loggers.

They need the extra `trainers`, which `python3 dev.py test-slow` installs.
"""

import numpy as np
import pytest
import torch
from torch import nn
from torch.func import functional_call, jacrev
from torch.nn import functional as F

import lazyrich.torch as lt
from lazyrich.torch._model.preserve_model import measurement_mode, trainable_parameters
from lazyrich.torch._probe.optimizer_reader import OptimizerReader
from tests.pytorch.training import blobs, mlp

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]


def tokens(n=6, length=5, vocabulary=13):
    generator = torch.Generator().manual_seed(0)
    mask = torch.ones(n, length, dtype=torch.long)
    mask[0, -2:] = 0
    return {"input_ids": torch.randint(vocabulary, (n, length), generator=generator), "attention_mask": mask}


def gpt2():
    transformers = pytest.importorskip("transformers")
    config = transformers.GPT2Config(
        vocab_size=13, n_positions=8, n_embd=8, n_layer=2, n_head=2, resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0
    )
    return transformers.GPT2LMHeadModel(config), tokens(), lambda m, b: m(**b).logits[:, -1]


def bert():
    transformers = pytest.importorskip("transformers")
    config = transformers.BertConfig(
        vocab_size=13, hidden_size=8, num_hidden_layers=2, num_attention_heads=2, intermediate_size=12, num_labels=3
    )
    return transformers.BertForSequenceClassification(config), tokens(), None


def masked_bert():
    transformers = pytest.importorskip("transformers")
    config = transformers.BertConfig(
        vocab_size=13, hidden_size=8, num_hidden_layers=1, num_attention_heads=2, intermediate_size=12
    )
    return transformers.BertForMaskedLM(config), tokens(), lambda m, b: m(**b).logits[:, 0]


def vit():
    transformers = pytest.importorskip("transformers")
    config = transformers.ViTConfig(
        image_size=8, patch_size=4, num_channels=3, hidden_size=8, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=12, num_labels=3,
    )  # fmt: skip
    return transformers.ViTForImageClassification(config), {"pixel_values": torch.randn(4, 3, 8, 8)}, None


def resnet():
    """With the stem for small images."""
    try:
        from torchvision.models import resnet18
    except (ImportError, RuntimeError):
        pytest.skip("torchvision is missing, or not of this build of PyTorch")
    model = resnet18(num_classes=3)
    model.conv1, model.maxpool = nn.Conv2d(3, 64, 3, 1, 1, bias=False), nn.Identity()
    return model, torch.randn(3, 3, 8, 8), None


def transformers_resnet():
    transformers = pytest.importorskip("transformers")
    config = transformers.ResNetConfig(
        num_channels=3, embedding_size=4, hidden_sizes=[4, 8], depths=[1, 1], layer_type="basic", num_labels=3
    )
    return transformers.ResNetForImageClassification(config), {"pixel_values": torch.randn(4, 3, 16, 16)}, None


MODELS = {"gpt2": gpt2, "bert": bert, "masked bert": masked_bert, "vit": vit, "resnet18": resnet,
          "small resnet": transformers_resnet}  # fmt: skip


def outputs(model, values, batch, forward):
    class Called(nn.Module):
        def __init__(self):
            super().__init__()
            self.model = model

        def forward(self):
            if forward is not None:
                return forward(self.model, batch)
            found = self.model(**batch) if isinstance(batch, dict) else self.model(batch)
            return getattr(found, "logits", found)

    return functional_call(Called(), {f"model.{name}": value for name, value in values.items()}, ())


@pytest.mark.parametrize("name", MODELS)
def test_kernels_are_those_of_autograd(name):
    """Plain and preconditioned by AdamW's state, in double precision."""
    torch.manual_seed(0)
    model, batch, forward = MODELS[name]()
    model = model.double().eval()
    if isinstance(batch, dict):
        batch = {k: v.double() if v.is_floating_point() else v for k, v in batch.items()}
    else:
        batch = batch.double()
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for _ in range(2):
        opt.zero_grad()
        outputs(model, {}, batch, forward).square().sum().backward()
        opt.step()
    values = {k: p.detach() for k, p in trainable_parameters(model).items()}
    with measurement_mode(model):
        J = jacrev(lambda v: outputs(model, v, batch, forward))(values)
    P = OptimizerReader(model, opt).preconditioner()
    rows = next(iter(J.values())).shape[:2].numel()
    parts = {k: part.reshape(rows, -1) for k, part in J.items()}
    plain = sum(part @ part.T for part in parts.values())
    own = sum(part @ (P[k].flatten()[:, None] * part.T) for k, part in parts.items())
    for true, given in ((plain, {}), (own, {"optimizer": opt})):
        found = lt.tangent_kernel(model, batch, forward=forward, **given)
        torch.testing.assert_close(found, true, rtol=0, atol=1e-10 * float(true.abs().max()))


def llama():
    transformers = pytest.importorskip("transformers")
    config = transformers.LlamaConfig(
        vocab_size=13, hidden_size=8, intermediate_size=12, num_hidden_layers=2, num_attention_heads=2
    )
    return transformers.LlamaForCausalLM(config), tokens(), lambda m, b: m(**b).logits[:, -1]


@pytest.mark.parametrize("make", [gpt2, bert, vit, llama])
def test_every_pair_that_is_found_can_be_turned(make):
    torch.manual_seed(0)
    model, batch, forward = make()
    model = model.double().eval()
    batch = {k: v.double() if v.is_floating_point() else v for k, v in batch.items()}
    pairs = lt.balance(model, inputs=batch, forward=forward).pairs
    assert pairs
    assert any(pair.dual for pair in pairs)
    turned = 0
    for pair in pairs:
        result = lt.upstream_(
            model, 2.0, layers=(pair.writers[0], pair.readers[0]), inputs=batch, forward=forward, dry_run=True
        )
        assert result.change < 1e-12, pair.name
        turned += 1
        if pair.heads is not None:  # every head by itself
            some, ends = [3.0] + [1.0] * (pair.groups - 1), (pair.writers[0], pair.readers[0])
            result = lt.upstream_(model, some, layers=ends, inputs=batch, forward=forward, dry_run=True)
            assert result.change < 1e-12, pair.name
    assert turned == len(pairs)
    assert sum(pair.heads is not None for pair in pairs) == {bert: 4, vit: 4}.get(make, 0)  # 2 pairs in 2 layers


def test_gpt2_by_its_trainer(tmp_path):
    transformers = pytest.importorskip("transformers")
    model, batch, forward = gpt2()
    data = [{"input_ids": row, "labels": row} for row in batch["input_ids"].repeat(4, 1)]
    probe = lt.Probe(model, batch, forward=forward)
    args = transformers.TrainingArguments(
        str(tmp_path), max_steps=6, per_device_train_batch_size=4, learning_rate=1e-2, weight_decay=0.1, report_to=[],
        use_cpu=True, logging_steps=2, save_steps=3, save_strategy="steps", disable_tqdm=True,
        lr_scheduler_type="cosine", warmup_steps=2,
    )  # fmt: skip
    callback = probe.callback(transformers.TrainerCallback, every=2)
    trainer = transformers.Trainer(model, args, train_dataset=data, callbacks=[callback])
    trainer.train()
    report = probe.report()
    assert list(report.data.step.values) == [0, 2, 4, 6]
    assert report.data.attrs["optimizer"].startswith("AdamW")
    assert bool(report.data.preconditioned_distance[-1].notnull().all())
    logged = [row for row in trainer.state.log_history if "lazyrich/kernel_distance" in row]
    assert [row["step"] for row in logged] == [0, 2, 4, 6]
    state = probe.state_dict()
    again = lt.Probe(model, batch, forward=forward)
    again.load_state_dict(state)
    resumed = transformers.Trainer(
        model, args, train_dataset=data, callbacks=[again.callback(transformers.TrainerCallback, every=2)]
    )
    resumed.args.max_steps = 8
    resumed.train(resume_from_checkpoint=str(tmp_path / "checkpoint-6"))
    assert list(again.report().data.step.values) == [0, 2, 4, 6, 8]


def test_bert_by_its_trainer(tmp_path):
    transformers = pytest.importorskip("transformers")
    model, batch, _ = bert()
    labels = torch.arange(6) % 3
    data = [{**{k: v[i] for k, v in batch.items()}, "labels": labels[i]} for i in range(6)]
    probe = lt.Probe(model, transformers.BatchEncoding(batch), labels, loss=F.cross_entropy)
    args = transformers.TrainingArguments(
        str(tmp_path), num_train_epochs=2, per_device_train_batch_size=3, report_to=[], use_cpu=True,
        save_strategy="no", disable_tqdm=True,
    )  # fmt: skip
    trainer = transformers.Trainer(
        model, args, train_dataset=data, callbacks=[probe.callback(transformers.TrainerCallback)]
    )
    trainer.train()
    report = probe.report()
    assert list(report.data.step.values) == [0, 2, 4]
    assert report.data.probe_loss.notnull().all()
    assert "values" in str(lt.balance(model, inputs=batch)) or lt.balance(model, inputs=batch).pairs


def test_lightning_logs_by_itself_and_trains_the_same(tmp_path):
    lightning = pytest.importorskip("lightning.pytorch")
    loggers = pytest.importorskip("lightning.pytorch.loggers")
    (x, y), weights = blobs(), []

    class Module(lightning.LightningModule):
        def __init__(self):
            super().__init__()
            torch.manual_seed(0)
            self.net = mlp()

        def forward(self, x):
            return self.net(x)

        def training_step(self, batch, _):
            return F.cross_entropy(self(batch[0]), batch[1])

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), lr=0.1, weight_decay=0.01)

    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, y), batch_size=20)
    for probed in (False, True):
        module = Module()
        logger = loggers.CSVLogger(tmp_path / str(probed))
        callbacks = []
        if probed:
            probe = lt.Probe(module, x, y, sample=5)
            callbacks = [probe.callback(lightning.Callback)]
        trainer = lightning.Trainer(
            max_epochs=2, callbacks=callbacks, logger=logger, accelerator="cpu", enable_progress_bar=False,
            enable_model_summary=False, enable_checkpointing=False, default_root_dir=tmp_path,
        )  # fmt: skip
        trainer.fit(module, loader)
        weights.append([p.detach().clone() for p in module.parameters()])
    assert all(torch.equal(one, other) for one, other in zip(*weights, strict=True))
    assert list(probe.report().data.step.values) == [0, 3, 6]
    assert "weight decay 0.01" in str(probe.report())
    text = next((tmp_path / "True").rglob("metrics.csv")).read_text()
    assert "lazyrich/kernel_distance" in text


def test_tensorboard_files_read_back(tmp_path):
    pytest.importorskip("tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
    from torch.utils.tensorboard import SummaryWriter

    (x, y), model = blobs(), mlp()
    with SummaryWriter(tmp_path) as writer:
        probe = lt.Probe(model, x, y, log=writer)
        model[0].weight.data.add_(0.1)
        numbers = probe.snapshot(5)
    events = EventAccumulator(str(tmp_path))
    events.Reload()
    found = events.Scalars("lazyrich/kernel_distance")
    assert [event.step for event in found] == [0, 5]
    assert found[1].value == pytest.approx(numbers["kernel_distance"], rel=1e-6)
    assert "lazyrich/relative_distance/0" in events.Tags()["scalars"]


def test_accelerate_logs_and_its_optimizer_is_read(tmp_path):
    accelerate = pytest.importorskip("accelerate")
    pytest.importorskip("tensorboard")
    (x, y), model = blobs(), mlp()
    accelerator = accelerate.Accelerator(cpu=True, log_with="tensorboard", project_dir=str(tmp_path))
    accelerator.init_trackers("run")
    opt = torch.optim.AdamW(model.parameters(), lr=0.01)
    model, opt = accelerator.prepare(model, opt)
    probe = lt.Probe(model, x, y, optimizer=opt, log=accelerator)
    for _ in range(3):
        opt.zero_grad()
        accelerator.backward(F.cross_entropy(model(x), y))
        opt.step()
    numbers = probe.snapshot(3)
    accelerator.end_training()
    assert not np.isnan(numbers["preconditioned_distance"])
    assert probe.report().data.attrs["optimizer"].startswith("AdamW")
    assert list(tmp_path.rglob("events*"))
