# SPDX-License-Identifier: Apache-2.0
"""Stages by heed's module through its C API: scratch and outputs supplied."""
import ctypes
from ctypes import byref, pointer

import numpy as np

from peers import structs
from peers.heed import Heed
from peers.library import Form
from peers.structs import ENUMERATORS


def _tokens(kind, array, batch=None):
    """[batch, tokens, channels] as a tensor of one head; one item for all of a batch."""
    items, tokens, channels = array.shape
    shared = batch is not None and items != batch
    return kind(array.ctypes.data, (batch if shared else items, 1, tokens, channels),
                (0 if shared else tokens * channels, 0, channels, 1), ENUMERATORS['HEED_F32'])


def _heads(kind, array, heads, count=None):
    """The first heads of [batch, tokens, heads * channels]."""
    items, tokens, width = array.shape
    channels = width // heads
    return kind(array.ctypes.data, (items, count or heads, tokens, channels), (tokens * width, channels, width, 1),
                ENUMERATORS['HEED_F32'])


def _floats(array):
    return array.ctypes.data_as(ctypes.POINTER(ctypes.c_float)), array.size


def _mlp(weights):
    return structs.ScalingMlp(*(part for name in ('w1', 'b1', 'w2', 'b2') for part in _floats(getattr(weights, name))))


def _linear(weights):
    outputs, inputs = weights.shape
    return structs.Linear(_floats(weights)[0], outputs, inputs, inputs, 1, None, 0, None)


class HeedStages(Heed):
    def _module(self, attention, positions, kept):
        module = structs.MultiHead()
        self._library.heed_multi_head_init(byref(module))
        module.q_heads = module.kv_heads = attention.heads
        for name in ('w_q', 'w_k', 'w_v', 'w_o'):
            setattr(module, name, _linear(getattr(attention, name)))
        if attention.theta:
            half = attention.head_dim // 2
            cosines, sines = (np.empty((positions, half), np.float32) for _ in range(2))
            kept += [cosines, sines]
            rotation = structs.HeadRotation()
            rotation.table = structs.RotaryTable(_floats(cosines)[0], _floats(sines)[0], positions, 2 * half)
            self._call('heed_fill_rotary_table', byref(rotation.table), ctypes.c_double(attention.theta), None,
                       ctypes.c_int64(0))
            module.rotation = pointer(rotation)
        return module

    def _options(self, attention, threads):
        options = structs.Options()
        self._library.heed_options_init(byref(options))
        options.threads, options.isa = threads, self._isa
        if attention.base is not None:
            scaling = structs.QueryScaling()
            self._library.heed_query_scaling_init(byref(scaling))
            scaling.base, scaling.gate = _mlp(attention.base), _mlp(attention.gate)
            options.query_scaling = pointer(scaling)
        return options

    def _prepared(self, name, *arguments):
        """The call with its message, and what it answers."""
        function, message = getattr(self._library, name), ctypes.create_string_buffer(ENUMERATORS['HEED_MESSAGE_SIZE'])
        end = message, ctypes.c_size_t(len(message))
        return lambda: self._check(function(*arguments, *end), message)

    def _call(self, name, *arguments):
        self._prepared(name, *arguments)()

    def _with_scratch(self, name, options, kept, *arguments):
        size = ctypes.c_size_t()
        self._call(f'{name}_scratch_size', *arguments, byref(options), byref(size))
        scratch = np.empty(size.value, np.uint8)
        kept += [scratch, options, arguments]
        options.scratch, options.scratch_size = scratch.ctypes.data, scratch.nbytes
        return byref(options)

    def forms(self, stage, threads):
        kept, steps, projected = [stage], [], {}
        tensors = dict(stage.tensors)
        shares = {id(call.attention) for n, call in enumerate(stage.calls)
                  if any(call.attention is other.attention for other in stage.calls[:n])}
        for call in stage.calls:
            attention, context, queries = call.attention, tensors[call.context], tensors[call.queries]
            batch = context.shape[0]
            out = tensors[call.out] = np.full((batch, queries.shape[1], attention.w_o.shape[0]), np.nan, np.float32)
            module = self._module(attention, max(context.shape[1], queries.shape[1]), kept)
            options = self._options(attention, threads)
            x, result = _tokens(structs.ConstTensor, queries, batch), _tokens(structs.Tensor, out)
            source = _tokens(structs.ConstTensor, context)
            kept += [module, x, result, source]
            if id(attention) not in shares:
                ends = byref(module), byref(x), byref(source), byref(result)
                options_at = self._with_scratch('heed_multi_head', options, kept, *ends)
                steps.append(self._prepared('heed_multi_head_attention', *ends, options_at))
                continue
            key = id(attention), call.context
            if key not in projected:
                k, v = projected[key] = [np.empty((batch, context.shape[1], width.shape[0]), np.float32)
                                         for width in (attention.w_k, attention.w_v)]
                ends = [_heads(structs.Tensor, array, attention.heads) for array in (k, v)]
                kept += ends
                steps.append(self._prepared('heed_project_kv', byref(module), byref(source), *map(byref, ends),
                                            ctypes.c_int32(threads)))
            views = [_heads(structs.ConstTensor, array, attention.heads, call.kv_heads) for array in projected[key]]
            kept += [projected[key], views]
            ends = byref(module), byref(x), *map(byref, views), byref(result)
            steps.append(self._prepared('heed_attend', *ends, self._with_scratch('heed_attend', options, kept, *ends)))

        def run():
            for step in steps:
                step()
        out = tensors[stage.result]

        def result_of_run():
            out[...] = np.nan
            run()
            return out
        return [Form('', run, result_of_run, kept=(kept, tensors, projected))]
