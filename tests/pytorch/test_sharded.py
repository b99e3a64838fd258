"""Models whose weights are spread over two processes."""

import socket

import pytest
import torch
from torch import nn
from torch.nn import functional as F

import lazyrich.torch as lt
from lazyrich.torch._model.sharded import gathered_copy
from tests.pytorch.training import blobs

fsdp = pytest.importorskip("torch.distributed.fsdp")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(fsdp, "fully_shard"), reason="torch.distributed.fsdp has no fully_shard before 2.6"),
]
RATES = {"0": 0.5}


def network():
    """With batch norm, whose statistics are buffers, and a weight that two layers share."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 6), nn.BatchNorm1d(6), nn.Tanh(), nn.Linear(6, 6), nn.Linear(6, 6))
    model[4].weight = model[3].weight
    return model.append(nn.Linear(6, 3))


def train(model, x, y, probe=None, snapshots=(2, 4)):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    for step in range(1, 5):
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()  # the same batch in both processes: their mean is that of one
        optimizer.step()
        if probe is not None and step in snapshots:
            numbers = probe.snapshot(step)
    return numbers if probe is not None else {}


def sharded():
    model = network()
    for layer in (model[0], model[5]):
        fsdp.fully_shard(layer)
    return fsdp.fully_shard(model)


def _process(rank, port, folder):
    torch.set_num_threads(1)
    torch.distributed.init_process_group("gloo", f"tcp://127.0.0.1:{port}", rank=rank, world_size=2)
    x, y = blobs()
    with pytest.raises(ValueError, match="an optimizer of a model that is spread over several processes is not read"):
        lt.Probe(sharded(), x, y, optimizer=object())
    with pytest.raises(ValueError, match=r"A Probe gathers models of fully_shard \(FSDP2\)"):
        lt.balance(sharded())
    alone = sharded()
    train(alone, x, y)
    model = sharded()
    probe = lt.Probe(model, x, y, rates=RATES, exact=False)
    numbers = train(model, x, y, probe)
    assert bool(numbers) == (rank == 0)
    assert probe.last_step == 4
    for one, other in zip(alone.parameters(), model.parameters(), strict=True):
        assert torch.equal(one.to_local(), other.to_local())
    plain = gathered_copy(model, torch.device("cpu"))
    assert all(p.is_meta == (rank > 0) for p in plain.parameters())
    assert type(plain) is nn.Sequential
    assert not plain._forward_pre_hooks
    assert plain[4].weight is plain[3].weight
    if rank == 0:
        words = {layer.name: layer.word for layer in probe.report().layers}
        torch.save({"numbers": numbers, "words": words, "state": plain.state_dict()}, f"{folder}/0.pt")
    torch.distributed.destroy_process_group()


def test_a_sharded_model_is_measured_as_the_same_model_in_one_process(tmp_path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    torch.multiprocessing.spawn(_process, (port, str(tmp_path)), nprocs=2)
    found = torch.load(tmp_path / "0.pt", weights_only=True)
    (x, y), model = blobs(), network()
    probe = lt.Probe(model, x, y, rates=RATES, exact=False)
    expected = train(model, x, y, probe)
    for name, value in model.state_dict().items():
        torch.testing.assert_close(found["state"][name], value, rtol=1e-4, atol=1e-6)
    for name in ("kernel_distance", "kernel_low", "function_distance", "layer_distance/0", "layer_distance/5"):
        assert found["numbers"][name] == pytest.approx(expected[name], rel=1e-3), name
    assert found["words"] == {layer.name: layer.word for layer in probe.report().layers}
