# SPDX-License-Identifier: Apache-2.0
"""PyTorch: torch.nn.functional.scaled_dot_product_attention."""
import torch
from torch.nn.functional import scaled_dot_product_attention

from peers.library import CannotExpress, Form


class PyTorch:
    name = 'pytorch'
    version = torch.__version__

    def __init__(self):
        torch.set_grad_enabled(False)

    def forms(self, workload, threads):
        spec = workload.spec
        if spec.soft_cap:
            raise CannotExpress('no soft cap')
        torch.set_num_threads(threads)
        # is_causal and attn_mask exclude each other.
        is_causal = workload.has_plain_causal and workload.bias is None and workload.is_visible(False) is None
        # A boolean mask would be made a float one within each call.
        added = workload.additive(with_causal=not is_causal)
        options = {'scale': workload.scale, 'is_causal': is_causal,
                   'attn_mask': None if added is None else torch.from_numpy(added)}
        q = torch.from_numpy(workload.bhnd('q'))

        def form(label, k, v, **more):
            k, v = torch.from_numpy(k), torch.from_numpy(v)

            def run():
                return scaled_dot_product_attention(q, k, v, **options, **more)
            return Form(label, run, lambda: run().numpy())

        if spec.group == 1:
            return [form('', workload.bhnd('k'), workload.bhnd('v'))]
        return [form('enable_gqa', workload.bhnd('k'), workload.bhnd('v'), enable_gqa=True),
                form('K/V expanded', workload.expanded('k'), workload.expanded('v'))]


def libraries():
    return [PyTorch()]
