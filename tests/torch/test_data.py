"""The data sets: files as they are on disk, and what is made up against what it promises."""

import gzip
import struct

import numpy as np
import pytest
import torch

from lazyrich.torch import data


def write_idx(path, array):
    head = struct.pack(f">BBBB{array.ndim}I", 0, 0, 8, array.ndim, *array.shape)
    content = head + array.tobytes()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)


@pytest.mark.parametrize("ending", ["", ".gz"])
def test_mnist_is_read(tmp_path, ending):
    images = np.random.default_rng(0).integers(0, 256, (5, 28, 28), dtype=np.uint8)
    write_idx(tmp_path / f"train-images-idx3-ubyte{ending}", images)
    write_idx(tmp_path / f"train-labels-idx1-ubyte{ending}", np.arange(5, dtype=np.uint8))
    found, labels = data.mnist(tmp_path, 3)
    assert found.shape == (3, 1, 28, 28)
    assert labels.tolist() == [0, 1, 2]
    np.testing.assert_allclose(found[:, 0], (images[:3] / 255 - 0.1307) / 0.3081, rtol=1e-5)
    assert len(data.mnist(tmp_path)[0]) == 5
    with pytest.raises(ValueError, match="has 5 entries; found n = 6"):
        data.mnist(tmp_path, 6)
    with pytest.raises(FileNotFoundError, match="neither t10k-images-idx3-ubyte nor"):
        data.mnist(tmp_path, train=False)
    (tmp_path / f"train-labels-idx1-ubyte{ending}").unlink()
    (tmp_path / "train-labels-idx1-ubyte").write_bytes(b"<html>")
    with pytest.raises(ValueError, match="not an IDX file of bytes"):
        data.mnist(tmp_path)


def test_digits_are_the_same_each_time_and_leave_the_random_state_alone():
    state = torch.get_rng_state()
    one, other = data.digits(30), data.digits(30)
    assert torch.equal(torch.get_rng_state(), state)
    assert torch.equal(one[0], other[0])
    assert torch.equal(one[1], other[1])
    assert not torch.equal(one[0], data.digits(30, seed=1)[0])
    assert float(one[0].std()) == pytest.approx(1.0, abs=1e-5)


def test_digits_are_the_numbers_that_they_were():
    images, labels = data.digits(30)
    assert labels[:8].tolist() == [4, 3, 3, 7, 9, 9, 5, 4]
    assert images[0, 0, 14, 10:13].tolist() == pytest.approx([0.95998, 0.68578, 0.91407], abs=1e-5)


def test_idx_files_that_are_not_the_ones_named_are_refused(tmp_path):
    write_idx(tmp_path / "train-images-idx3-ubyte", np.zeros((4, 28, 28), np.uint8))
    write_idx(tmp_path / "train-labels-idx1-ubyte", np.zeros(3, np.uint8))
    with pytest.raises(ValueError, match="4 images but 3 labels in train: the files do not match"):
        data.mnist(tmp_path)
    write_idx(tmp_path / "train-images-idx3-ubyte", np.zeros(4, np.uint8))
    with pytest.raises(ValueError, match=r"not an IDX file of bytes.*need 00 00 08 03"):
        data.mnist(tmp_path)
    cut = struct.pack(">BBBB3I", 0, 0, 8, 3, 4, 28, 28) + bytes(100)
    (tmp_path / "train-images-idx3-ubyte").write_bytes(cut)
    with pytest.raises(ValueError, match="ends early: 100 of 3136 bytes; fetch it again"):
        data.mnist(tmp_path)
    with pytest.raises(ValueError, match="n must be a whole number, at least 1; found 0"):
        data.mnist(tmp_path, 0)
