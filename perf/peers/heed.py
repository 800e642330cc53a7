# SPDX-License-Identifier: Apache-2.0
"""heed through its C API: the preset's own strides and masks, scratch supplied."""
import ctypes
import os
from ctypes import byref, pointer

import numpy as np

from peers import structs
from peers.library import Form
from peers.structs import ENUMERATORS


class HeedError(RuntimeError):
    """What the library answered instead of HEED_OK."""


def _tensor(kind, array):
    return kind(array.ctypes.data, array.shape, tuple(stride // array.itemsize for stride in array.strides),
                ENUMERATORS['HEED_F32'])


def _c_array(kind, values):
    return (kind * len(values))(*values)


class Heed:
    name = 'heed'

    def __init__(self, path, isa):
        self._library = ctypes.CDLL(str(path))
        self._library.heed_version.restype = ctypes.c_char_p
        self._library.heed_isa_name.restype = ctypes.c_char_p
        names = []
        while (name := self._library.heed_isa_name(len(names))) is not None:
            names.append(name.decode())
        isa = isa or os.environ.get('HEED_ISA') or names[0]
        if isa not in names:
            raise HeedError(f"isa: '{isa}' does not run here, expected one of: {' '.join(names)}")
        self._isa = isa.encode()
        self.version = f'{self._library.heed_version().decode()} ({isa})'

    def _options(self, workload, threads):
        """The struct, and what it points to."""
        spec = workload.spec
        options = structs.Options()
        self._library.heed_options_init(byref(options))
        if options.size != ctypes.sizeof(options):
            raise HeedError(f'heed_options has {options.size} bytes, expected {ctypes.sizeof(options)}')
        kept = []
        if spec.scale is not None:
            options.scale = pointer(ctypes.c_float(spec.scale))
        options.soft_cap = spec.soft_cap
        options.causal = spec.is_causal
        if workload.bias is not None:
            options.bias = pointer(_tensor(structs.ConstTensor, workload.bias))
        if spec.offset is not None:
            options.position = pointer(structs.Position(ENUMERATORS['HEED_OFFSET'], spec.offset))
        if workload.lengths is not None and spec.key_mask is None:
            options.lengths = _c_array(ctypes.c_int64, workload.lengths.tolist())
            options.lengths_count = spec.batch
        elif workload.lengths is not None:
            cells = self._cells(workload.keys, spec.key_mask)
            kept.append(cells)
            options.key_mask = pointer(structs.KeyMask(cells.ctypes.data, cells.shape, cells.strides,
                                                       self._polarity(spec.key_mask)))
        if workload.pairs is not None:
            cells = self._cells(workload.pairs, spec.mask)
            kept.append(cells)
            options.mask = pointer(structs.Mask(cells.ctypes.data, cells.shape, cells.strides,
                                                self._polarity(spec.mask)))
        options.threads = threads
        options.isa = self._isa
        return options, kept

    @staticmethod
    def _polarity(name):
        return ENUMERATORS['HEED_' + name.upper()]

    @staticmethod
    def _cells(visible, polarity):
        return np.ascontiguousarray(visible == (polarity == 'allowed')).view(np.uint8)

    def forms(self, workload, threads):
        spec = workload.spec
        strides = [4 * stride for stride in spec.strides('out')]
        out = np.lib.stride_tricks.as_strided(np.empty(int(np.prod(spec.shape('out'))), np.float32), spec.shape('out'),
                                              strides)
        options, kept = self._options(workload, threads)
        message = ctypes.create_string_buffer(ENUMERATORS['HEED_MESSAGE_SIZE'])
        tensors = [_tensor(structs.ConstTensor, getattr(workload, name)) for name in 'qkv']
        tensors.append(_tensor(structs.Tensor, out))
        call = [*(byref(tensor) for tensor in tensors), byref(options)]
        end = [message, ctypes.c_size_t(len(message))]

        scratch_size = ctypes.c_size_t()
        self._check(self._library.heed_scratch_size(*call, byref(scratch_size), *end), message)
        scratch = np.empty(scratch_size.value, np.uint8)
        options.scratch, options.scratch_size = scratch.ctypes.data, scratch.nbytes

        attention = self._library.heed_attention

        def run():
            return attention(*call, *end)

        def result():
            out[...] = np.nan
            self._check(run(), message)
            return out

        return [Form('', run, result, kept=(workload, tensors, kept, out, scratch))]

    @staticmethod
    def _check(status, message):
        if status != ENUMERATORS['HEED_OK']:
            raise HeedError(message.value.decode())
