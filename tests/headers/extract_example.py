#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a program of the example in a public header, the section "The call" of its opening comment.

Usage: extract_example.py HEADER OUTPUT. The language is that of OUTPUT's name: .c or .cpp. The program
exits 0 when the example's variable `status` says that the call was right.
"""
import os
import sys

BEGIN = "// ---- The call "
END = "// ----"
FRAMES = {
    "c": ("#include <heed/{header}>\n#include <stdio.h>\n\nint main(void) {\n", "  return status != HEED_OK;\n}\n"),
    "cpp": ("#include <heed/{header}>\n#include <cstdio>\n\nint main() {\n", "  return status.ok() ? 0 : 1;\n}\n"),
}


def example_lines(header):
    inside = False
    for line in header:
        if line.startswith(BEGIN):
            inside = True
        elif inside and line.startswith(END):
            return
        elif inside and line.startswith("//   "):
            yield line[len("// "):]


def main():
    header_path, output_path = sys.argv[1:]
    with open(header_path, encoding="utf-8") as header:
        lines = list(example_lines(header))
    if not lines:
        sys.exit(f"{header_path}: no example between '{BEGIN}' and '{END}'")
    before, after = FRAMES[output_path.rsplit(".", 1)[1]]
    with open(output_path, "w", encoding="utf-8") as output:
        output.write(before.replace("{header}", os.path.basename(header_path)) + "".join(lines) + after)


main()
