"""Which of several processes measures."""

import torch


def is_rank_zero() -> bool:
    """Is this the process that measures?"""
    there = torch.distributed.is_available() and torch.distributed.is_initialized()
    return not there or torch.distributed.get_rank() == 0
