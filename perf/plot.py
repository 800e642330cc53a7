#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws what heed-sweep --csv measured: a roofline plot, and a bar chart of the paths of each preset.

Several files are taken together; a row that stands in more than one of them counts as the last one has it.
For each thread count, and for cold rows apart from warm ones: roofline-*.png, .svg and paths-*.png, .svg.
Needs matplotlib (Debian: python3-matplotlib).
"""
import argparse
import csv
import math
import pathlib
import sys

try:
    import matplotlib
except ImportError:
    sys.exit('plot.py: needs matplotlib, which is not installed (Debian: python3-matplotlib)')
matplotlib.use('Agg')
import matplotlib.pyplot as pyplot  # noqa: E402
from matplotlib.text import Text  # noqa: E402
from matplotlib.ticker import FuncFormatter  # noqa: E402
from matplotlib.transforms import Bbox  # noqa: E402

# Okabe and Ito: told apart by colour-blind readers too. One colour for each path and ISA, by first appearance.
COLOURS = ['#0072B2', '#E69F00', '#009E73', '#CC79A7', '#D55E00', '#56B4E9', '#555555']
MARKERS = ['o', 's', '^', 'D', 'v', 'P', 'X']
LEADER = {'arrowstyle': '-', 'color': '#aaaaaa', 'linewidth': 0.5, 'shrinkA': 0, 'shrinkB': 3}
NUMBERS = ['threads', 'median_us', 'spread_pct', 'gflops', 'roofline_pct', 'flops_per_byte', 'peak_gflops', 'read_gbytes_s']
TEXTS = ['preset', 'spec', 'path', 'isa', 'status', 'cache', 'storage']
STYLE = {'font.size': 10, 'axes.spines.top': False, 'axes.spines.right': False, 'axes.edgecolor': '#666666',
         'axes.grid': True, 'grid.color': '#dddddd', 'grid.linewidth': 0.6, 'axes.axisbelow': True,
         'figure.facecolor': 'white', 'savefig.facecolor': 'white', 'legend.frameon': False,
         'svg.hashsalt': 'heed', 'svg.fonttype': 'path'}


def read_rows(paths):
    """The measured and right rows of all files, the last one of each key."""
    rows = {}
    for path in paths:
        try:
            with open(path, newline='', encoding='utf-8') as file:
                lines = list(csv.DictReader(file))
        except OSError as error:
            sys.exit(f'plot.py: {path}: {error.strerror}')
        missing = [name for name in TEXTS + NUMBERS if not lines or name not in lines[0]]
        if missing:
            sys.exit(f'plot.py: {path}: expected rows of heed-sweep --csv, without column {missing[0]}')
        for number, line in enumerate(lines, start=2):
            if not (line['status'] or '').startswith('ok'):
                continue
            try:
                row = {name: float(line[name]) for name in NUMBERS} | {name: line[name] for name in TEXTS}
            except (TypeError, ValueError):
                sys.exit(f'plot.py: {path}:{number}: expected numbers in {", ".join(NUMBERS)}')
            row['name'] = row['spec'] if row['preset'] == '-' else row['preset']
            row['way'] = ' '.join(part for part in (row['path'], row['isa']) if part != '-')
            row['is_busy'] = row['status'] != 'ok'
            rows[tuple(row[key] for key in ('preset', 'spec', 'path', 'isa', 'threads', 'cache'))] = row
    if not rows:
        sys.exit(f'plot.py: no row with status ok in {", ".join(map(str, paths))}')
    storages = {row['storage'] for row in rows.values()}
    for row in rows.values():
        if len(storages) > 1:
            row['way'] += f' {row["storage"]}'
    return list(rows.values())


def median(values):
    ordered = sorted(values)
    return 0.5 * (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2])


def plain(value, _=None):
    return f'{value:g}'


def title_of(what, rows):
    threads = int(rows[0]['threads'])
    return f'{what}, {threads} thread{"s" if threads > 1 else ""}, {rows[0]["cache"]} tensors'


def place_labels(axes, labels, taken):
    """A name at each point where there is room, near before far, with a line to it from afar: none overlaps another or
    what is taken. A name without room is left out."""
    renderer = axes.figure.canvas.get_renderer()
    frame = axes.get_window_extent(renderer)
    angles = sorted(range(0, 360, 15), key=lambda angle: min(angle, abs(angle - 180), 360 - angle))
    for x, y, name in sorted(labels, key=lambda label: -label[1]):
        for radius, angle in ((radius, angle) for radius in (7, 13, *range(20, 160, 9)) for angle in angles):
            dx, dy = radius * math.cos(math.radians(angle)), radius * math.sin(math.radians(angle))
            side = 'left' if dx > 1 else 'right' if dx < -1 else 'center'
            label = axes.annotate(name, (x, y), (dx, dy), textcoords='offset points', ha=side, va='center', fontsize=7.5,
                                  color='#333333', zorder=4, arrowprops=LEADER if radius > 13 else None)
            label.update_positions(renderer)
            box = Text.get_window_extent(label, renderer).padded(1.5)
            if frame.containsx(box.x0) and frame.containsx(box.x1) and frame.containsy(box.y0) and frame.containsy(box.y1) \
                    and not any(box.overlaps(other) for other in taken):
                taken.append(box)
                break
            label.remove()


def boxes_around(axes, points, half):
    scale = axes.figure.dpi / 72
    return [Bbox([[x - half * scale, y - half * scale], [x + half * scale, y + half * scale]])
            for x, y in axes.transData.transform(points)]


def draw_roofs(axes, rows, left, right):
    """What memory and the FMA units allow; returns where names must not stand."""
    read = median([row['read_gbytes_s'] for row in rows])
    # A path without ISAs is measured against the slowest one; its roof is drawn where there is no other.
    isas = {row['isa'] for row in rows} - {'-'} or {'-'}
    peaks = {isa: median([row['peak_gflops'] for row in rows if row['isa'] == isa]) for isa in isas}
    texts, line = [], []
    for peak, names in by(peaks, lambda isa: f'{peaks[isa]:.0f}').items():
        height = peaks[names[0]]
        ridge = height / read
        axes.plot([left, ridge, right], [left * read, height, height], color='#333333', linewidth=1.4, zorder=1)
        line += [(x, min(x * read, height)) for x in (left * (right / left) ** (step / 400) for step in range(401))]
        texts.append(axes.text(right, height * 1.04, f'FMA peak {peak} GFLOP/s ({", ".join(sorted(names))}) ', ha='right',
                               va='bottom', fontsize=9, color='#333333'))
    (x0, y0), (x1, y1) = axes.transData.transform([(left, left * read), (2 * left, 2 * left * read)])
    texts.append(axes.annotate(f'memory reads {read:.1f} GB/s', (1.15 * left, 1.15 * left * read), (0, 4),
                               textcoords='offset points', fontsize=9, color='#333333', ha='left', va='bottom',
                               rotation=math.degrees(math.atan2(y1 - y0, x1 - x0)), rotation_mode='anchor'))
    axes.figure.canvas.draw()
    renderer = axes.figure.canvas.get_renderer()
    return [Text.get_window_extent(text, renderer) for text in texts] + boxes_around(axes, line, 2)


def draw_roofline(rows, ways):
    """GFLOP/s over flops per byte, both logarithmic, below what memory and the FMA units allow."""
    figure, axes = pyplot.subplots(figsize=(10, 6.4), layout='constrained')
    peak = max(row['peak_gflops'] for row in rows)
    read = median([row['read_gbytes_s'] for row in rows])
    left = min(row['flops_per_byte'] for row in rows) / 2
    right = 2 * max(max(row['flops_per_byte'] for row in rows), 4 * peak / read)
    bottom = min(min(row['gflops'] for row in rows), left * read) / 2
    axes.set(xscale='log', yscale='log', xlim=(left, right), ylim=(bottom, 2.5 * peak), xlabel='flops per byte moved',
             ylabel='GFLOP/s')
    for way, (colour, marker) in ways.items():
        for row in (row for row in rows if row['way'] == way):
            axes.scatter(row['flops_per_byte'], row['gflops'], s=34, marker=marker, linewidth=1.1, zorder=3,
                         color='none' if row['is_busy'] else colour, edgecolor=colour)
        axes.scatter([], [], s=34, marker=marker, color=colour, label=way)
    if any(row['is_busy'] for row in rows):
        axes.scatter([], [], s=34, marker='o', color='none', edgecolor='#666666', label='hollow: busy')
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(FuncFormatter(plain))
    axes.set_title(title_of('Roofline', rows), loc='left', fontweight='bold')
    legend = axes.legend(loc='lower right')
    figure.canvas.draw()  # where things lie is settled now
    figure.set_layout_engine('none')
    points = [(row['flops_per_byte'], row['gflops']) for row in rows]
    taken = draw_roofs(axes, rows, left, right) + boxes_around(axes, points, 4) + [legend.get_window_extent()]
    first = next(iter(ways))
    place_labels(axes, [(row['flops_per_byte'], row['gflops'], row['name']) for row in rows if row['way'] == first], taken)
    return figure


def draw_paths(rows, ways):
    """A bar for each path of each preset: how near it came to its roof."""
    names = list(dict.fromkeys(row['name'] for row in rows))
    height = 0.82 / len(ways)
    figure, axes = pyplot.subplots(figsize=(9, 1.3 + len(names) * max(0.26, 0.17 * len(ways) + 0.06)), layout='constrained')
    for place, (way, (colour, _)) in enumerate(ways.items()):
        of_way = {row['name']: row for row in rows if row['way'] == way}
        for line, name in enumerate(names):
            if name not in of_way:
                continue
            row = of_way[name]
            at = line + (place - 0.5 * (len(ways) - 1)) * height
            axes.barh(at, row['roofline_pct'], 0.92 * height, color='white' if row['is_busy'] else colour, edgecolor=colour,
                      hatch='////' if row['is_busy'] else None, linewidth=0.8)
            busy = ', busy' if row['is_busy'] else ''
            axes.text(row['roofline_pct'] + 0.8, at, f'{row["roofline_pct"]:.0f} %  {time_text(row["median_us"])}{busy}',
                      va='center', fontsize=7.5, color='#333333', zorder=4,
                      bbox={'facecolor': 'white', 'edgecolor': 'none', 'pad': 0.6})
    axes.set(yticks=range(len(names)), yticklabels=names, ylim=(len(names) - 0.4, -0.6),
             xlim=(0, 1.22 * max(100.0, max(row['roofline_pct'] for row in rows))),
             xlabel='% of what FMA units and memory allow (roofline_pct)')
    axes.axvline(100, color='#333333', linewidth=1.2, zorder=0.8)
    axes.grid(axis='y', visible=False)
    axes.tick_params(axis='y', length=0)
    axes.set_title(title_of('Paths', rows), loc='left', fontweight='bold')
    handles = [matplotlib.patches.Patch(color=colour, label=way) for way, (colour, _) in ways.items()]
    axes.legend(handles=handles, loc='lower right', bbox_to_anchor=(1, 1), ncols=len(handles), borderaxespad=0.2)
    return figure


def time_text(median_us):
    return f'{median_us:.3g} µs' if median_us < 999.5 else f'{1e-3 * median_us:.3g} ms'


def by(items, key):
    groups = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return groups


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('csv', nargs='+', type=pathlib.Path, help='what heed-sweep --csv wrote')
    parser.add_argument('--out', type=pathlib.Path, default=pathlib.Path('.'), metavar='FOLDER',
                        help='where the pictures go; made where it is missing; default: here')
    arguments = parser.parse_args()
    rows = read_rows(arguments.csv)
    try:
        arguments.out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        parser.error(f'--out: {arguments.out}: {error.strerror}')
    names = list(dict.fromkeys(row['way'] for row in rows))
    ways = {way: (COLOURS[n % len(COLOURS)], MARKERS[n % len(MARKERS)]) for n, way in enumerate(names)}
    with matplotlib.rc_context(STYLE):
        for (threads, cache), group in by(rows, lambda row: (int(row['threads']), row['cache'])).items():
            present = {way: ways[way] for way in ways if any(row['way'] == way for row in group)}
            for what, draw in (('roofline', draw_roofline), ('paths', draw_paths)):
                figure = draw(group, present)
                for ending in ('png', 'svg'):
                    file = arguments.out / f'{what}-{threads}-{cache}.{ending}'
                    figure.savefig(file, dpi=150, metadata={'Date': None} if ending == 'svg' else None)
                    print(file)
                pyplot.close(figure)


main()
