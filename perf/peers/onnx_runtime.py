# SPDX-License-Identifier: Apache-2.0
"""ONNX Runtime: its contributed MultiHeadAttention and the standard's Attention, each a model of one node."""
import numpy as np
import onnx
import onnxruntime
from onnx import helper

from peers.library import CannotExpress, Form

# Old enough for every ONNX Runtime that has the operations.
IR_VERSION = 10
DOMAIN = 'com.microsoft'
ATTENTION_OPSET = 23


def _session(node, inputs, out, opset, threads):
    """Bound to the arrays: a run copies nothing in or out."""
    def info(name, array):
        return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
    graph = helper.make_graph([node], 'attention', [info(*named) for named in inputs.items()], [info('out', out)])
    opsets = [helper.make_opsetid('', opset), helper.make_opsetid(DOMAIN, 1)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.add_session_config_entry('session.intra_op.allow_spinning', '0')
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=['CPUExecutionProvider'])
    binding = session.io_binding()
    for name, array in inputs.items():
        binding.bind_ortvalue_input(name, onnxruntime.OrtValue.ortvalue_from_numpy(array))
    binding.bind_output('out', 'cpu', 0, np.float32, out.shape, out.ctypes.data)
    return session, binding


def _form(label, operation, inputs, out, opset, threads, view, **attributes):
    """`inputs`: (name, array) in the operation's order; None where one is left out."""
    given = dict(entry for entry in inputs if entry)
    node = helper.make_node(operation, [entry[0] if entry else '' for entry in inputs], ['out'], **attributes)
    session, binding = _session(node, given, out, opset, threads)

    def run():
        session.run_with_iobinding(binding)

    def result():
        out[...] = np.nan
        run()
        return view(out)

    return Form(label, run, result, kept=(given, out))


class MultiHeadAttention:
    name = 'ort-mha'
    version = f'{onnxruntime.__version__} MultiHeadAttention'

    def forms(self, workload, threads):
        spec = workload.spec
        if spec.soft_cap:
            raise CannotExpress('no soft cap')
        if spec.group != 1:
            raise CannotExpress('no grouped heads')
        is_causal = workload.has_plain_causal
        tensors = [(name, workload.bnhd(name)) for name in 'qkv']
        out = np.empty((spec.batch, spec.q_len, spec.q_heads * spec.value_dim), np.float32)

        def view(flat):
            return flat.reshape(spec.batch, spec.q_len, spec.q_heads, spec.value_dim).transpose(0, 2, 1, 3)

        def form(label, *masks):
            return _form(label, 'MultiHeadAttention', [*tensors, None, *masks], out, 17, threads, view, domain=DOMAIN,
                         num_heads=spec.q_heads, scale=float(workload.scale), unidirectional=int(is_causal))

        added = workload.additive(with_causal=not is_causal, full_rows=True)
        if added is None:
            return [form('')]
        forms = [form('attention_bias', None, ('bias', added))]
        if workload.lengths is not None and workload.bias is None and workload.pairs is None and not spec.is_causal:
            forms.append(form('key_padding_mask', ('lengths', workload.lengths.astype(np.int32))))
        return forms


class Attention:
    name = 'ort-attention'
    version = f'{onnxruntime.__version__} Attention (opset {ATTENTION_OPSET})'

    def forms(self, workload, threads):
        spec = workload.spec
        is_causal = workload.has_plain_causal
        inputs = [(name, workload.bhnd(name)) for name in 'qkv']
        added = workload.additive(with_causal=not is_causal, full_rows=True)
        if added is not None:
            inputs.append(('mask', added))
        out = np.empty(spec.shape('out'), np.float32)
        return [_form('', 'Attention', inputs, out, ATTENTION_OPSET, threads, lambda array: array,
                      scale=float(workload.scale), softcap=float(spec.soft_cap), is_causal=int(is_causal))]


def libraries():
    return [MultiHeadAttention()] + ([Attention()] if onnx.defs.onnx_opset_version() >= ATTENTION_OPSET else [])
