#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Adds up what test programs say of themselves in meson's testlog.json files.

A program's own count is taken from doctest's summary or from a last line "N passed, N failed"; one without
a count is one test. A program that ended badly without counting a failure, say by a crash, has one failure.
Closes with "N passed, N failed" and exits with 1 if any failed or nothing ran.
"""
import json
import re
import sys

DOCTEST = re.compile(r"^\[doctest\] test cases:\s*\d+ \|\s*(\d+) passed \|\s*(\d+) failed \|", re.M)
PLAIN = re.compile(r"^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$", re.M)


def count(test):
    """(passed, failed) of one program."""
    output = test.get("stdout") or ""  # null for a program that was stopped before it said anything
    said = DOCTEST.findall(output) or PLAIN.findall(output)
    ended_well = test["result"] in ("OK", "EXPECTEDFAIL")
    if test["result"] == "SKIP":
        return 0, 0
    if not said or test["result"] == "EXPECTEDFAIL":
        return (1, 0) if ended_well else (0, 1)
    passed = sum(int(numbers[0]) for numbers in said)
    failed = sum(int(numbers[1]) for numbers in said)
    return passed, failed if ended_well else max(failed, 1)


def main(paths):
    passed = failed = 0
    for path in paths:
        with open(path, encoding="utf-8") as log:
            for line in log:
                test = json.loads(line)
                more_passed, more_failed = count(test)
                if more_failed:
                    print(f"{test['name']}: {more_failed} failed ({test['result']})")
                passed += more_passed
                failed += more_failed
    print(f"{passed} passed, {failed} failed")
    return 0 if failed == 0 and passed > 0 else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
