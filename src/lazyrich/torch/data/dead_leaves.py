"""Dead leaves: generated images that stand in for natural ones, whose labels are the direction of their edges."""

import math

import torch
from torch import Tensor

from lazyrich._validate.integers import check_int

_LEAF_ASPECT_RATIO = 3.0  # length of a leaf divided by its width
_MEAN_LEAVES_PER_POINT = 2.0  # mean number of leaves that cover a point
_IMAGES_PER_BLOCK = 64  # images drawn at once: their working memory fits in the cache


def dead_leaves(
    n: int = 1000, classes: int = 8, size: int = 32, seed: int = 0, channels: int = 3
) -> tuple[Tensor, Tensor]:
    """Draw n images (n, channels, size, size) of overlapping leaves with mean 0 and variance 1, and their labels.

    Leaves are ellipses of random position and color that hide one another. Their radii r have the density r⁻³ between
    size/40 and size/2, the same at every scale, so that the power falls like a power of the frequency: f^−2.3 for 32
    pixels, where photographs have about f⁻² and CIFAR-10, measured in the same way, f^−3.1. Label k: the leaves point
    in the direction kπ/classes, up to π/(2 classes) off; all labels are equally frequent. Colors are as often bright as
    dark, so every label has the same mean image, and linear regression on pixels learns nothing. The directions of
    edges determine the label.

    >>> images, labels = dead_leaves(16)
    >>> images.shape, labels.bincount().tolist()
    (torch.Size([16, 3, 32, 32]), [2, 2, 2, 2, 2, 2, 2, 2])
    """
    n, classes, channels, size = (
        check_int("n", n),
        check_int("classes", classes),
        check_int("channels", channels),
        check_int("size", size, 8),
    )
    generator = torch.Generator().manual_seed(check_int("seed", seed, 0))
    labels = torch.arange(n)[torch.randperm(n, generator=generator)] % classes
    blocks = [_draw_images(block, classes, size, channels, generator) for block in labels.split(_IMAGES_PER_BLOCK)]
    images = torch.cat(blocks)
    return (images - images.mean()) / images.std(), labels


def _draw_images(labels: Tensor, classes: int, size: int, channels: int, generator: torch.Generator) -> Tensor:
    # With c r⁻³ leaves per area, c π log(rmax/rmin) leaves cover a point. Visible leaves of length 2a have their
    # centers in a square of area (size + 2a)². Radii are therefore drawn in proportion to r⁻³ (size + 2a)², and centers
    # in that square.
    radii = torch.logspace(math.log10(size / 40), math.log10(size / 2), 257)
    near = radii**-2 * (size + 2 * radii * math.sqrt(_LEAF_ASPECT_RATIO)) ** 2
    number = round(_MEAN_LEAVES_PER_POINT / math.pi * float(near.mean()))
    n = len(labels)

    def uniform(*shape: int) -> Tensor:
        return 2 * torch.rand(n, *shape, generator=generator) - 1

    r = radii[torch.multinomial(near, n * number, replacement=True, generator=generator)].reshape(n, number)
    a, b = r * math.sqrt(_LEAF_ASPECT_RATIO), r / math.sqrt(_LEAF_ASPECT_RATIO)
    x, y = ((size / 2 + a) * uniform(number) for _ in range(2))
    angle = (labels[:, None] + uniform(number) / 2) * (math.pi / classes)
    colors = uniform(number + 1, 1) + 0.5 * uniform(number + 1, channels)
    pixels = torch.arange(size) - (size - 1) / 2
    across, down = pixels[None, None] - x[..., None], pixels[None, None] - y[..., None]
    cos, sin = angle.cos()[..., None], angle.sin()[..., None]
    along = (cos * across / a[..., None])[:, :, None], (sin * down / a[..., None])[:, :, :, None]
    aside = (-sin * across / b[..., None])[:, :, None], (cos * down / b[..., None])[:, :, :, None]
    canvas = colors[:, number, :, None, None].repeat(1, 1, size, size)  # the background
    for k in range(number):
        u, v = ((one[:, k] + other[:, k]).square_() for one, other in (along, aside))
        steep = (u * (2 / a[:, k, None, None]) ** 2).addcmul_(v, (2 / b[:, k, None, None]) ** 2).add_(1e-9)
        # Distance inside the rim, to first order, in pixels, which gives the covered part of a pixel.
        cover = (1 - u.add_(v)).mul_(steep.rsqrt_()).add_(0.5).clamp_(0, 1)
        canvas.lerp_(colors[:, k, :, None, None].expand_as(canvas), cover[:, None])
    return canvas
