"""The data sets: files as they are on disk, and what is made up against what it promises."""

import gzip
import itertools
import math
import struct
from fractions import Fraction

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
    one, other = data.drawn_digits(30), data.drawn_digits(30)
    assert torch.equal(torch.get_rng_state(), state)
    assert torch.equal(one[0], other[0])
    assert torch.equal(one[1], other[1])
    assert not torch.equal(one[0], data.drawn_digits(30, seed=1)[0])
    assert float(one[0].std()) == pytest.approx(1.0, abs=1e-5)


def test_digits_are_the_numbers_that_they_were():
    images, labels = data.drawn_digits(30)
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


# --- CIFAR-10 ---


def drawn(n, seed=0):
    rng = np.random.default_rng(seed)
    return rng.integers(0, 256, (n, 32, 32, 3), dtype=np.uint8), rng.integers(0, 10, n, dtype=np.uint8)


def write_binary(path, pixels, labels):
    path.parent.mkdir(exist_ok=True)
    records = [
        bytes([y]) + b"".join(x[:, :, c].tobytes() for c in range(3)) for x, y in zip(pixels, labels, strict=True)
    ]
    path.write_bytes(b"".join(records))


def standard(pixels):
    """Standardize images by hand, with the published mean and standard deviation of the training images."""
    return np.stack(
        [
            (pixels[..., 0] / 255 - 0.4914) / 0.2470,
            (pixels[..., 1] / 255 - 0.4822) / 0.2435,
            (pixels[..., 2] / 255 - 0.4465) / 0.2616,
        ],
        1,
    )


@pytest.mark.parametrize("inner", [".", "cifar-10-batches-bin"])
def test_the_binary_version_of_cifar10_is_read(tmp_path, inner):
    batches = [drawn(4, seed) for seed in range(6)]
    for k in range(5):
        write_binary(tmp_path / inner / f"data_batch_{k + 1}.bin", *batches[k])
    write_binary(tmp_path / inner / "test_batch.bin", *batches[5])
    images, labels = data.cifar10(tmp_path)
    assert images.shape == (20, 3, 32, 32)
    assert (images.dtype, labels.dtype) == (torch.float32, torch.int64)
    np.testing.assert_allclose(images, standard(np.concatenate([x for x, _ in batches[:5]])), atol=1e-5)
    np.testing.assert_array_equal(labels, np.concatenate([y for _, y in batches[:5]]))
    some, their = data.cifar10(tmp_path, 6)
    assert torch.equal(some, images[:6])
    assert torch.equal(their, labels[:6])
    np.testing.assert_allclose(data.cifar10(tmp_path, train=False)[0], standard(batches[5][0]), atol=1e-5)
    with pytest.raises(ValueError, match="has 20 entries; found n = 21"):
        data.cifar10(tmp_path, 21)
    (tmp_path / inner / "data_batch_2.bin").unlink()
    assert len(data.cifar10(tmp_path, 4)[0]) == 4
    with pytest.raises(FileNotFoundError, match=r"has data_batch_1.bin but no data_batch_2.bin; fetch it again"):
        data.cifar10(tmp_path, 5)
    whole = (tmp_path / inner / "data_batch_1.bin").read_bytes()
    for content in (whole[:-1], b""):
        (tmp_path / inner / "data_batch_1.bin").write_bytes(content)
        with pytest.raises(ValueError, match=rf"has {len(content)} bytes, not a multiple of 3073.*fetch it again"):
            data.cifar10(tmp_path, 4)
    write_binary(tmp_path / inner / "data_batch_1.bin", batches[0][0], [3, 10, 0, 1])
    with pytest.raises(ValueError, match="has labels from 0 to 10; CIFAR-10 has 0 to 9"):
        data.cifar10(tmp_path, 4)


