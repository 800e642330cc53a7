# SPDX-License-Identifier: Apache-2.0
"""The tensors and masks of a spec, each library's copies of them, and what the answer is on sampled rows."""
import copy
import dataclasses
import functools

import numpy as np


def _stored(rng, shape, strides):
    """Standard normal numbers at these strides (in elements; 0 broadcasts)."""
    distinct = [1 if stride == 0 else size for size, stride in zip(shape, strides)]
    buffer = np.full(1 + sum((size - 1) * stride for size, stride in zip(distinct, strides)), np.nan, np.float32)
    in_bytes = [stride * buffer.itemsize for stride in strides]
    np.lib.stride_tricks.as_strided(buffer, distinct, in_bytes)[...] = rng.standard_normal(distinct, np.float32)
    return np.lib.stride_tricks.as_strided(buffer, shape, in_bytes)


class Workload:
    """Contents are as heed-sweep draws them, from other numbers: key_mask hides the last quarter of the keys of
    every second item, lengths lie between a quarter and all of the keys, a pairwise mask hides hidden_percent."""

    def __init__(self, spec):
        rng = np.random.default_rng(spec.seed)
        self.spec = spec
        self.q, self.k, self.v = (_stored(rng, spec.shape(name), spec.strides(name)) for name in 'qkv')
        self.scale = spec.head_dim ** -0.5 if spec.scale is None else spec.scale
        self.bias = None if spec.bias is None else rng.standard_normal(spec.bias, np.float32)
        # Both booleans say what is visible.
        self.pairs = None if spec.mask is None else rng.random(spec.mask_shape) * 100 >= spec.hidden_percent
        self.lengths = None
        if spec.key_mask is not None:
            is_short = np.arange(spec.batch) % 2 == 0
            self.lengths = np.where(is_short, spec.kv_len - spec.kv_len // 4, spec.kv_len)
        if spec.has_lengths:
            drawn = rng.integers(spec.kv_len // 4, spec.kv_len, spec.batch, endpoint=True)
            self.lengths = drawn if self.lengths is None else np.minimum(drawn, self.lengths)

    @property
    def keys(self):
        """[batch, kv_len]: which are no padding."""
        return np.arange(self.spec.kv_len) < self.lengths[:, None]

    @property
    def has_plain_causal(self):
        """Causal as most libraries have it: row i reads keys up to i."""
        return self.spec.is_causal and self.spec.q_len == self.spec.kv_len and not self.spec.offset

    def is_visible(self, with_causal):
        """The mask as booleans that broadcast to [batch, q_heads, q_len, kv_len]; None: everything is visible."""
        spec = self.spec
        rules = []
        if self.lengths is not None:
            rules.append(self.keys[:, None, None, :])
        if self.pairs is not None:
            rules.append(self.pairs)
        if spec.is_causal and with_causal:
            last = np.arange(spec.q_len)[:, None] + (spec.offset or 0)
            rules.append((np.arange(spec.kv_len) <= last)[None, None])
        return functools.reduce(np.logical_and, rules) if rules else None

    def additive(self, with_causal, full_rows=False):
        """Bias and mask as the one float tensor that other libraries add, with -inf for hidden; None: nothing to
        add. Dimensions that are the same for all stay 1, but for the rows where full_rows says so."""
        visible = self.is_visible(with_causal)
        if visible is None:
            added = self.bias
        else:
            added = np.where(visible, np.float32(0) if self.bias is None else self.bias, np.float32(-np.inf))
        if added is None:
            return None
        if full_rows:
            added = np.broadcast_to(added, (*added.shape[:2], self.spec.q_len, self.spec.kv_len))
        return np.ascontiguousarray(added)

    def bhnd(self, name):
        """Contiguous; without a copy where it is so already."""
        return np.ascontiguousarray(getattr(self, name))

    def bnhd(self, name):
        """Contiguous [batch, tokens, heads * channels]."""
        tensor = np.ascontiguousarray(getattr(self, name).transpose(0, 2, 1, 3))
        return tensor.reshape(*tensor.shape[:2], -1)

    def expanded(self, name):
        """Contiguous, a KV head for each query head."""
        return np.ascontiguousarray(np.repeat(getattr(self, name), self.spec.group, axis=1))

    def folded(self):
        """The same call with the query heads of a group as rows of one head: another view of q and out. None where a
        rule may tell heads or rows apart, or there are no groups."""
        spec = self.spec
        if spec.group == 1 or spec.is_causal or self.bias is not None or self.pairs is not None:
            return None
        folded = copy.copy(self)
        folded.spec = dataclasses.replace(spec, q_heads=spec.kv_heads, q_len=spec.group * spec.q_len)
        folded.q = self.bhnd('q').reshape(folded.spec.shape('q'))
        return folded

    def reference_rows(self, count):
        """(batch, head, row) and its answer in float64, for rows drawn by a fixed seed and the last one."""
        spec = self.spec
        shape = (spec.batch, spec.q_heads, spec.q_len)
        total = int(np.prod(shape))
        drawn = np.random.default_rng(1).integers(0, total, count)
        visible = self.is_visible(with_causal=True)
        for flat in sorted({*drawn.tolist(), total - 1}):
            b, h, i = place = tuple(int(index) for index in np.unravel_index(flat, shape))
            k, v = (tensor[b, h // spec.group].astype(np.float64) for tensor in (self.k, self.v))
            score = k @ self.q[b, h, i].astype(np.float64) * self.scale
            if spec.soft_cap:
                score = spec.soft_cap * np.tanh(score / spec.soft_cap)
            full = (*shape, spec.kv_len)
            if self.bias is not None:
                score = score + np.broadcast_to(self.bias, full)[b, h, i]
            if visible is not None:
                score = np.where(np.broadcast_to(visible, full)[b, h, i], score, -np.inf)
            weight = np.exp(score - score.max())
            yield place, weight @ v / weight.sum()
