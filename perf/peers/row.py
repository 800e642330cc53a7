# SPDX-License-Identifier: Apache-2.0
"""What is known of one call: a cell for each library."""
import dataclasses
import math


@dataclasses.dataclass
class Cell:
    """What one library did in a row."""
    library: object
    form: str = ''
    status: str = 'ok'             # 'ok', 'wrong', '-: WHY it cannot express the call', 'failed: WHY'
    difference: float = math.nan   # largest: heed's from the reference rows, another's from heed
    median_us: float = math.nan
    spread_pct: float = math.nan

    @property
    def is_measured(self):
        return not math.isnan(self.median_us)

    @property
    def is_bad(self):
        return self.status == 'wrong' or self.status.startswith('failed')


@dataclasses.dataclass
class Row:
    preset: object
    threads: int
    cells: list   # heed's first

    @property
    def best_peer(self):
        """The fastest that answered right, or None."""
        peers = [cell for cell in self.cells[1:] if cell.is_measured and cell.status == 'ok']
        return min(peers, key=lambda cell: cell.median_us, default=None)

    @property
    def ratio(self):
        """How many times longer than heed the best of the others takes."""
        return self.best_peer.median_us / self.cells[0].median_us if self.best_peer else math.nan

    @property
    def max_difference(self):
        """NaN when an answer has one."""
        return max((cell.difference for cell in self.cells if cell.is_measured), key=rank, default=math.nan)


def rank(difference):
    return math.inf if math.isnan(difference) else difference
