# SPDX-License-Identifier: Apache-2.0
"""The parts of perf/peers.py: heed and other libraries on the same calls."""
