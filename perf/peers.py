#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""heed beside PyTorch, ONNX Runtime and OpenVINO: heed-sweep's presets through each that is installed, in one
process, in turns. perf/README.md explains the rules and the table."""
import argparse
import contextlib
import functools
import importlib
import importlib.util
import os
import pathlib
import subprocess
import sys

from peers import environment
from peers.spec import SpecError, TIERS, list_presets

BAD_ROWS, BAD_ARGUMENTS = 1, 2
# Module of this tool: the packages that it needs.
PEERS = {'pytorch': ['torch'], 'onnx_runtime': ['onnxruntime', 'onnx'], 'open_vino': ['openvino']}
MODULE_PEERS = {'pytorch_stages': ['torch']}


class ArgumentError(Exception):
    """A mistake of the user's: the argument, what was wanted and what came."""


def thread_counts(text):
    counts = [int(part) if part.isascii() and part.isdigit() else 0 for part in text.split(',')]
    if min(counts) < 1:
        raise argparse.ArgumentTypeError(f"'{text}', expected counts such as 1,2")
    return counts


def seconds(text):
    with contextlib.suppress(ValueError):
        if 0 <= float(text) <= 3600:
            return float(text)
    raise argparse.ArgumentTypeError(f"'{text}', expected seconds from 0 to 3600")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument('--preset', metavar='NAME,...', help="presets to run; default: those of the sweep's quick tier")
    parser.add_argument('--full', action='store_true', help='the full tier too')
    parser.add_argument('--threads', metavar='N,...', type=thread_counts, default=[1, 2], help='default: 1,2')
    parser.add_argument('--min-time', metavar='S', type=seconds, default=0.5,
                        help='seconds to sample each library of a row for, at least; default: 0.5')
    parser.add_argument('--module', action='store_true', help='whole attention stages of tabular models, projections '
                        "included, by heed's module and as PyTorch code makes them, instead of presets")
    parser.add_argument('--fold-groups', action='store_true', help='the others may also take the query heads of a group as '
                        'rows of one head: a rewriting of the call that no mask or causal order stands against')
    parser.add_argument('--isa', metavar='NAME', default='', help="heed's ISA; default: the best one that runs here. avx2 "
                        "also holds PyTorch, OpenVINO and oneDNN to AVX2; ONNX Runtime can't be held")
    parser.add_argument('--csv', metavar='FILE', help='write the rows there too; -: to standard output, '
                        'and everything else to standard error')
    parser.add_argument('--build', metavar='FOLDER', type=pathlib.Path,
                        default=pathlib.Path(__file__).resolve().parents[1] / 'build',
                        help='where libheed and heed-sweep were built; default: build in this checkout')
    return parser.parse_args()


def chosen_presets(arguments):
    sweep = arguments.build / 'perf' / 'heed-sweep'
    try:
        presets = list_presets(sweep)
    except (OSError, subprocess.CalledProcessError) as error:
        raise ArgumentError(f'--build: {sweep} does not run ({error}); build it, or name another folder') from None
    if arguments.preset is None:
        tiers = TIERS[:2] if arguments.full else TIERS[:1]
        return [preset for preset in presets if preset.tier in tiers]
    by_name = {preset.name: preset for preset in presets}
    names = arguments.preset.split(',')
    for name in names:
        if name not in by_name:
            raise ArgumentError(f"--preset: '{name}' is unknown, expected a name that heed-sweep --list shows")
    return [by_name[name] for name in names]


def load_heed(arguments):
    from peers.heed import Heed, HeedError
    from peers.heed_stages import HeedStages
    library = arguments.build / 'src' / 'libheed.so'
    try:
        return (HeedStages if arguments.module else Heed)(library, arguments.isa)
    except OSError as error:
        raise ArgumentError(f'--build: {library} cannot be loaded ({error})') from None
    except HeedError as error:
        raise ArgumentError(error) from None


def load_peers(modules):
    """The libraries that are installed, and the names of the packages that are not."""
    installed, absent = [], []
    for module, packages in modules.items():
        missing = [package for package in packages if importlib.util.find_spec(package) is None]
        if missing:
            absent += missing
        else:
            installed += importlib.import_module(f'peers.{module}').libraries()
    return installed, absent


def open_csv(path, stack):
    if path is None or path == '-':
        return path and sys.stdout
    try:
        return stack.enter_context(open(path, 'w', encoding='utf-8'))
    except OSError as error:
        raise ArgumentError(f"--csv: '{path}' can't be opened for writing ({error.strerror})") from None


def run():
    arguments = parse_arguments()
    presets = [] if arguments.module else chosen_presets(arguments)
    environment.prepare(arguments.isa)
    try:
        import numpy
    except ImportError:
        raise ArgumentError('numpy is not installed for this Python') from None
    from peers.compare import compare, compare_stage
    from peers.stages import all_stages
    from peers.table import CsvFile, Table, remarks
    # PyTorch's own OpenMP comes first: heed then finds one there, and the process has no second.
    peers, absent = load_peers(MODULE_PEERS if arguments.module else PEERS)
    libraries = [load_heed(arguments), *peers]

    # Remarks go where they can't be taken for lines of CSV.
    note = functools.partial(print, file=sys.stderr if arguments.csv == '-' else sys.stdout, flush=True)
    note(f'Python {sys.version.split()[0]}, numpy {numpy.__version__}')
    for library in libraries:
        note(f'{library.name}: {library.version}')
    for package in absent:
        note(f'{package}: not installed')
    if not peers:
        raise ArgumentError('nothing to compare with: install torch' +
                            ('' if arguments.module else ', onnxruntime and onnx, or openvino'))
    if arguments.module:
        presets = all_stages()

    table = Table(presets, libraries)
    rows = []
    with contextlib.ExitStack() as stack:
        file = open_csv(arguments.csv, stack)
        csv_file = CsvFile(file) if file else None
        note(table.header())
        for number, preset in enumerate(presets, 1):
            for threads in arguments.threads:
                if sys.stderr.isatty():
                    print(f'[{number}/{len(presets)}] {preset.name}, threads {threads}', end='\r', file=sys.stderr)
                rows.append(compare_stage(preset, threads, libraries, arguments.min_time) if arguments.module else
                            compare(preset, threads, libraries, arguments.min_time, arguments.fold_groups))
                if sys.stderr.isatty():
                    print('\033[K', end='', file=sys.stderr)
                note(table.line(rows[-1]))
                if csv_file:
                    csv_file.add(rows[-1])
    note(*remarks(rows), sep='\n')
    return BAD_ROWS if any(cell.is_bad for row in rows for cell in row.cells) else 0


def main():
    try:
        return run()
    except (ArgumentError, SpecError) as error:
        print(f'peers.py: {error}', file=sys.stderr)
        return BAD_ARGUMENTS
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BAD_ROWS


if __name__ == '__main__':
    sys.exit(main())