def test_cifar10_in_an_npz_is_read(tmp_path):
    x, y = drawn(7)
    np.savez(tmp_path / "another.npz", other=np.zeros(3))
    with pytest.raises(
        FileNotFoundError, match=r"another.npz has no x_train and y_train; give a folder with the binary"
    ):
        data.cifar10(tmp_path)
    np.savez(tmp_path / "images.npz", x_train=x, y_train=y[:, None], x_test=x[:2], y_test=y[:2].astype(np.int32))
    images, labels = data.cifar10(tmp_path, 5)
    np.testing.assert_allclose(images, standard(x[:5]), atol=1e-5)
    np.testing.assert_array_equal(labels, y[:5])
    assert labels.dtype == torch.int64
    assert len(data.cifar10(tmp_path, train=False)[1]) == 2
    with pytest.raises(ValueError, match=r"images.npz has 7 entries; found n = 8"):
        data.cifar10(tmp_path, 8)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        (
            {"x_train": np.zeros((2, 32, 32, 3)), "y_train": np.zeros(2, int)},
            r"is float64 \(2, 32, 32, 3\); need uint8",
        ),
        ({"x_train": np.zeros((2, 3, 32, 32), np.uint8), "y_train": np.zeros(2, int)}, r"\(2, 3, 32, 32\); need uint8"),
        (
            {"x_train": np.zeros((2, 32, 32, 3), np.uint8), "y_train": np.zeros(3, int)},
            r"int64 \(3,\); need whole.*\(2,\)",
        ),
        (
            {"x_train": np.zeros((2, 32, 32, 3), np.uint8), "y_train": np.zeros(2)},
            r"float64 \(2,\); need whole numbers",
        ),
        ({"x_train": np.zeros((2, 32, 32, 3), np.uint8), "y_train": np.array([0, -1])}, "labels from -1 to 0"),
        (
            {"x_train": np.zeros((2, 32, 32, 3), np.uint8), "y_train": np.array([0, {}])},
            "cannot be read: Object arrays",
        ),
        ({"x_train": np.zeros((0, 32, 32, 3), np.uint8), "y_train": np.zeros(0, int)}, "has no entries"),
    ],
)
def test_an_npz_of_something_else_is_refused(tmp_path, arrays, message):
    np.savez(tmp_path / "images.npz", **arrays)
    with pytest.raises(ValueError, match=message):
        data.cifar10(tmp_path)


def test_damaged_and_pickled_files_are_refused(tmp_path):
    x, y = drawn(2)
    np.savez(tmp_path / "images.npz", x_train=x, y_train=y)
    whole = (tmp_path / "images.npz").read_bytes()
    (tmp_path / "images.npz").write_bytes(whole[:3000])
    with pytest.raises(ValueError, match=r"is not an .npz: it may be cut off; fetch it again"):
        data.cifar10(tmp_path)
    (tmp_path / "images.npz").write_bytes(whole[:2000] + bytes([whole[2000] ^ 1]) + whole[2001:])
    with pytest.raises(ValueError, match="cannot be read: Bad CRC-32"):
        data.cifar10(tmp_path)
    (tmp_path / "images.npz").unlink()
    with pytest.raises(FileNotFoundError, match=r"neither data_batch_1.bin nor an .npz of CIFAR-10; give a folder"):
        data.cifar10(tmp_path)
    (tmp_path / "cifar-10-batches-py").mkdir()
    (tmp_path / "cifar-10-batches-py" / "data_batch_1").write_bytes(b"never read")
    with pytest.raises(
        ValueError, match=r"Python version, whose pickles are not loaded from disk; need the binary version"
    ):
        data.cifar10(tmp_path)


# --- where files are ---


def test_the_environment_says_where_files_are(tmp_path, monkeypatch):
    monkeypatch.delenv("LAZYRICH_DATA", raising=False)
    with pytest.raises(
        FileNotFoundError, match=r"not set: give folder=, or set LAZYRICH_DATA to .*drawn_digits\(\) or dead_leaves\(\)"
    ):
        data.mnist()
    assert not data.is_available("mnist")
    assert data.load_images("mnist", n=20).source == "drawn_digits"
    assert data.load_images("cifar10", n=20).source == "dead_leaves"
    drawn_twice = data.load_images("mnist", n=20, test=20)
    assert not torch.equal(drawn_twice.train[0], drawn_twice.test[0])
    assert not torch.equal(drawn_twice.train[0], data.load_images("mnist", n=20, test=20, seed=1).train[0])
    monkeypatch.setenv("LAZYRICH_DATA", str(tmp_path))
    for name, load in (("mnist", data.mnist), ("cifar10", data.cifar10)):
        with pytest.raises(FileNotFoundError, match=f"where no file of {name} was found: give folder="):
            load()
        assert not data.is_available(name)
    x, y = drawn(3)
    write_idx(tmp_path / "train-images-idx3-ubyte.gz", x[:, :28, :28, 0])
    write_idx(tmp_path / "train-labels-idx1-ubyte.gz", y)
    assert len(data.mnist()[0]) == 3
    write_binary(tmp_path / "cifar10" / "test_batch.bin", x, y)
    assert len(data.cifar10(train=False)[0]) == 3
    for batch in range(1, 6):
        write_binary(tmp_path / "cifar10" / f"data_batch_{batch}.bin", x, y)
    found = data.load_images("cifar10", n=2, test=3)
    assert found.source == "cifar10"
    whole = data.cifar10(tmp_path / "cifar10")
    for image, label in zip(*found.train, strict=True):
        assert any(torch.equal(image, x) and label == y for x, y in zip(*whole, strict=True))
    assert len(found.test[0]) == 3
    with pytest.raises(ValueError, match="the files have 15 images; found n = 16"):
        data.load_images("cifar10", n=16)
    assert data.is_available("cifar10", tmp_path / "cifar10")
    assert not data.is_available("cifar10", tmp_path)
    with pytest.raises(ValueError, match="there are no images 'imagenet'; need one of mnist, cifar10"):
        data.load_images("imagenet")


