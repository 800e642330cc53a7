#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The parts of perf/peers.py that need no other library: C structs against the headers, specs, the table.

  parts_test.py HEED_SWEEP INCLUDE_FOLDER C_COMPILER...
"""
import ctypes
import io
import math
import pathlib
import subprocess
import sys
import tempfile
import types
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from peers import row as rows, spec, structs, table  # noqa: E402

sweep, include, *compiler = sys.argv[1:]


def print_of_c(expression):
    return f'  printf("%lld\\n", (long long)({expression}));'


class CStructs(unittest.TestCase):
    def test_layout_is_that_of_the_headers(self):
        facts = {}
        for c_name, struct in structs.BY_C_NAME.items():
            facts[f'sizeof({c_name})'] = ctypes.sizeof(struct)
            for field, _ in struct._fields_:
                facts[f'offsetof({c_name}, {field})'] = getattr(struct, field).offset
                facts[f'sizeof((({c_name}*)0)->{field})'] = getattr(struct, field).size
        facts.update(structs.ENUMERATORS)
        with tempfile.TemporaryDirectory() as folder:
            source, program = pathlib.Path(folder, 'layout.c'), pathlib.Path(folder, 'layout')
            source.write_text('\n'.join(['#include <heed/multi_head.h>', '#include <stdio.h>', 'int main(void) {',
                                         *map(print_of_c, facts), '  return 0;', '}', '']))
            subprocess.run([*compiler, '-std=c99', f'-I{include}', str(source), '-o', str(program)], check=True)
            answer = subprocess.run([str(program)], check=True, capture_output=True, text=True).stdout
        self.assertEqual(dict(zip(facts, map(int, answer.split()))), facts)


class Specs(unittest.TestCase):
    def test_every_preset_of_the_sweep_is_read(self):
        presets = spec.list_presets(sweep)
        self.assertGreater(len(presets), 30)
        self.assertGreater(sum(preset.tier == 'quick' for preset in presets), 15)
        chosen = {preset.name: preset.spec for preset in presets}['llama8b-prefill-1k']
        self.assertEqual((chosen.q_heads, chosen.kv_heads, chosen.group, chosen.is_causal), (32, 8, 4, True))

    def test_every_token(self):
        read = spec.parse_spec('b=2 h=8:2 n=10:100 d=64:32 scale=0.5 cap=30 bias=1:8:10:100 key_mask=blocked lengths '
                               'mask=allowed:1:1:10:100 position=bottom_right causal q=bnhd k=0:64:128:1 seed=7 hidden=25')
        self.assertEqual((read.scale, read.soft_cap, read.bias, read.offset), (0.5, 30.0, (1, 8, 10, 100), 90))
        self.assertEqual((read.mask, read.mask_shape, read.seed, read.hidden_percent), ('allowed', (1, 1, 10, 100), 7, 25))
        self.assertTrue(read.has_lengths and read.is_causal and read.key_mask == 'blocked')
        self.assertEqual(read.strides('q'), (5120, 64, 512, 1))
        self.assertEqual(read.strides('k'), (0, 64, 128, 1))
        self.assertEqual(read.strides('v'), (6400, 3200, 32, 1))

    def test_tiers(self):
        listing = '\n'.join(f'{name}  remark, of (brackets){tier}\n      b=1 h=1:1 n=3:3 d=4:4'
                            for name, tier in [('one', ' (quick)'), ('two', ' (full)'), ('three', ' (all)'), ('four', '')])
        self.assertEqual([preset.tier for preset in spec.parse_list(listing)], ['quick', 'full', 'all', 'full'])

    def test_mistakes_are_named(self):
        start = 'b=1 h=1:1 n=3:3 d=4:4 '
        for text, message in [('b=1 n=3:3', "'n=3:3', expected b=, h="), ('b=1 h=1:1', 'ends early'),
                              (start + 'slopes', "'slopes', expected a token that this tool knows"),
                              (start + 'causal=1', "'causal=1', expected a token"), (start + 'cap', "'cap', expected"),
                              (start + 'seed=1 seed=2', 'each token once'), (start + 'k=0:1', '4 numbers'),
                              (start + 'key_mask=maybe', 'blocked or allowed'), ('b=1 h=1 n=3:3 d=4:4', '2 numbers')]:
            with self.assertRaisesRegex(spec.SpecError, message, msg=text):
                spec.parse_spec(text)


class Tables(unittest.TestCase):
    def test_columns_are_aligned_and_the_best_right_answer_is_the_peer(self):
        libraries = [types.SimpleNamespace(name=name, version='1') for name in ('heed', 'one', 'two', 'three')]
        preset = types.SimpleNamespace(name='some-preset', spec=types.SimpleNamespace(text='b=1'))
        row = rows.Row(preset, 2, [rows.Cell(libraries[0], '', 'ok', 1e-6, 10.0, 5.0),
                                   rows.Cell(libraries[1], 'form', 'ok', 2e-6, 12345.6, 5.0),
                                   rows.Cell(libraries[2], '', 'wrong', math.nan, 1.0, 5.0),
                                   rows.Cell(libraries[3], '', '-: no soft cap')])
        self.assertAlmostEqual(row.ratio, 1234.56)
        self.assertTrue(math.isnan(row.max_difference))
        printer = table.Table([preset], libraries)
        header, line = printer.header(), printer.line(row)
        self.assertEqual(header.index('status'), line.index('two wrong'))
        self.assertEqual(header.index('max_diff') + len('max_diff'), line.index('two wrong') - 2)
        self.assertEqual(table.remarks([row]), ['one fastest as form: some-preset (2)', 'three -: no soft cap: some-preset'])
        file = io.StringIO()
        table.CsvFile(file).add(row)
        self.assertEqual(file.getvalue().splitlines()[-1], 'some-preset,b=1,2,three,1,,-,-,-,-,-: no soft cap')


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1], verbosity=2)
