#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a browser made of a page of heed-audit, against the JSON and the weights of the same run.

  check_report.py PAGE.dom REPORT.json KEY_ALLOWED.npy WEIGHTS.npy     the page after the browser has parsed it
  check_report.py --same-size A.png B.png                              two screenshots, and that they differ

Weights are 3-D, as heed-audit writes them for 3-D tensors: [B, N_q, H * N_k].
"""
import ast
import html.parser
import json
import re
import struct
import sys


class Page(html.parser.HTMLParser):
    """Tables by id as lists of rows, and the titled rectangles of the picture."""

    def __init__(self):
        super().__init__()
        self.tables, self.rects, self.badges = {}, [], []
        self.table = self.cell = self.rect = self.title = self.badge = None

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag == 'table':
            self.table = self.tables.setdefault(attrs.get('id'), [])
        elif tag == 'tr' and self.table is not None:
            self.table.append([])
        elif tag in ('td', 'th') and self.table:
            self.cell = ''
        elif tag == 'rect':
            self.rect = attrs
        elif tag == 'title' and self.rect is not None:
            self.title = ''
        elif tag == 'span' and 'badge' in attrs.get('class', ''):
            self.badge = ''

    def handle_data(self, data):
        if self.cell is not None:
            self.cell += data
        if self.title is not None:
            self.title += data
        if self.badge is not None:
            self.badge += data

    def handle_endtag(self, tag):
        if tag in ('td', 'th') and self.cell is not None:
            self.table[-1].append(self.cell)
            self.cell = None
        elif tag == 'table':
            self.table = None
        elif tag == 'title' and self.title is not None:
            self.rects.append((self.rect, self.title))
            self.title = None
        elif tag == 'rect':
            self.rect = None
        elif tag == 'span' and self.badge is not None:
            self.badges.append(self.badge)
            self.badge = None


def read_npy(path):
    with open(path, 'rb') as file:
        data = file.read()
    length = struct.unpack('<H', data[8:10])[0]
    header = ast.literal_eval(data[10:10 + length].decode('latin1').strip())
    code = {'<f4': 'f', '|b1': '?', '|u1': 'B'}[header['descr']]
    body = data[10 + length:]
    return header['shape'], struct.unpack(f'<{len(body) // struct.calcsize(code)}{code}', body)


failures = []


def expect(what, seen, wanted):
    if seen != wanted:
        failures.append(f'{what}: {seen!r}, expected {wanted!r}')


def check_verdicts(page, report):
    good, bad = '✓ ok', '✗ FAIL'
    expect('the verdict at the top', page.badges[0], good if report['verdict'] == 'ok' else bad)
    table = page.tables['parity']
    column = table[0].index('verdict')
    expect('paths in the parity table', [row[0] for row in table[1:]], [path['path'] for path in report['paths']])
    for row, path in zip(table[1:], report['paths']):
        expect(f'verdict of {row[0]}', row[column], good if path['verdict'] == 'ok' else bad)
        expect(f'max error of {row[0]}', float(row[table[0].index('max error')]), float(f"{path['out']['max']:.2e}"))


def check_tables(page, shown):
    rows, keys = page.tables['rows'][1:], page.tables['keys'][1:]
    expect('lines of rows', len(rows), len(shown['rows']))
    expect('lines of keys', len(keys), len(shown['keys']))
    for line, row in zip(rows, shown['rows']):
        name = f"{row['row']} {row['label']}" if row['label'] is not None else str(row['row'])
        expect('name of a row', line[0], name)
        expect(f'numbers of row {name}', line[1:4],
               [f"{row['sum']:.7f}", f"{row['entropy']:.4f}", f"{row['largest_weight']:.6f}"])
        expect(f'blocked keys of row {name}', int(line[5]), row['blocked_keys'])
    for line, key in zip(keys, shown['keys']):
        expect(f"sum of key {key['key']}", line[1], f"{key['sum']:.6f}")


def check_picture(page, shown, allowed, weights):
    (_, kv_len), allowed = allowed
    (_, q_len, width), weights = weights
    b, h, heads = shown['batch_item'], shown['head'], width // kv_len
    entropies = 0
    cells = {}
    for rect, title in page.rects:
        cell = re.fullmatch(r'row (\d+), key (\d+).*: (\S+)', title)
        if cell:
            cells[int(cell[1]), int(cell[2])] = (rect['class'], cell[3], float(rect['width']) * float(rect['height']))
        entropy = re.fullmatch(r'row (\d+): entropy (\S+) nats', title)
        if entropy:
            entropies += 1
            expect(f'entropy of row {entropy[1]}', entropy[2], f"{shown['rows'][int(entropy[1])]['entropy']:.6f}")
    expect('cells of the picture', len(cells), len(shown['rows']) * kv_len)
    expect('bars of entropy', entropies, len(shown['rows']))
    blocked = 0
    for (row, key), (kind, text, area) in sorted(cells.items()):
        place = f'row {row}, key {key}'
        if area < 1.0:
            failures.append(f'{place}: too small to be seen')
        if not allowed[b * kv_len + key]:
            blocked += 1
            expect(place, (kind, text), ('blocked', 'blocked'))
            continue
        if not re.fullmatch(r'w\d+', kind):
            failures.append(f'{place}: drawn as {kind}, although it may be read')
        weight = weights[(b * q_len + row) * heads * kv_len + h * kv_len + key]
        expect(f'weight of {place}', struct.unpack('<f', struct.pack('<f', float(text)))[0], weight)
    expect('blocked cells', blocked, shown['blocked_cells'])
    if not 0 < blocked < len(cells):
        failures.append('the page to check should have both blocked and other cells')
    return len(cells), blocked


def png_size(path):
    with open(path, 'rb') as file:
        head = file.read(24)
    if head[:8] != b'\x89PNG\r\n\x1a\n':
        sys.exit(f'{path}: not a PNG')
    return struct.unpack('>II', head[16:24])


def main():
    if sys.argv[1] == '--same-size':
        first, second = sys.argv[2:]
        expect('sizes of the screenshots', png_size(first), png_size(second))
        if open(first, 'rb').read() == open(second, 'rb').read():
            failures.append('light and dark look the same')
        said = f'screenshots of {png_size(first)[0]} x {png_size(first)[1]}'
    else:
        dom, report, allowed, weights = sys.argv[1:]
        page = Page()
        with open(dom, encoding='utf-8') as file:
            page.feed(file.read())
        with open(report, encoding='utf-8') as file:
            report = json.load(file)
        check_verdicts(page, report)
        check_tables(page, report['shown'])
        cells, blocked = check_picture(page, report['shown'], read_npy(allowed), read_npy(weights))
        said = f"{len(report['paths'])} verdicts, {len(report['shown']['rows'])} entropies, {cells} cells, {blocked} hatched"
    for failure in failures:
        print(failure, file=sys.stderr)
    if failures:
        sys.exit(1)
    print(said)


main()
