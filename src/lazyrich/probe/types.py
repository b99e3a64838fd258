"""Type aliases of what probes measure."""

from collections.abc import Mapping
from typing import Any

Row = dict[str, Any]  # names and values: the measurements of one snapshot, or a state to be saved
State = Mapping[str, Any]  # the same, to be read only
