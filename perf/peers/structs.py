# SPDX-License-Identifier: Apache-2.0
"""The structs of heed's C headers, for ctypes. parts_test.py compares their layout with the headers."""
from ctypes import POINTER, Structure, c_char_p, c_float, c_int32, c_int64, c_size_t, c_void_p


class ConstTensor(Structure):
    _fields_ = [('data', c_void_p), ('shape', c_int64 * 4), ('strides', c_int64 * 4), ('dtype', c_int32)]


class Tensor(Structure):
    _fields_ = ConstTensor._fields_


class Mask(Structure):
    _fields_ = [('data', c_void_p), ('shape', c_int64 * 4), ('strides', c_int64 * 4), ('polarity', c_int32)]


class KeyMask(Structure):
    _fields_ = [('data', c_void_p), ('shape', c_int64 * 2), ('strides', c_int64 * 2), ('polarity', c_int32)]


class Position(Structure):
    _fields_ = [('kind', c_int32), ('value', c_int64), ('values', POINTER(c_int64)), ('values_count', c_int64)]


class Window(Structure):
    _fields_ = [('left', c_int64), ('right', c_int64)]


class Options(Structure):
    _fields_ = [
        ('size', c_size_t), ('scale', POINTER(c_float)), ('soft_cap', c_float), ('causal', c_int32),
        ('bias', POINTER(ConstTensor)), ('slopes', POINTER(c_float)), ('slopes_count', c_int64),
        ('sinks', POINTER(c_float)), ('sinks_count', c_int64), ('key_mask', POINTER(KeyMask)),
        ('lengths', POINTER(c_int64)), ('lengths_count', c_int64), ('mask', POINTER(Mask)),
        ('position', POINTER(Position)), ('window', POINTER(Window)),
        ('query_scaling', c_void_p), ('lse', POINTER(Tensor)),
        ('weights', POINTER(Tensor)), ('threads', c_int32), ('path', c_int32), ('isa', c_char_p),
        ('scratch', c_void_p), ('scratch_size', c_size_t)]


BY_C_NAME = {'heed_const_tensor': ConstTensor, 'heed_tensor': Tensor, 'heed_mask': Mask, 'heed_key_mask': KeyMask,
             'heed_position': Position, 'heed_window': Window, 'heed_options': Options}

# Enumerators that the tool uses, by their C names.
ENUMERATORS = {'HEED_F32': 0, 'HEED_BLOCKED': 1, 'HEED_ALLOWED': 2, 'HEED_OFFSET': 3, 'HEED_OK': 0,
               'HEED_MESSAGE_SIZE': 252}