# --- the random hierarchy ---


def read_up(grammar, row):
    """Return the label of one input, parsed from the bottom up; fail where a tuple has no meaning or two."""
    symbols = row.reshape(grammar.n_symbols, grammar.vocabulary).argmax(1).tolist()
    for level in reversed(grammar.rules):
        meaning = {}
        for symbol, synonyms in enumerate(level.tolist()):
            for one in synonyms:
                assert tuple(one) not in meaning, "a tuple that belongs to two"
                meaning[tuple(one)] = symbol
        s = level.shape[2]
        symbols = [meaning[tuple(symbols[k : k + s])] for k in range(0, len(symbols), s)]
    (label,) = symbols
    return label


@pytest.mark.parametrize(
    ("levels", "classes", "synonyms", "size", "vocabulary", "rules", "length", "inputs"),
    [
        (3, 8, 4, 2, 8, 96, 8, 131072),
        (2, 3, 2, 2, 4, 14, 4, 24),
        (2, 2, 2, 3, 3, 10, 9, 32),
        (1, 5, 2, 2, 4, 10, 2, 10),
        (3, 2, 1, 1, 3, 8, 1, 2),
        (2, 2, 2, 1, 5, None, None, None),
    ],
)
def test_all_inputs_of_a_hierarchy_are_different_and_have_the_label_that_the_rules_say(
    levels, classes, synonyms, size, vocabulary, rules, length, inputs
):
    made = {"levels": levels, "classes": classes, "synonyms": synonyms, "size": size, "vocabulary": vocabulary}
    if rules is None:
        with pytest.raises(ValueError, match=r"need up to 10 different tuples, but there are 5\^1 = 5: take fewer"):
            data.random_hierarchy_model(**made)
        return
    grammar = data.random_hierarchy_model(**made)
    assert (grammar.n_rules, grammar.n_symbols, grammar.n_inputs) == (rules, length, inputs)
    assert [tuple(level.shape) for level in grammar.rules] == [(classes, synonyms, size)] + [
        (vocabulary, synonyms, size)
    ] * (levels - 1)
    n = min(inputs, 400)
    x, labels = grammar.sample(n)
    assert x.shape == (n, length * vocabulary)
    assert (x.dtype, labels.dtype) == (torch.float32, torch.int64)
    assert torch.equal(x.reshape(n, length, vocabulary).sum(2), torch.ones(n, length))
    assert len(x.unique(dim=0)) == n
    assert [read_up(grammar, row) for row in x] == labels.tolist()
    if n == inputs:
        assert labels.bincount().tolist() == [n // classes] * classes


def test_labels_and_rules_of_a_sample_are_drawn_evenly():
    grammar = data.random_hierarchy_model(seed=3)
    x, labels = grammar.sample(20_000, seed=5)
    assert labels.bincount().tolist() == pytest.approx([2500] * 8, abs=5 * math.sqrt(2500))
    # Of the symbols above the last level, each has each of its synonyms equally often.
    pairs = x.reshape(-1, 4, 2, 8).argmax(3)
    codes = (pairs[..., 0] * 8 + pairs[..., 1]).flatten().bincount(minlength=64)
    for synonyms in grammar.rules[-1]:
        counts = codes[synonyms[:, 0] * 8 + synonyms[:, 1]].double()
        assert counts.tolist() == pytest.approx([float(counts.mean())] * 4, abs=6 * math.sqrt(float(counts.mean())))
    everything, _ = grammar.sample(grammar.n_inputs)
    assert len(everything.unique(dim=0)) == 131072


def test_a_hierarchy_with_more_inputs_than_can_be_counted_off():
    grammar = data.random_hierarchy_model(levels=6, classes=10, synonyms=8, size=2, vocabulary=16)
    assert grammar.n_inputs == 10 * 8**63
    x, labels = grammar.sample(60)
    assert [read_up(grammar, row) for row in x] == labels.tolist()
    assert len(labels.unique()) > 5
    with pytest.raises(ValueError, match=r"0.1 of \d+ inputs are \d+, too many to draw: give train as a number"):
        grammar.split(0.1, 10)


def test_training_and_test_inputs_of_a_hierarchy_are_different():
    grammar = data.random_hierarchy_model(levels=2, classes=4, synonyms=3, size=2, vocabulary=6)
    assert grammar.n_inputs == 4 * 3**3
    (x, labels), (other, their) = grammar.split(0.25, 81, seed=2)
    assert (len(x), len(labels), len(other), len(their)) == (27, 27, 81, 81)
    assert len(torch.cat([x, other]).unique(dim=0)) == 108
    assert [read_up(grammar, row) for row in other] == their.tolist()
    assert len(grammar.split(5, 6)[0][0]) == 5
    with pytest.raises(ValueError, match="has 108 different inputs; found n = 109"):
        grammar.split(28, 81)
    for share in (0.0, -0.5, 1.5):
        with pytest.raises(ValueError, match="train must be a whole number, at least 1"):
            grammar.split(share, 3)


def test_a_hierarchy_is_the_same_each_time():
    one, other, third = (
        data.random_hierarchy_model(),
        data.random_hierarchy_model(),
        data.random_hierarchy_model(seed=1),
    )
    assert all(torch.equal(a, b) for a, b in zip(one.rules, other.rules, strict=True))
    assert not all(torch.equal(a, b) for a, b in zip(one.rules, third.rules, strict=True))
    assert torch.equal(one.sample(50, seed=4)[0], other.sample(50, seed=4)[0])
    assert not torch.equal(one.sample(50, seed=4)[0], one.sample(50, seed=5)[0])
    with pytest.raises(ValueError, match="levels must be a whole number, at least 1; found 0"):
        data.random_hierarchy_model(levels=0)


# --- arithmetic ---


@pytest.mark.parametrize("operation", ["addition", "subtraction", "multiplication", "division"])
@pytest.mark.parametrize("p", [2, 7, 97])
def test_the_answers_of_modular_arithmetic(p, operation):
    train, test = data.modular_arithmetic(p, operation, share=0.3, seed=1)
    seen = set()
    for tokens, answers in (train, test):
        assert tokens.dtype == answers.dtype == torch.int64
        for (x, sign, y, equals), answer in zip(tokens.tolist(), answers.tolist(), strict=True):
            assert (sign, equals) == (p + 1, p)
            assert 0 <= answer < p
            right = {"addition": x + y, "subtraction": x - y, "multiplication": x * y, "division": x}[operation]
            assert ((answer * y if operation == "division" else answer) - right) % p == 0
            assert (x, y) not in seen
            seen.add((x, y))
    first = int(operation in ("multiplication", "division"))
    assert seen == set(itertools.product(range(p), range(first, p)))
    assert len(train[0]) == round(Fraction(3, 10) * len(seen))


def test_modular_arithmetic_is_the_same_each_time_and_refuses_what_it_is_not():
    assert torch.equal(data.modular_arithmetic(seed=3)[0][0], data.modular_arithmetic(seed=3)[0][0])
    assert not torch.equal(data.modular_arithmetic(seed=3)[0][0], data.modular_arithmetic(seed=4)[0][0])
    assert len(data.modular_arithmetic(8, "addition")[0][0]) == 32
    with pytest.raises(ValueError, match=r"division needs a prime p; found 91 = 7 · 13: take another p or operation"):
        data.modular_arithmetic(91)
    with pytest.raises(ValueError, match="p must be a whole number, at least 2; found 1"):
        data.modular_arithmetic(1)
    with pytest.raises(ValueError, match=r"operation must be one of addition, .*found 'power'"):
        data.modular_arithmetic(operation="power")
    for share in (0, 1, 1e-6, 1 - 1e-6, -0.5, math.nan):
        with pytest.raises(ValueError, match="share must leave at least one of the 9312 pairs on each side; found"):
            data.modular_arithmetic(share=share)


# --- dead leaves ---


@pytest.fixture(scope="module")
def two_sets():
    return data.dead_leaves(1000), data.dead_leaves(1000, seed=1)


def slope(images):
    """Return the slope of log power over log frequency, from means over rings, under a Hann window."""
    size = images.shape[-1]
    gray, window = images.double().mean(1), torch.hann_window(size, periodic=False).double()
    power = torch.fft.fft2((gray - gray.mean((1, 2), keepdim=True)) * window[:, None] * window).abs().square().mean(0)
    frequency = torch.fft.fftfreq(size, 1 / size)
    ring = (frequency[:, None] ** 2 + frequency**2).sqrt().round()
    rings = torch.arange(2, size // 2)
    values = [float(power[ring == k].mean()) for k in rings]
    return np.polyfit(np.log(rings), np.log(values), 1)[0]


def test_the_power_of_leaves_falls_like_that_of_natural_images(two_sets):
    generator = torch.Generator().manual_seed(0)
    assert slope(torch.randn(200, 1, 32, 32, generator=generator)) == pytest.approx(0, abs=0.1)
    for images, _ in two_sets:
        assert -2.5 < slope(images) < -2.2


def ridge(train, test, classes, strength=0.1):
    """Return the accuracy of a linear classifier on the pixels of the test set, and the explained fraction of
    variance."""
    (x, y), (other, their) = ((a.flatten(1).double(), torch.eye(classes).double()[b]) for a, b in (train, test))
    gram = x @ x.T
    weights = torch.linalg.solve(gram + strength * gram.trace() / len(x) * torch.eye(len(x)), y - 1 / classes)
    found = other @ x.T @ weights
    right = (found.argmax(1) == their.argmax(1)).double().mean()
    return float(right), float(1 - (their - 1 / classes - found).square().sum() / (their - 1 / classes).square().sum())


def directions(images, classes):
    """Return the class of the angle of the structure tensor; edges are orthogonal to the direction of largest
    change."""
    right = images[..., 1:-1, 2:] - images[..., 1:-1, :-2]
    down = images[..., 2:, 1:-1] - images[..., :-2, 1:-1]
    double = torch.atan2((2 * right * down).sum((1, 2, 3)), (right**2 - down**2).sum((1, 2, 3)))
    return ((double / 2 + math.pi / 2) * classes / math.pi).round().long() % classes


def test_edges_tell_the_label_of_leaves_and_pixels_do_not(two_sets):
    train, test = two_sets
    assert train[1].bincount().tolist() == [125] * 8
    right, explained = ridge(train, test, 8)
    # Chance is 0.125. That of eight scores without a mean the largest is right a little more often is no contradiction:
    # the score of a label varies most on its own images.
    assert right < 0.25
    assert explained < 0.01
    assert float((directions(test[0], 8) == test[1]).double().mean()) > 0.8
    two = data.dead_leaves(500, classes=2), data.dead_leaves(500, classes=2, seed=1)
    assert ridge(*two, 2)[0] == pytest.approx(0.5, abs=0.07)
    assert float((directions(two[1][0], 2) == two[1][1]).double().mean()) > 0.95


def test_leaves_are_the_same_each_time_and_leave_the_random_state_alone(two_sets):
    state = torch.get_rng_state()
    one, other = (
        data.dead_leaves(70, classes=5, size=16, channels=1),
        data.dead_leaves(70, classes=5, size=16, channels=1),
    )
    assert torch.equal(torch.get_rng_state(), state)
    assert one[0].shape == (70, 1, 16, 16)
    assert torch.equal(one[0], other[0])
    assert torch.equal(one[1], other[1])
    images, _ = two_sets[0]
    assert float(images.mean()) == pytest.approx(0, abs=1e-5)
    assert float(images.std()) == pytest.approx(1, abs=1e-5)
    assert images.isfinite().all()
    assert not torch.equal(images, two_sets[1][0])
    with pytest.raises(ValueError, match="size must be a whole number, at least 8; found 4"):
        data.dead_leaves(size=4)
