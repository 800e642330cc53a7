#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the first C++ block of a Markdown file to OUTPUT, so that a test can build and run it.

Usage: extract_code.py MARKDOWN OUTPUT
"""
import re
import sys

text = open(sys.argv[1], encoding='utf-8').read()
block = re.search(r'^```cpp\n(.*?)^```$', text, re.DOTALL | re.MULTILINE)
if block is None:
    sys.exit(f'{sys.argv[1]}: no C++ block')
with open(sys.argv[2], 'w', encoding='utf-8') as output:
    output.write(block.group(1))
