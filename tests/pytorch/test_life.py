"""A probe over the life of a training: it logs, survives checkpoints, goes on with a second fit, and knows its rank."""

import io
import socket
from types import SimpleNamespace

import numpy as np
import pytest
import torch
import torch.multiprocessing as processes
from torch import nn
from torch.nn import functional as F

import lazyrich.torch as lt
from lazyrich.probe.logger_adapters import as_log_function
from tests.pytorch.training import blobs, mlp


def steps(model, opt, x, y, first, last, probe, every=5, schedule=None):
    for step in range(first, last + 1):
        opt.zero_grad()
        F.cross_entropy(model(x), y).backward()
        opt.step()
        if schedule is not None:
            schedule.step()
        if step % every == 0:
            probe.snapshot(step)


def test_a_snapshot_is_plain_numbers_and_they_are_logged():
    torch.manual_seed(0)
    (x, y), model, seen = blobs(), mlp(), []
    probe = lt.Probe(model, x, y, loss=F.cross_entropy, log=lambda numbers, step: seen.append((step, numbers)))
    model[0].weight.data.add_(0.1)
    numbers = probe.snapshot(3, loss=0.5)
    assert all(type(value) is float for value in numbers.values())
    assert [step for step, _ in seen] == [0, 3]
    assert seen[1][1] == numbers
    data = probe.report().data.isel(step=-1)
    assert numbers["loss"] == 0.5
    assert numbers["kernel_distance"] == float(data.kernel_distance.sel(reference="start", centered=False))
    assert numbers["kernel_distance_previous_centered"] == float(
        data.kernel_distance.sel(reference="previous", centered=True)
    )
    assert numbers["relative_distance/0"] == float(data.relative_distance.sel(layer="0"))
    assert numbers["probe_loss"] == pytest.approx(F.cross_entropy(model(x), y).item(), rel=1e-5)
    assert float(probe.report().data.attrs["chance"]) == pytest.approx(np.log(3), rel=1e-4)


def test_every_kind_of_logger_is_known():
    seen = []
    writer = SimpleNamespace(add_scalar=lambda name, value, step: seen.append(("tensorboard", name, value, step)))
    run = SimpleNamespace(log=lambda numbers, step: seen.append(("wandb", dict(numbers), step)))
    logger = SimpleNamespace(log_metrics=lambda numbers, step: seen.append(("lightning", dict(numbers), step)))
    for one in (writer, run, logger):
        as_log_function(one)({"S": 0.5}, 7)
    assert seen == [
        ("tensorboard", "lazyrich/S", 0.5, 7),
        ("wandb", {"lazyrich/S": 0.5}, 7),
        ("lightning", {"lazyrich/S": 0.5}, 7),
    ]


def test_a_probe_survives_a_checkpoint():
    """Interrupted and loaded, it reports what it would have without: AdamW, decay, clipping, cosine, autocast."""

    def made(seed):
        torch.manual_seed(seed)
        model = nn.Sequential(nn.Linear(8, 20), nn.BatchNorm1d(20), nn.ReLU(), nn.Linear(20, 3))
        opt = torch.optim.AdamW(model.parameters(), lr=0.01, weight_decay=0.1)
        schedule = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 20)
        return model, opt, schedule, lt.Probe(model, x, y, optimizer=opt, sample=10)

    def train(model, opt, schedule, probe, first, last):
        for step in range(first, last + 1):
            opt.zero_grad()
            with torch.autocast("cpu", torch.bfloat16):
                loss = F.cross_entropy(model(x), y)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
            schedule.step()
            if step % 4 == 0:
                probe.snapshot(step, loss=loss.item())

    x, y = blobs()
    model, opt, schedule, probe = made(0)
    train(model, opt, schedule, probe, 1, 10)
    file = io.BytesIO()
    torch.save([each.state_dict() for each in (model, opt, schedule, probe)], file)
    train(model, opt, schedule, probe, 11, 20)
    file.seek(0)
    states = torch.load(file, weights_only=True)
    again = made(1)
    for each, state in zip(again, states, strict=True):
        each.load_state_dict(state)
    assert again[3].last_step == 8
    train(*again, 11, 20)
    one, other = probe.report().data, again[3].report().data
    assert list(one.step.values) == list(other.step.values) == [0, 4, 8, 12, 16, 20]
    for name in one.data_vars:
        if name not in ("seconds", "training_seconds"):
            np.testing.assert_allclose(one[name].values, other[name].values, rtol=1e-5, atol=1e-7, err_msg=name)


def test_a_state_of_other_inputs_or_of_another_model_is_refused():
    (x, y), model = blobs(), mlp()
    state = lt.Probe(model, x, y, sample=5).state_dict()
    with pytest.raises(ValueError, match="measured on other inputs"):
        lt.Probe(model, x + 1, y, sample=5).load_state_dict(state)
    with pytest.raises(ValueError, match=r"of another model: '0.weight' is \(20, 8\) there and \(30, 8\) here"):
        lt.Probe(mlp(30), x, y, sample=5).load_state_dict(state)


