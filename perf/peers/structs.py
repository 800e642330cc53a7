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


class RotaryTable(Structure):
    _fields_ = [('cosines', POINTER(c_float)), ('sines', POINTER(c_float)), ('positions', c_int64), ('width', c_int64)]


class ScalingMlp(Structure):
    _fields_ = [field for name in ('w1', 'b1', 'w2', 'b2')
                for field in ((name, POINTER(c_float)), (f'{name}_count', c_int64))]


class QueryScaling(Structure):
    _fields_ = [('size', c_size_t), ('factors', POINTER(c_float)), ('factors_count', c_int64), ('base', ScalingMlp),
                ('gate', ScalingMlp), ('key_count', c_int64), ('key_counts', POINTER(c_int64)),
                ('key_counts_count', c_int64)]


class Linear(Structure):
    _fields_ = [('weights', POINTER(c_float)), ('outputs', c_int64), ('inputs', c_int64), ('output_stride', c_int64),
                ('input_stride', c_int64), ('bias', POINTER(c_float)), ('bias_count', c_int64), ('packed', c_void_p)]


class RmsNorm(Structure):
    _fields_ = [('weights', POINTER(c_float)), ('weights_count', c_int64), ('epsilon', c_float)]


class HeadRotation(Structure):
    _fields_ = [('table', RotaryTable), ('pairs', c_int32), ('first_query', c_int64), ('first_key', c_int64),
                ('query_positions', POINTER(c_int64)), ('query_positions_count', c_int64),
                ('key_positions', POINTER(c_int64)), ('key_positions_count', c_int64)]


class MultiHead(Structure):
    _fields_ = [('size', c_size_t), ('q_heads', c_int64), ('kv_heads', c_int64), ('w_q', Linear), ('w_k', Linear),
                ('w_v', Linear), ('w_o', Linear), ('q_norm', RmsNorm), ('k_norm', RmsNorm),
                ('rotation', POINTER(HeadRotation))]


class Options(Structure):
    _fields_ = [
        ('size', c_size_t), ('scale', POINTER(c_float)), ('soft_cap', c_float), ('causal', c_int32),
        ('bias', POINTER(ConstTensor)), ('slopes', POINTER(c_float)), ('slopes_count', c_int64),
        ('sinks', POINTER(c_float)), ('sinks_count', c_int64), ('key_mask', POINTER(KeyMask)),
        ('lengths', POINTER(c_int64)), ('lengths_count', c_int64), ('mask', POINTER(Mask)),
        ('position', POINTER(Position)), ('window', POINTER(Window)),
        ('query_scaling', POINTER(QueryScaling)), ('lse', POINTER(Tensor)),
        ('weights', POINTER(Tensor)), ('threads', c_int32), ('path', c_int32), ('isa', c_char_p),
        ('scratch', c_void_p), ('scratch_size', c_size_t)]


BY_C_NAME = {'heed_const_tensor': ConstTensor, 'heed_tensor': Tensor, 'heed_mask': Mask, 'heed_key_mask': KeyMask,
             'heed_position': Position, 'heed_window': Window, 'heed_options': Options, 'heed_rotary_table': RotaryTable,
             'heed_scaling_mlp': ScalingMlp, 'heed_query_scaling': QueryScaling, 'heed_linear': Linear,
             'heed_rms_norm': RmsNorm, 'heed_head_rotation': HeadRotation, 'heed_multi_head': MultiHead}

# Enumerators that the tool uses, by their C names.
ENUMERATORS = {'HEED_F32': 0, 'HEED_BLOCKED': 1, 'HEED_ALLOWED': 2, 'HEED_OFFSET': 3, 'HEED_OK': 0,
               'HEED_MESSAGE_SIZE': 252}
