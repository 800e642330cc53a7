# SPDX-License-Identifier: Apache-2.0
"""Whole attention stages of tabular models, at the sizes of TabPFN-3: projections, rotation, query scaling, attention and
output projection. Inputs and weights are drawn by a seed; norms, residuals and feed-forward are no part of it."""
import dataclasses
import math

import numpy as np

_erf = np.vectorize(math.erf, otypes=[float])


@dataclasses.dataclass
class Mlp:
    """w2 GELU(w1 x + b1) + b2."""
    w1: np.ndarray
    b1: np.ndarray
    w2: np.ndarray
    b2: np.ndarray

    def reference(self, x):
        w1, b1, w2, b2 = (array.astype(np.float64) for array in (self.w1, self.b1, self.w2, self.b2))
        hidden = x @ w1.T + b1
        return 0.5 * hidden * (1 + _erf(hidden / np.sqrt(2))) @ w2.T + b2


@dataclasses.dataclass
class Attention:
    """Weights are (outputs, inputs). base and gate: query scaling, or None."""
    heads: int
    w_q: np.ndarray
    w_k: np.ndarray
    w_v: np.ndarray
    w_o: np.ndarray
    base: Mlp = None
    gate: Mlp = None
    theta: float = 0.0   # of rotary positions, split halves; 0: none

    @property
    def head_dim(self):
        return self.w_q.shape[0] // self.heads


class Draw:
    def __init__(self, seed):
        self._random = np.random.default_rng(seed)

    def normal(self, *shape, deviation=1.0):
        return (deviation * self._random.standard_normal(shape)).astype(np.float32)

    def linear(self, outputs, inputs):
        return self.normal(outputs, inputs, deviation=inputs ** -0.5)

    def mlp(self, outputs, inputs, bias):
        hidden = 64
        return Mlp(self.linear(hidden, inputs), self.normal(hidden, deviation=0.1),
                   self.normal(outputs, hidden, deviation=0.1 * hidden ** -0.5), np.full(outputs, bias, np.float32))

    def attention(self, channels, heads, scales=False, theta=0.0):
        weights = [self.linear(channels, channels) for _ in range(4)]
        head_dim = channels // heads
        return Attention(heads, *weights, self.mlp(channels, 1, 1.0) if scales else None,
                         self.mlp(head_dim, head_dim, 0.0) if scales else None, theta)


@dataclasses.dataclass
class Stage:
    """`calls`: which attention reads what. A call's queries and context are names of tensors, its output is one."""
    name: str
    text: str
    tensors: dict
    calls: list
    result: str

    @property
    def spec(self):
        return self

    def reference(self, items):
        """The result for the first items of the batch, in float64."""
        tensors = {name: array[:items].astype(np.float64) for name, array in self.tensors.items()}
        for call in self.calls:
            tensors[call.out] = call.reference(tensors[call.queries], tensors[call.context])
        return tensors[self.result]


@dataclasses.dataclass
class Call:
    attention: Attention
    queries: str     # [batch or 1, tokens, channels]; 1: the same for all
    context: str     # [batch, tokens, channels]
    out: str
    kv_heads: int    # the first so many are read

    def reference(self, queries, context):
        attention = self.attention
        q, k, v = (_heads(x, weights, attention.heads)
                   for x, weights in ((queries, attention.w_q), (context, attention.w_k), (context, attention.w_v)))
        if attention.theta:
            q, k = _rotate(q, attention.theta), _rotate(k, attention.theta)
        if attention.base:
            base = attention.base.reference(np.array([[np.log(context.shape[1])]])).reshape(-1, 1, attention.head_dim)
            q = q * base * (1 + np.tanh(attention.gate.reference(q)))
        group = attention.heads // self.kv_heads
        k, v = (np.repeat(tensor[:, :self.kv_heads], group, axis=1) for tensor in (k, v))
        scores = q @ k.swapaxes(-1, -2) / np.sqrt(attention.head_dim)
        weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
        out = weights / weights.sum(axis=-1, keepdims=True) @ v
        return out.swapaxes(1, 2).reshape(out.shape[0], out.shape[2], -1) @ attention.w_o.T.astype(np.float64)


def _heads(x, weights, heads):
    y = x @ weights.T.astype(np.float64)
    return y.reshape(*y.shape[:2], heads, -1).swapaxes(1, 2)


def _rotate(x, theta):
    half = x.shape[-1] // 2
    angles = np.outer(np.arange(x.shape[-2]), theta ** (-np.arange(half) / half))
    first, second = x[..., :half], x[..., half:]
    return np.concatenate([first * np.cos(angles) - second * np.sin(angles),
                           second * np.cos(angles) + first * np.sin(angles)], axis=-1)


def column(columns=4, rows=5000, points=128, channels=128, heads=8):
    draw = Draw(1)
    return Stage('column', f'{columns} columns, {rows} rows, {points} points, {heads} x {channels // heads}',
                 {'x': draw.normal(columns, rows, channels), 'points': draw.normal(1, points, channels)},
                 [Call(draw.attention(channels, heads, scales=True), 'points', 'x', 'hidden', heads),
                  Call(draw.attention(channels, heads), 'x', 'hidden', 'out', heads)], 'out')


def row(rows=2048, tokens=104, channels=128, heads=8):
    draw = Draw(2)
    return Stage('row', f'{rows} rows, {tokens} tokens, {heads} x {channels // heads}',
                 {'x': draw.normal(rows, tokens, channels)},
                 [Call(draw.attention(channels, heads, theta=1e5), 'x', 'x', 'out', heads)], 'out')


def context(train_rows=1000, test_rows=1000, channels=512, heads=8):
    draw = Draw(3)
    attention = draw.attention(channels, heads, scales=True)
    return Stage('context', f'{train_rows} train rows, {test_rows} test rows on one KV head, {heads} x {channels // heads}',
                 {'train': draw.normal(1, train_rows, channels), 'test': draw.normal(1, test_rows, channels)},
                 [Call(attention, 'train', 'train', 'train_out', heads), Call(attention, 'test', 'train', 'out', 1)], 'out')


def all_stages():
    return [column(), row(), context()]


def small_stages():
    """The same in sizes that run in no time."""
    return [column(2, 40, 9, 32, 4), row(5, 7, 32, 4), context(30, 11, 32, 4)]