class Trainer:
    """Counts its steps anew in every fit, or goes on; with loggers as Lightning has them, or a history."""

    def __init__(self, model, opt, anew):
        self.model, self.optimizers, self.anew, self.global_step = model, [opt], anew, 0
        self.numbers = []
        self.loggers = [SimpleNamespace(log_metrics=lambda numbers, step: self.numbers.append((step, numbers)))]

    def fit(self, callback, x, y, count):
        self.global_step = 0 if self.anew else self.global_step
        callback.on_train_start(self, self.model)
        for _ in range(count):
            self.optimizers[0].zero_grad()
            F.cross_entropy(self.model(x), y).backward()
            self.optimizers[0].step()
            self.global_step += 1
            callback.on_train_batch_end(self, self.model)
        callback.on_train_end(self, self.model)


@pytest.mark.parametrize("anew", [False, True], ids=["counts on", "counts anew"])
def test_a_second_fit_continues(anew):
    torch.manual_seed(0)
    (x, y), model = blobs(), mlp()
    probe = lt.Probe(model, x, y, sample=5)
    trainer = Trainer(model, torch.optim.SGD(model.parameters(), lr=0.1, weight_decay=0.01), anew)
    callback = probe.callback(every=2)
    trainer.fit(callback, x, y, 4)
    trainer.fit(callback, x, y, 4)
    report = probe.report()
    assert list(report.data.step.values) == [0, 2, 4, 6, 8]
    assert report.data.attrs["optimizer"] == "SGD, lr 0.1, weight decay 0.01"  # the trainer's, read when it began
    assert float(report.data.conserved_predicted[-1, 0]) == pytest.approx(np.exp(-2 * 8 * 0.001), rel=1e-6)
    assert [step for step, _ in trainer.numbers] == [0, 2, 4, 6, 8]
    assert "lazyrich/kernel_distance" in trainer.numbers[-1][1]
    with torch.no_grad():
        model[0].weight.mul_(2.0)  # another start
    trainer.fit(callback, x, y, 2)
    assert list(probe.report().data.step.values) == [trainer.global_step - 2, trainer.global_step]


def test_with_a_log_of_its_own_the_trainer_is_not_told():
    (x, y), model, seen = blobs(), mlp(), []
    probe = lt.Probe(model, x, y, sample=5, log=lambda numbers, step: seen.append(step))
    trainer = Trainer(model, torch.optim.SGD(model.parameters(), lr=0.1), False)
    trainer.fit(probe.callback(), x, y, 2)
    assert trainer.numbers == []
    assert seen == [0, 0, 2]  # made, measured anew with the optimizer, and at the end


def _process(rank, port, folder):
    torch.distributed.init_process_group("gloo", f"tcp://127.0.0.1:{port}", rank=rank, world_size=2)
    torch.manual_seed(0)
    (x, y), model = blobs(), mlp()
    wrapped = nn.parallel.DistributedDataParallel(model)
    opt = torch.optim.SGD(wrapped.parameters(), lr=0.1)
    probe = lt.Probe(wrapped, x, y, optimizer=opt, sample=5)
    for step in range(1, 5):
        opt.zero_grad()
        F.cross_entropy(wrapped(x[rank::2]), y[rank::2]).backward()
        opt.step()
        numbers = probe.snapshot(step) if step % 2 == 0 else {}
        assert bool(numbers) == (rank == 0 and step % 2 == 0)
        assert probe.last_step == step - step % 2
    if rank == 0:
        torch.save(
            {"steps": probe.report().data.step.values.tolist(), "S": numbers["kernel_distance"]}, f"{folder}/0.pt"
        )
    else:
        with pytest.raises(RuntimeError, match="measures in the first process only"):
            probe.report()
    torch.distributed.destroy_process_group()


@pytest.mark.slow
def test_in_two_processes_the_first_one_measures(tmp_path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    processes.spawn(_process, (port, str(tmp_path)), nprocs=2)
    found = torch.load(tmp_path / "0.pt")
    assert found["steps"] == [0, 2, 4]
    torch.manual_seed(0)
    (x, y), model = blobs(), mlp()
    probe = lt.Probe(model, x, y, sample=5)
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    steps(model, opt, x, y, 1, 4, probe, every=2)
    assert found["S"] == pytest.approx(probe.report().evidence["kernel"], rel=1e-4)


def test_sharded_models_are_refused_with_a_reason():
    model = mlp()
    model[0].weight._is_flat_param = True
    with pytest.raises(ValueError, match=r"'0.weight' is spread over several processes.*full state dict"):
        lt.Probe(model, blobs()[0])

    class FullyShardedDataParallel(nn.Sequential):
        __module__ = "torch.distributed.fsdp.fully_sharded_data_parallel"

    with pytest.raises(ValueError, match="FullyShardedDataParallel spreads its weights"):
        lt.Probe(FullyShardedDataParallel(mlp()), blobs()[0])
