// SPDX-License-Identifier: Apache-2.0
// Named shapes that models ask for. A line each: name, what it is, base that its time is compared with
// (null: none), tier, spec. A base stands before its rows.
#pragma once

namespace heed::perf {

// A tier runs the rows of those before it too. By size, masks left aside.
enum class Tier {
  quick,  // up to 3 GFLOP and 64 MB; and what causal saves
  full,   // up to 35 GFLOP
  all,    // more
};

struct Preset {
  const char* name;
  const char* about;
  const char* base;
  Tier tier;
  const char* spec;
};

inline constexpr Preset presets[] = {
    // Plain squares, and what masks cost beside them.
    {"square-d64-n1024", "8 heads, nothing hidden", nullptr, Tier::quick, "b=1 h=8:8 n=1024:1024 d=64:64"},
    {"mask-key-d64-n1024", "key padding, the last quarter hidden", "square-d64-n1024", Tier::quick,
     "b=1 h=8:8 n=1024:1024 d=64:64 key_mask=blocked"},
    {"mask-allowed-d64-n1024", "one pairwise mask for all heads, 10 % blocked", "square-d64-n1024", Tier::quick,
     "b=1 h=8:8 n=1024:1024 d=64:64 mask=allowed:1:1:1024:1024"},
    {"mask-bias-d64-n1024", "one additive bias for all heads", "square-d64-n1024", Tier::quick,
     "b=1 h=8:8 n=1024:1024 d=64:64 bias=1:1:1024:1024"},
    {"square-d64-n2048", "8 heads, nothing hidden", nullptr, Tier::quick, "b=1 h=8:8 n=2048:2048 d=64:64"},
    {"causal-d64-n2048", "causal: half the pairs", "square-d64-n2048", Tier::quick,
     "b=1 h=8:8 n=2048:2048 d=64:64 causal"},
    {"square-d64-n4096", "8 heads, nothing hidden", nullptr, Tier::full, "b=1 h=8:8 n=4096:4096 d=64:64"},
    {"square-d128-n1024", "8 heads, nothing hidden", nullptr, Tier::full, "b=1 h=8:8 n=1024:1024 d=128:128"},

    // Tables: TabPFN 3 (tp3). Queries shared over the batch have batch stride 0, values shared by the
    // heads head stride 0.
    {"tp3-s1-induce-5k", "128 inducing points, shared over the batch, read 5000 rows", nullptr, Tier::quick,
     "b=4 h=8:8 n=128:5000 d=16:16 q=0:2048:16:1"},
    {"tp3-s1-induce-50k", "the same read 50000 rows", nullptr, Tier::full,
     "b=4 h=8:8 n=128:50000 d=16:16 q=0:2048:16:1"},
    {"tp3-s1-spread", "rows read 128 inducing points", nullptr, Tier::quick, "b=20 h=8:8 n=2048:128 d=16:16"},
    {"tp3-s2-row-f10", "2048 rows of 14 tokens", nullptr, Tier::quick, "b=2048 h=8:8 n=14:14 d=16:16"},
    {"tp3-s2-row-f100", "2048 rows of 104 tokens", nullptr, Tier::full, "b=2048 h=8:8 n=104:104 d=16:16"},
    {"tp3-s2-row-f500", "256 rows of 504 tokens", nullptr, Tier::full, "b=256 h=8:8 n=504:504 d=16:16"},
    {"tp3-s2-cls-f100", "4 read-out tokens a row", nullptr, Tier::full, "b=2048 h=8:8 n=4:104 d=16:16"},
    {"tp3-s3-train-1k", "1000 training rows", nullptr, Tier::quick, "b=1 h=8:8 n=1000:1000 d=64:64"},
    {"tp3-s3-train-5k", "5000 training rows", nullptr, Tier::all, "b=1 h=8:8 n=5000:5000 d=64:64"},
    {"tp3-s3-train-10k", "10000 training rows", nullptr, Tier::all, "b=1 h=8:8 n=10000:10000 d=64:64"},
    {"tp3-s3-test-mqa-5k", "1000 test rows read 5000, one KV head", nullptr, Tier::full,
     "b=1 h=8:1 n=1000:5000 d=64:64"},
    {"tp3-s3-cached-1row", "one row reads 10000, one KV head", nullptr, Tier::quick, "b=1 h=8:1 n=1:10000 d=64:64"},
    {"tp3-s3-cached-1row-100k", "one row reads 100000, one KV head", nullptr, Tier::quick,
     "b=1 h=8:1 n=1:100000 d=64:64"},
    {"tp3-dec-10cls", "decoder: values are 10 classes wide, shared by the heads", nullptr, Tier::full,
     "b=1 h=6:6 n=1000:5000 d=64:10 v=50000:0:10:1"},
    {"tp3-dec-160cls", "160 classes", nullptr, Tier::full, "b=1 h=6:6 n=1000:5000 d=64:160 v=800000:0:160:1"},

    // Tables: TabPFN 3.5 (tp35), 2.5 (tp25) and 2 (tp2).
    {"tp35-s3-train-5k", "5000 training rows, 16 heads", nullptr, Tier::all, "b=1 h=16:16 n=5000:5000 d=64:64"},
    {"tp35-s3-test-mqa", "1000 test rows read 5000, 16 heads on one KV head", nullptr, Tier::full,
     "b=1 h=16:1 n=1000:5000 d=64:64"},
    {"tp25-feat-f100", "35 feature tokens a row", nullptr, Tier::full, "b=2048 h=3:3 n=35:35 d=64:64"},
    {"tp25-feat-f500", "168 feature tokens a row", nullptr, Tier::full, "b=256 h=3:3 n=168:168 d=64:64"},
    {"tp25-item-f100-1k", "1064 rows, 35 columns", nullptr, Tier::full, "b=35 h=3:3 n=1064:1064 d=64:64"},
    {"tp25-item-test-mqa", "500 test rows read 1064, one KV head", nullptr, Tier::full,
     "b=35 h=3:1 n=500:1064 d=64:64"},
    {"tp2-feat-f100", "51 feature tokens a row", nullptr, Tier::full, "b=2048 h=6:6 n=51:51 d=32:32"},
    {"tp2-item-f10-1k", "1000 rows, 6 columns", nullptr, Tier::full, "b=6 h=6:6 n=1000:1000 d=32:32"},

    // Tables and sets: TabICL 2 (ticl2) and 1 (ticl1), FT-Transformer, Set Transformer, Perceiver IO.
    {"ticl2-s3-5k", "6000 rows read 5000", nullptr, Tier::all, "b=1 h=8:8 n=6000:5000 d=64:64"},
    {"ticl1-s3-1k", "1200 rows read 1000", nullptr, Tier::full, "b=8 h=4:4 n=1200:1000 d=128:128"},
    {"ticl1-s1-induce", "128 inducing points, shared over the batch, read 1000 rows", nullptr, Tier::full,
     "b=80 h=4:4 n=128:1000 d=32:32 q=0:4096:32:1"},
    {"ticl-row-keymask", "rows of 104 tokens, padded", nullptr, Tier::full,
     "b=512 h=8:8 n=104:104 d=16:16 key_mask=blocked"},
    {"mini-latent-kpm", "128 latents read ragged rows", nullptr, Tier::quick, "b=8 h=8:8 n=128:4096 d=16:16 lengths"},
    {"set-isab-up", "32 inducing points read a set of 1000, scaled by the whole width", nullptr, Tier::quick,
     "b=8 h=4:4 n=32:1000 d=32:32 scale=0.088388346"},
    {"perceiver-io-x", "256 latents read 2048 bytes, wide values", nullptr, Tier::quick,
     "b=1 h=8:8 n=256:2048 d=32:160 key_mask=blocked"},
    {"perceiver-io-self", "256 latents among themselves", nullptr, Tier::quick, "b=1 h=8:8 n=256:256 d=32:160"},
    {"ft-transformer", "100 features and a read-out token", nullptr, Tier::full, "b=1024 h=8:8 n=101:101 d=24:24"},

    // Text encoders: the last quarter of the keys is padding in every second item.
    {"minilm-b1-n128", "sentence encoder, one text", nullptr, Tier::quick,
     "b=1 h=12:12 n=128:128 d=32:32 key_mask=blocked"},
    {"minilm-b32-n128", "sentence encoder", nullptr, Tier::quick, "b=32 h=12:12 n=128:128 d=32:32 key_mask=blocked"},
    {"minilm-b64-n32", "sentence encoder, short texts", nullptr, Tier::quick,
     "b=64 h=12:12 n=32:32 d=32:32 key_mask=blocked"},
    {"bert-base-b1-n512", "one long text", nullptr, Tier::quick, "b=1 h=12:12 n=512:512 d=64:64 key_mask=blocked"},
    {"bert-base-b8-n128", "8 texts", nullptr, Tier::quick, "b=8 h=12:12 n=128:128 d=64:64 key_mask=blocked"},

    // Vision and audio encoders.
    {"vit-b16-224", "197 patches", nullptr, Tier::quick, "b=1 h=12:12 n=197:197 d=64:64"},
    {"clip-l14-224", "257 patches", nullptr, Tier::quick, "b=1 h=16:16 n=257:257 d=64:64"},
    {"clip-l14-336", "577 patches", nullptr, Tier::quick, "b=1 h=16:16 n=577:577 d=64:64"},
    {"clip-text", "77 tokens", nullptr, Tier::quick, "b=8 h=12:12 n=77:77 d=64:64 causal"},
    {"swin-t-s1", "64 windows of 49 patches: a bias for each head, a mask for each window", nullptr, Tier::quick,
     "b=64 h=3:3 n=49:49 d=32:32 bias=1:3:49:49 mask=blocked:64:1:49:49"},
    {"swin-t-s3", "4 windows, 12 heads", nullptr, Tier::quick,
     "b=4 h=12:12 n=49:49 d=32:32 bias=1:12:49:49 mask=blocked:4:1:49:49"},
    {"whisper-tiny-enc", "30 s of audio", nullptr, Tier::full, "b=1 h=6:6 n=1500:1500 d=64:64"},
    {"whisper-small-enc", "30 s of audio", nullptr, Tier::full, "b=1 h=12:12 n=1500:1500 d=64:64"},

    // Decoders. Beams that share one cache have batch stride 0.
    {"whisper-small-xdec", "5 beams share one cache", nullptr, Tier::quick,
     "b=5 h=12:12 n=1:1500 d=64:64 k=0:96000:64:1 v=0:96000:64:1"},
    {"whisper-small-sdec", "5 beams, a cache each", nullptr, Tier::quick, "b=5 h=12:12 n=1:224 d=64:64"},
    {"llama8b-prefill-1k", "groups of 4", nullptr, Tier::full, "b=1 h=32:8 n=1024:1024 d=128:128 causal"},
    {"llama8b-dec-4k", "one token reads a cache of 4096", nullptr, Tier::quick, "b=1 h=32:8 n=1:4096 d=128:128"},
    {"llama8b-dec-32k", "one token reads a cache of 32768", nullptr, Tier::full, "b=1 h=32:8 n=1:32768 d=128:128"},
    {"llama8b-chunk-512-4k", "512 tokens behind a cache of 4096", nullptr, Tier::all,
     "b=1 h=32:8 n=512:4608 d=128:128 position=4096 causal"},
    {"llama1b-dec-8k", "narrower heads", nullptr, Tier::quick, "b=1 h=32:8 n=1:8192 d=64:64"},
    {"qwen05b-dec-4k", "groups of 7", nullptr, Tier::quick, "b=1 h=14:2 n=1:4096 d=64:64"},
    {"phi3mini-dec-4k", "no groups", nullptr, Tier::full, "b=1 h=32:32 n=1:4096 d=96:96"},
    {"gemma2-2b-dec-4k", "soft cap, wide heads", nullptr, Tier::quick, "b=1 h=8:4 n=1:4096 d=256:256 cap=50"},
};

}  // namespace heed::perf
