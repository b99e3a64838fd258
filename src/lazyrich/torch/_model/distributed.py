"""Which process measures in distributed training."""

import torch


def is_rank_zero() -> bool:
    """Return whether this process measures: rank 0, or the only process."""
    there = torch.distributed.is_available() and torch.distributed.is_initialized()
    return not there or torch.distributed.get_rank() == 0
