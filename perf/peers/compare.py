# SPDX-License-Identifier: Apache-2.0
"""One row: the same call through every library, answers compared, times sampled in turns."""
import dataclasses

import numpy as np

from peers.library import CannotExpress
from peers.row import Cell, Row, rank
from peers.sampler import fastest, sample_in_turns
from peers.workload import Workload

REFERENCE_ROWS = 32
REFERENCE_ITEMS = 2   # of the batch of a stage
# Float32 is within 3e-6 on these contents; 1 % off in the scale shows as 1e-3 and more.
TOLERANCE = 1e-5


def _largest_difference(one, other):
    """Item by item of the batch, for the memory."""
    return max((float(np.abs(a - b).max(initial=0)) for a, b in zip(one, other)), key=rank, default=0.0)


def _judge(cell, difference):
    cell.difference = difference
    if not difference <= TOLERANCE:
        cell.status = 'wrong'


def _folded_forms(library, workload, threads):
    folded = workload.folded()
    if folded is None:
        return []
    shape = workload.spec.shape('out')
    return [dataclasses.replace(form, label=', '.join(filter(None, ['groups as rows', form.label])),
                                result=lambda form=form: form.result().reshape(shape))
            for form in library.forms(folded, threads)]


def _all_forms(library, workload, threads, folds_groups):
    folded = _folded_forms(library, workload, threads) if folds_groups else []
    try:
        return library.forms(workload, threads) + folded
    except CannotExpress:
        if folded:
            return folded
        raise


def _answer(cell, forms):
    """The fastest of forms() and its answer, or None; the cell says why."""
    try:
        form = fastest(forms())
        result = form.result()
    except CannotExpress as reason:
        cell.status = f'-: {reason}'
        return None
    except Exception as error:  # libraries raise whatever they like
        cell.status = 'failed: ' + (str(error).strip() or repr(error)).splitlines()[0]
        return None
    cell.form = form.label
    return form, result


def _compare(preset, threads, libraries, min_seconds, heed_forms, peer_forms, heed_difference):
    """`libraries`: heed first."""
    heed, *peers = cells = [Cell(library) for library in libraries]
    answered = _answer(heed, lambda: heed_forms(heed.library))
    if answered is None:
        for cell in peers:
            cell.status = '-: nothing to compare with'
        return Row(preset, threads, cells)
    form, right = answered
    _judge(heed, heed_difference(right))
    measured = [(heed, form)]
    for cell in peers:
        answered = _answer(cell, lambda: peer_forms(cell.library))
        if answered is not None:
            form, result = answered
            _judge(cell, _largest_difference(result, right))
            measured.append((cell, form))
    samplers = sample_in_turns([form.run for _, form in measured], min_seconds)
    for (cell, _), sampler in zip(measured, samplers):
        cell.median_us, cell.spread_pct = sampler.median_us, sampler.spread_pct
    return Row(preset, threads, cells)


def compare(preset, threads, libraries, min_seconds, folds_groups):
    """`libraries`: heed first. folds_groups: the others may also take the heads of a group as rows of one head."""
    workload = Workload(preset.spec)

    def difference(right):
        return max((float(np.abs(right[place] - wanted).max(initial=0))
                    for place, wanted in workload.reference_rows(REFERENCE_ROWS)), key=rank)
    return _compare(preset, threads, libraries, min_seconds, lambda heed: heed.forms(workload, threads),
                    lambda peer: _all_forms(peer, workload, threads, folds_groups), difference)


def compare_stage(stage, threads, libraries, min_seconds):
    def difference(right):
        return float(np.abs(right[:REFERENCE_ITEMS] - stage.reference(REFERENCE_ITEMS)).max())
    return _compare(stage, threads, libraries, min_seconds, lambda heed: heed.forms(stage, threads),
                    lambda peer: peer.forms(stage, threads), difference)
