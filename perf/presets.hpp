// SPDX-License-Identifier: Apache-2.0
// Named shapes that models ask for. A line each: name, what it is, base that its time is compared with
// (null: none), whether --quick runs it, spec. A base stands before its rows.
#pragma once

namespace heed::perf {

struct Preset {
  const char* name;
  const char* about;
  const char* base;
  bool is_quick;
  const char* spec;
};

inline constexpr Preset presets[] = {
    // Plain squares, and what masks cost beside them.
    {"square-d64-n1024", "8 heads, nothing hidden", nullptr, true, "b=1 h=8:8 n=1024:1024 d=64:64"},
    {"mask-key-d64-n1024", "key padding, the last quarter hidden", "square-d64-n1024", true,
     "b=1 h=8:8 n=1024:1024 d=64:64 key_mask=blocked"},
    {"mask-allowed-d64-n1024", "one pairwise mask for all heads, 10 % blocked", "square-d64-n1024", true,
     "b=1 h=8:8 n=1024:1024 d=64:64 mask=allowed:1:1:1024:1024"},
    {"mask-bias-d64-n1024", "one additive bias for all heads", "square-d64-n1024", true,
     "b=1 h=8:8 n=1024:1024 d=64:64 bias=1:1:1024:1024"},
    {"square-d64-n2048", "8 heads, nothing hidden", nullptr, true, "b=1 h=8:8 n=2048:2048 d=64:64"},
    {"causal-d64-n2048", "causal: half the pairs", "square-d64-n2048", true, "b=1 h=8:8 n=2048:2048 d=64:64 causal"},
    {"square-d64-n4096", "8 heads, nothing hidden", nullptr, false, "b=1 h=8:8 n=4096:4096 d=64:64"},
    {"square-d128-n1024", "8 heads, nothing hidden", nullptr, false, "b=1 h=8:8 n=1024:1024 d=128:128"},

    // Tabular models: TabPFN 3 (tp3), 2.5 (tp25), 2 (tp2), TabICL (ticl), latents over rows.
    {"tp3-s1-induce-5k", "128 inducing points, shared over the batch, read 5000 rows", nullptr, true,
     "b=4 h=8:8 n=128:5000 d=16:16 q=0:2048:16:1"},
    {"tp3-s1-spread", "rows read 128 inducing points", nullptr, false, "b=20 h=8:8 n=2048:128 d=16:16"},
    {"tp3-s2-row-f10", "2048 rows of 14 tokens", nullptr, true, "b=2048 h=8:8 n=14:14 d=16:16"},
    {"tp3-s2-row-f10-bnhd", "the same as a projection leaves it", "tp3-s2-row-f10", false,
     "b=2048 h=8:8 n=14:14 d=16:16 q=bnhd k=bnhd v=bnhd out=bnhd"},
    {"tp3-s2-row-f100", "2048 rows of 104 tokens", nullptr, false, "b=2048 h=8:8 n=104:104 d=16:16"},
    {"tp3-s2-row-f500", "256 rows of 504 tokens", nullptr, false, "b=256 h=8:8 n=504:504 d=16:16"},
    {"tp3-s2-cls-f100", "4 read-out tokens a row", nullptr, false, "b=2048 h=8:8 n=4:104 d=16:16"},
    {"tp3-s3-train-1k", "1000 training rows", nullptr, true, "b=1 h=8:8 n=1000:1000 d=64:64"},
    {"tp3-s3-test-mqa-5k", "1000 test rows read 5000, one KV head", nullptr, false, "b=1 h=8:1 n=1000:5000 d=64:64"},
    {"tp3-s3-cached-1row", "one row reads 10000, one KV head", nullptr, true, "b=1 h=8:1 n=1:10000 d=64:64"},
    {"tp3-dec-10cls", "decoder: values are 10 classes wide, shared by the heads", nullptr, false,
     "b=1 h=6:6 n=1000:5000 d=64:10 v=50000:0:10:1"},
    {"tp25-feat-f100", "35 feature tokens a row", nullptr, false, "b=2048 h=3:3 n=35:35 d=64:64"},
    {"tp2-item-f10-1k", "1000 rows, 6 columns", nullptr, false, "b=6 h=6:6 n=1000:1000 d=32:32"},
    {"ticl1-s3-1k", "1200 rows read 1000", nullptr, false, "b=8 h=4:4 n=1200:1000 d=128:128"},
    {"mini-latent-kpm", "128 latents read ragged rows", nullptr, true, "b=8 h=8:8 n=128:4096 d=16:16 lengths"},
    {"perceiver-io-x", "256 latents read 2048 bytes, wide values", nullptr, false,
     "b=1 h=8:8 n=256:2048 d=32:160 key_mask=blocked"},

    // Encoders: the last quarter of the keys is padding in every second item.
    {"minilm-b32-n128", "sentence encoder", nullptr, true, "b=32 h=12:12 n=128:128 d=32:32 key_mask=blocked"},
    {"minilm-b64-n32", "sentence encoder, short texts", nullptr, true, "b=64 h=12:12 n=32:32 d=32:32 key_mask=blocked"},
    {"bert-base-b1-n512", "one long text", nullptr, true, "b=1 h=12:12 n=512:512 d=64:64 key_mask=blocked"},
    {"whisper-tiny-enc", "30 s of audio", nullptr, false, "b=1 h=6:6 n=1500:1500 d=64:64"},

    // Vision.
    {"vit-b16-224", "197 patches", nullptr, true, "b=1 h=12:12 n=197:197 d=64:64"},
    {"clip-l14-224", "257 patches", nullptr, true, "b=1 h=16:16 n=257:257 d=64:64"},
    {"swin-t-s1", "64 windows of 49 patches, a bias each", nullptr, true, "b=64 h=3:3 n=49:49 d=32:32 bias=64:3:49:49"},

    // Causal and decode.
    {"clip-text", "77 tokens", nullptr, true, "b=8 h=12:12 n=77:77 d=64:64 causal"},
    {"llama8b-prefill-1k", "grouped heads", nullptr, false, "b=1 h=32:8 n=1024:1024 d=128:128 causal"},
    {"llama8b-dec-4k", "one token reads a cache of 4096", nullptr, true, "b=1 h=32:8 n=1:4096 d=128:128"},
    {"qwen05b-dec-4k", "groups of 7", nullptr, false, "b=1 h=14:2 n=1:4096 d=64:64"},
    {"gemma2-2b-dec-4k", "soft cap, wide heads", nullptr, false, "b=1 h=8:4 n=1:4096 d=256:256 cap=50"},
    {"whisper-small-xdec", "5 beams share one cache", nullptr, true,
     "b=5 h=12:12 n=1:1500 d=64:64 k=0:96000:64:1 v=0:96000:64:1"},
};

}  // namespace heed::perf
