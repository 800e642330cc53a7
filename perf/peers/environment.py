# SPDX-License-Identifier: Apache-2.0
"""What must be set before any of the libraries is loaded, so that none disturbs another's turn and all find memory
alike."""
import ctypes
import os

# Threads that wait by spinning would compute on the next library's time.
_WAITING = {'OMP_WAIT_POLICY': 'passive', 'GOMP_SPINCOUNT': '0', 'KMP_BLOCKTIME': '0', 'OMP_DYNAMIC': 'false'}
# PyTorch asks for large pages where it is told to; numpy, which makes everyone else's tensors, does so unasked.
_MEMORY = {'THP_MEM_ALLOC_ENABLE': '1'}
_INSTRUCTIONS = {'avx2': {'ONEDNN_MAX_CPU_ISA': 'AVX2', 'ATEN_CPU_CAPABILITY': 'avx2', 'MKL_ENABLE_INSTRUCTIONS': 'AVX2'}}

_M_TRIM_THRESHOLD, _M_MMAP_MAX = -1, -4   # <malloc.h>


def prepare(isa):
    for name, value in {**_WAITING, **_MEMORY, **_INSTRUCTIONS.get(isa, {})}.items():
        os.environ.setdefault(name, value)
    # A large result that a call allocates would else be given back to the system and come back as fresh pages.
    libc = ctypes.CDLL(None)
    libc.mallopt(_M_MMAP_MAX, 0)
    libc.mallopt(_M_TRIM_THRESHOLD, 2**31 - 1)
