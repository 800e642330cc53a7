# SPDX-License-Identifier: Apache-2.0
"""Rows as an aligned table for people and as CSV for programs."""
import csv
import math
import textwrap

CSV_COLUMNS = ['preset', 'spec', 'threads', 'library', 'version', 'form', 'median_us', 'spread_pct', 'ratio', 'max_diff',
               'status']


def _time(cell):
    """Four digits that count, and the spread."""
    if not cell.is_measured:
        return '-'
    digits = max(0, 3 - math.floor(math.log10(cell.median_us)))
    return f'{cell.median_us:.{min(digits, 3)}f} ±{cell.spread_pct:.0f}%'


def _number(value, form):
    return '-' if math.isnan(value) else format(value, form)


class Table:
    """Column widths are fixed before the first row, so that rows can be printed as they come."""

    def __init__(self, presets, libraries):
        self._titles = ['preset', 'threads', *(f'{library.name} us' for library in libraries), 'ratio', 'max_diff']
        self._name_width = max([6] + [len(preset.name) for preset in presets])
        self._widths = [7, *(max(15, len(library.name) + 3) for library in libraries), 8, 8]

    def _line(self, name, *others):
        *columns, status = others
        return '  '.join([name.ljust(self._name_width), *map(str.rjust, columns, self._widths), status])

    def header(self):
        return self._line(*self._titles, 'status')

    def line(self, row):
        bad = [f'{cell.library.name} {cell.status}' for cell in row.cells if cell.is_bad]
        return self._line(row.preset.name, str(row.threads), *map(_time, row.cells), _number(row.ratio, '.2f'),
                          _number(row.max_difference, '.1e'), '; '.join(bad) or 'ok')


def remarks(rows):
    """Which form each library took, where it had a choice, and why a call has no time."""
    found = {}
    for row in rows:
        for cell in row.cells:
            if cell.status.startswith('-'):
                found.setdefault((cell.library.name, cell.status), []).append(row.preset.name)
            elif cell.form:
                found.setdefault((cell.library.name, f'fastest as {cell.form}'), []).append(
                    f'{row.preset.name} ({row.threads})')
    return [textwrap.fill(f'{name} {text}: {", ".join(dict.fromkeys(presets))}', 120, subsequent_indent='  ')
            for (name, text), presets in found.items()]


class CsvFile:
    def __init__(self, file):
        self._file = file
        self._writer = csv.writer(file, lineterminator='\n')
        self._writer.writerow(CSV_COLUMNS)

    def add(self, row):
        heed = row.cells[0].median_us
        for cell in row.cells:
            self._writer.writerow([
                row.preset.name, row.preset.spec.text, row.threads, cell.library.name, cell.library.version, cell.form,
                _number(cell.median_us, '.3f'), _number(cell.spread_pct, '.1f'),
                _number(cell.median_us / heed, '.3f'), _number(cell.difference, '.2e'), cell.status])
        self._file.flush()
