"""Type aliases of what probes measure."""

from collections.abc import Mapping
from typing import Any

Row = dict[str, Any]  # named numbers and words of one snapshot
State = Mapping[str, Any]  # what `state_dict` returned
