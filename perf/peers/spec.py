# SPDX-License-Identifier: Apache-2.0
"""Presets and their specs, as `heed-sweep --list` prints them; perf/spec.hpp has the grammar."""
import dataclasses
import re
import subprocess

TIERS = ('quick', 'full', 'all')


class SpecError(ValueError):
    """A line that is no spec, or says what this tool does not do."""


@dataclasses.dataclass
class Spec:
    text: str
    batch: int = 1
    q_heads: int = 1
    kv_heads: int = 1
    q_len: int = 1
    kv_len: int = 1
    head_dim: int = 1
    value_dim: int = 1
    scale: float | None = None
    soft_cap: float = 0.0
    bias: tuple | None = None        # its shape
    key_mask: str | None = None      # 'blocked' or 'allowed'
    has_lengths: bool = False
    mask: str | None = None          # 'blocked' or 'allowed'
    mask_shape: tuple | None = None
    offset: int | None = None        # of the position
    is_causal: bool = False
    storage: dict = dataclasses.field(default_factory=dict)  # by tensor: 'bnhd' or strides; absent: bhnd
    seed: int = 1
    hidden_percent: int = 10

    @property
    def group(self):
        return self.q_heads // self.kv_heads

    def shape(self, tensor):
        return {'q': (self.batch, self.q_heads, self.q_len, self.head_dim),
                'k': (self.batch, self.kv_heads, self.kv_len, self.head_dim),
                'v': (self.batch, self.kv_heads, self.kv_len, self.value_dim),
                'out': (self.batch, self.q_heads, self.q_len, self.value_dim)}[tensor]

    def strides(self, tensor):
        """In elements."""
        storage = self.storage.get(tensor, 'bhnd')
        _, heads, tokens, channels = self.shape(tensor)
        if storage == 'bhnd':
            return heads * tokens * channels, tokens * channels, channels, 1
        if storage == 'bnhd':
            return tokens * heads * channels, channels, heads * channels, 1
        return storage


def _whole(text):
    if not re.fullmatch(r'-?[0-9]+', text):
        raise ValueError('whole numbers')
    return int(text)


def _numbers(text, count):
    parts = text.split(':')
    if len(parts) != count:
        raise ValueError(f'{count} numbers with colons between')
    return tuple(_whole(part) for part in parts)


def _polarity(text):
    if text not in ('blocked', 'allowed'):
        raise ValueError('blocked or allowed')
    return text


def _set_mask(spec, value):
    polarity, _, shape = value.partition(':')
    spec.mask, spec.mask_shape = _polarity(polarity), _numbers(shape, 4)


def _set_position(spec, value):
    ends = {'top_left': 0, 'bottom_right': spec.kv_len - spec.q_len}
    spec.offset = ends[value] if value in ends else _whole(value)


def _storage(tensor):
    def apply(spec, value):
        spec.storage[tensor] = value if value in ('bhnd', 'bnhd') else _numbers(value, 4)
    return apply


def _field(name, read):
    return lambda spec, value: setattr(spec, name, read(value))


def _pair(first, second):
    def apply(spec, value):
        for name, number in zip((first, second), _numbers(value, 2)):
            setattr(spec, name, number)
    return apply


REQUIRED = ('b', 'h', 'n', 'd')
TOKENS = {
    'b': _field('batch', _whole), 'h': _pair('q_heads', 'kv_heads'), 'n': _pair('q_len', 'kv_len'),
    'd': _pair('head_dim', 'value_dim'),
    'scale': _field('scale', float), 'cap': _field('soft_cap', float),
    'bias': _field('bias', lambda value: _numbers(value, 4)),
    'key_mask': _field('key_mask', _polarity), 'mask': _set_mask, 'position': _set_position,
    'q': _storage('q'), 'k': _storage('k'), 'v': _storage('v'), 'out': _storage('out'),
    'seed': _field('seed', _whole), 'hidden': _field('hidden_percent', _whole),
}
FLAGS = {'lengths': 'has_lengths', 'causal': 'is_causal'}


def parse_spec(text):
    spec = Spec(text=text)
    seen = []
    for token in text.split():
        name, equals, value = token.partition('=')
        place = len(seen)
        if place < len(REQUIRED) and name != REQUIRED[place]:
            raise SpecError(f"spec: '{token}', expected b=, h=, n= and d= first, in this order")
        if name not in (TOKENS if equals else FLAGS):
            raise SpecError(f"spec: '{token}', expected a token that this tool knows: "
                            + ' '.join([f'{known}=' for known in TOKENS] + list(FLAGS)))
        if name in seen:
            raise SpecError(f"spec: '{token}', expected each token once")
        seen.append(name)
        try:
            TOKENS[name](spec, value) if equals else setattr(spec, FLAGS[name], True)
        except ValueError as error:
            raise SpecError(f"spec: '{token}', expected {error}") from None
    if len(seen) < len(REQUIRED):
        raise SpecError(f"spec: '{text}' ends early, expected b=2 h=8:2 n=100:1000 d=64:64 or more")
    return spec


@dataclasses.dataclass
class Preset:
    name: str
    tier: str
    spec: Spec


def parse_list(text):
    """A line of name and remark, which closes with its tier in brackets, then an indented line with the spec."""
    presets = []
    lines = [line for line in text.splitlines() if line.strip()]
    for head, spec in zip(lines[::2], lines[1::2]):
        if head[0].isspace() or not spec[0].isspace():
            raise SpecError(f"heed-sweep --list: '{head}' and '{spec.strip()}', expected a name and remark, then a spec")
        tier = re.search(r'\((\w+)\)$', head)
        presets.append(Preset(head.split()[0], tier[1] if tier and tier[1] in TIERS else 'full', parse_spec(spec.strip())))
    return presets


def list_presets(sweep):
    listing = subprocess.run([sweep, '--list'], capture_output=True, text=True, check=True)
    return parse_list(listing.stdout)
