#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes one C++ block of a Markdown file to OUTPUT, so that a test can build and run it.

Usage: extract_code.py MARKDOWN NUMBER OUTPUT, with NUMBER counting from 1
"""
import re
import sys

markdown, number, output_path = sys.argv[1:]
text = open(markdown, encoding='utf-8').read()
blocks = re.findall(r'^```cpp\n(.*?)^```$', text, re.DOTALL | re.MULTILINE)
if len(blocks) < int(number):
    sys.exit(f'{markdown}: {len(blocks)} C++ blocks, expected at least {number}')
with open(output_path, 'w', encoding='utf-8') as output:
    output.write(blocks[int(number) - 1])
