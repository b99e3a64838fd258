"""Read the weights of checkpoints without unpickling code: files of PyTorch, safetensors files, and folders of
transformers."""

import json
from collections.abc import Mapping
from pathlib import Path

import torch
from torch import Tensor, nn

# Keys under which trainers keep the weights, and prefixes that wrappers add to their names.
_WEIGHT_KEYS = ("state_dict", "model_state_dict", "model", "module", "weights")
_PREFIXES = ("_orig_mod.", "module.", "model.", "_forward_module.", "base_model.", "transformer.")
_INDEX, _WHOLE = "model.safetensors.index.json", "model.safetensors"
_DTYPES = {
    "F64": torch.float64, "F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16, "I64": torch.int64,
    "I32": torch.int32, "I16": torch.int16, "I8": torch.int8, "U8": torch.uint8, "BOOL": torch.bool,
}  # fmt: skip


def read_weights(path: Path) -> dict[str, Tensor]:
    """Return the tensors of a checkpoint by name, on the CPU.

    A file of PyTorch is read with `weights_only`, so that it cannot run code. If it has more than weights, those under
    `state_dict`, `model_state_dict`, `model` or `module` are read.
    """
    if path.is_dir():
        return _read_folder(path)
    if not path.exists():
        raise ValueError(f"there is no checkpoint at {path}")
    if path.suffix == ".safetensors":
        return read_safetensors(path)
    try:
        content = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:
        raise ValueError(
            f"{path} cannot be read as weights alone ({str(error).partition(chr(10))[0]:.200}); it is not unpickled "
            "further, since that could run code: save model.state_dict(), or a safetensors file"
        ) from error
    return _weights_in(content, path)


def _weights_in(content: object, path: Path) -> dict[str, Tensor]:
    if isinstance(content, Mapping):
        tensors = {str(name): value for name, value in content.items() if isinstance(value, Tensor)}
        for key in _WEIGHT_KEYS:
            inner = content.get(key)
            if isinstance(inner, Mapping) and any(isinstance(value, Tensor) for value in inner.values()):
                return _weights_in(inner, path)
        if tensors:
            return tensors
    raise ValueError(f"{path} holds no weights by name (a state_dict): found {type(content).__name__}")


def _read_folder(path: Path) -> dict[str, Tensor]:
    index = path / _INDEX
    if index.exists():
        names = sorted(set(json.loads(index.read_text(encoding="utf-8"))["weight_map"].values()))
    else:
        names = [name for name in (_WHOLE, "adapter_model.safetensors", "pytorch_model.bin") if (path / name).exists()]
        names = names[:1]
    if not names:
        raise ValueError(f"the folder {path} has neither {_WHOLE} nor {_INDEX}, adapter_model.safetensors or a .bin")
    weights: dict[str, Tensor] = {}
    for name in names:
        if Path(name).name != name:
            raise ValueError(f"the index of {path} names a file outside of the folder: {name!r}")
        weights |= read_weights(path / name)
    return weights


def read_safetensors(path: Path) -> dict[str, Tensor]:
    """Return the tensors of a safetensors file: the length of a JSON header, the header, and the numbers."""
    data = path.read_bytes()
    length = int.from_bytes(data[:8], "little")
    try:
        header = json.loads(data[8 : 8 + length])
    except ValueError as error:
        raise ValueError(f"{path} is not a safetensors file: its header cannot be read ({error})") from error
    body, weights = memoryview(data)[8 + length :], {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        if entry["dtype"] not in _DTYPES:
            raise ValueError(f"'{name}' in {path} has the dtype {entry['dtype']}, which is not read here")
        start, stop = entry["data_offsets"]
        part = bytearray(body[start:stop])
        dtype = _DTYPES[entry["dtype"]]
        empty = torch.empty(0, dtype=dtype)
        weights[name] = (torch.frombuffer(part, dtype=dtype) if part else empty).reshape(entry["shape"])
    return weights


def load_weights(model: nn.Module, weights: Mapping[str, Tensor], what: str) -> None:
    """Load weights into a model by name, whatever prefixes its wrappers have added.

    All trainable parameters have to be there. Frozen ones may be missing, as in the checkpoint of an adapter.
    """
    own_state = model.state_dict()
    renamed = {_own_name(name, own_state): value for name, value in weights.items()}
    matching = {name: value for name, value in renamed.items() if name in own_state}
    trainable = [name for name, p in model.named_parameters() if p.requires_grad]
    if missing := [name for name in trainable if name not in matching]:
        there = ", ".join(list(weights)[:4])
        raise ValueError(
            f"{what} lacks the trainable parameter '{missing[0]}' ({len(missing)} of {len(trainable)} missing); it has "
            f"{there}, ...: is it of this model?"
        )
    for name, value in matching.items():
        if own_state[name].shape != value.shape:
            raise ValueError(
                f"'{name}' has shape {tuple(value.shape)} in {what}; the model needs {tuple(own_state[name].shape)}"
            )
    model.load_state_dict(matching, strict=False)


def _own_name(name: str, own_state: Mapping[str, Tensor]) -> str:
    """Return the name in the model: without prefixes of wrappers, or with one that the checkpoint lacks."""
    stripped = name
    while stripped not in own_state:
        prefix = next((prefix for prefix in _PREFIXES if stripped.startswith(prefix)), None)
        if prefix is None:
            break
        stripped = stripped.removeprefix(prefix)
    if stripped in own_state:
        return stripped
    return next((prefix + name for prefix in _PREFIXES if prefix + name in own_state), name)
