# SPDX-License-Identifier: Apache-2.0
"""OpenVINO: a compiled model of one ScaledDotProductAttention, or of the two products and the softmax, which its
compiler may fuse."""
import numpy as np
import openvino
from openvino import opset13

from peers.library import Form


def _constant(number):
    return opset13.constant(np.float32(number))


class OpenVino:
    name = 'openvino'
    version = openvino.__version__

    def __init__(self):
        self._core = openvino.Core()

    def _form(self, label, attention, arrays, threads, out):
        """attention(q, k, v, added or None): the node that makes out."""
        inputs = [opset13.parameter(array.shape, np.float32) for array in arrays]
        node = attention(*inputs, *[None] * (4 - len(inputs)))
        model = self._core.compile_model(openvino.Model([node.output(0)], inputs), 'CPU', {
            'INFERENCE_NUM_THREADS': threads, 'NUM_STREAMS': 1, 'INFERENCE_PRECISION_HINT': 'f32',
            'ENABLE_CPU_PINNING': False})
        request = model.create_infer_request()
        for index, array in enumerate(arrays):
            request.set_input_tensor(index, openvino.Tensor(array, shared_memory=True))
        bound = out.reshape(node.output(0).get_shape())
        request.set_output_tensor(0, openvino.Tensor(bound, shared_memory=True))

        def run():
            request.infer(share_outputs=True)

        def result():
            out[...] = np.nan
            run()
            return out

        return Form(label, run, result, kept=(arrays, bound))

    def forms(self, workload, threads):
        out = np.empty(workload.spec.shape('out'), np.float32)
        forms = [self._products(workload, threads, out)]
        if not workload.spec.soft_cap:
            forms += self._fused(workload, threads, out)
        return forms

    def _fused(self, workload, threads, out):
        spec = workload.spec
        is_causal = workload.has_plain_causal and workload.bias is None and workload.is_visible(False) is None
        added = workload.additive(with_causal=not is_causal)

        def attention(q, k, v, mask):
            options = {'causal': is_causal}
            if mask is not None:
                options['attention_mask'] = mask
            if spec.scale is not None:
                # A scale can only follow a mask; the scalar 0 adds nothing.
                options.setdefault('attention_mask', _constant(0))
                options['scale'] = _constant(spec.scale)
            return opset13.scaled_dot_product_attention(q, k, v, **options)

        def form(label, k, v):
            return self._form(label, attention, [workload.bhnd('q'), k, v] + ([] if added is None else [added]), threads,
                              out)

        if spec.group == 1:
            return [form('one operation', workload.bhnd('k'), workload.bhnd('v'))]
        forms = [form('one operation, K/V expanded', workload.expanded('k'), workload.expanded('v'))]
        if spec.kv_heads == 1:
            forms.append(form('one operation, K/V broadcast', workload.bhnd('k'), workload.bhnd('v')))
        return forms

    def _products(self, workload, threads, out):
        """Grouped heads are a dimension of their own, over which K and V broadcast."""
        spec = workload.spec

        def grouped(array):
            if spec.group == 1:
                return array
            batch, heads, *rest = array.shape
            return array.reshape(batch, *((spec.kv_heads, spec.group) if heads == spec.q_heads else (heads, 1)), *rest)

        def attention(q, k, v, mask):
            score = opset13.matmul(opset13.multiply(q, _constant(workload.scale)), k, False, True)
            if spec.soft_cap:
                score = opset13.multiply(opset13.tanh(opset13.divide(score, _constant(spec.soft_cap))),
                                         _constant(spec.soft_cap))
            if mask is not None:
                score = opset13.add(score, mask)
            return opset13.matmul(opset13.softmax(score, -1), v, False, False)

        added = workload.additive(with_causal=True)
        arrays = [workload.bhnd(name) for name in 'qkv'] + ([] if added is None else [added])
        return self._form('products and softmax', attention, [grouped(array) for array in arrays], threads, out)


def libraries():
    return [OpenVino()]
