# SPDX-License-Identifier: Apache-2.0
"""Stages as the models' own PyTorch code makes them on a CPU: a linear layer each, heads permuted and made contiguous,
K and V of a shared head repeated, scaled_dot_product_attention, heads permuted back."""
import math

import torch
from torch.nn.functional import gelu, linear, scaled_dot_product_attention

from peers.library import Form


def _tensor(array):
    return torch.from_numpy(array)


def _mlp(weights, x):
    return linear(gelu(linear(x, _tensor(weights.w1), _tensor(weights.b1))), _tensor(weights.w2), _tensor(weights.b2))


def _rotate(x, cosines, sines):
    first, second = x.chunk(2, dim=-1)
    return x * cosines + torch.cat((-second, first), dim=-1) * sines


class _Attention:
    def __init__(self, weights):
        self.weights = weights
        self.linears = {name: _tensor(getattr(weights, name)) for name in ('w_q', 'w_k', 'w_v', 'w_o')}
        self._rotation = {}

    def _heads(self, name, x):
        """[batch, heads, tokens, head_dim], not contiguous."""
        return linear(x, self.linears[name]).unflatten(-1, (self.weights.heads, self.weights.head_dim)).transpose(1, 2)

    def rotation(self, tokens):
        """Made once, as the models keep it."""
        if tokens not in self._rotation:
            half = self.weights.head_dim // 2
            frequencies = self.weights.theta ** (-torch.arange(half, dtype=torch.float64) / half)
            angles = torch.outer(torch.arange(tokens, dtype=torch.float64), frequencies).repeat(1, 2)
            self._rotation[tokens] = angles.cos().float(), angles.sin().float()
        return self._rotation[tokens]

    def _scale(self, q, keys):
        base = _mlp(self.weights.base, torch.tensor([[math.log(keys)]], dtype=torch.float32))
        base = base.view(1, self.weights.heads, 1, self.weights.head_dim)
        return q * base * (1 + torch.tanh(_mlp(self.weights.gate, q)))

    def project(self, context):
        k, v = self._heads('w_k', context), self._heads('w_v', context)
        return (_rotate(k, *self.rotation(context.shape[1])) if self.weights.theta else k), v

    def attend(self, queries, keys, values, kv_heads, batch):
        q = self._heads('w_q', queries)
        if self.weights.theta:
            q = _rotate(q, *self.rotation(queries.shape[1]))
        if self.weights.base is not None:
            q = self._scale(q, keys.shape[2])
        if q.shape[0] != batch:
            q = q.expand(batch, -1, -1, -1)
        if kv_heads != self.weights.heads:
            keys, values = (tensor[:, :kv_heads].repeat_interleave(self.weights.heads // kv_heads, dim=1)
                            for tensor in (keys, values))
        out = scaled_dot_product_attention(q.contiguous(), keys.contiguous(), values.contiguous())
        return linear(out.transpose(1, 2).flatten(2), self.linears['w_o'])


class PyTorchStages:
    name = 'pytorch'
    version = torch.__version__

    def __init__(self):
        torch.set_grad_enabled(False)

    def forms(self, stage, threads):
        torch.set_num_threads(threads)
        attentions = {id(call.attention): _Attention(call.attention) for call in stage.calls}

        def run():
            tensors = {name: _tensor(array) for name, array in stage.tensors.items()}
            projected = {}
            for call in stage.calls:
                attention, context = attentions[id(call.attention)], tensors[call.context]
                key = id(attention), call.context
                if key not in projected:
                    projected[key] = attention.project(context)
                tensors[call.out] = attention.attend(tensors[call.queries], *projected[key], call.kv_heads,
                                                     context.shape[0])
            return tensors[stage.result]
        return [Form('', run, lambda: run().numpy())]


def libraries():
    return [PyTorchStages()]
