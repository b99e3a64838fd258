"""Make torchvision importable, and with it timm, where its binary is of another build than PyTorch."""

import importlib.util
from contextlib import suppress

import torch

OPERATORS = (
    "nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
    "qnms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
)
_declared = []  # libraries of operators live as long as these objects


def declare_torchvision_operators():
    """Declare the compiled operators whose names torchvision needs when it is imported, and without which models
    run."""
    if importlib.util.find_spec("torchvision") is None:
        return
    with suppress(ImportError, RuntimeError, OSError):
        import torchvision  # noqa: F401

        return
    library = torch.library.Library("torchvision", "FRAGMENT")
    for schema in OPERATORS:
        library.define(schema)
    _declared.append(library)


declare_torchvision_operators()
