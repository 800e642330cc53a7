// SPDX-License-Identifier: Apache-2.0
// The one list of named calls that tests run on every path, ISA and thread count; a new mask kind or
// option gets a row. The grammar of a spec is in perf/spec.hpp.
#pragma once

namespace heed::tests {

struct NamedSpec {
  const char* name;
  const char* spec;
};

inline constexpr NamedSpec named_specs[] = {
    // Shapes.
    {"one of everything", "b=1 h=1:1 n=1:1 d=1:1"},
    {"several batches and heads", "b=3 h=4:4 n=13:29 d=16:16"},
    {"one query", "b=2 h=4:4 n=1:130 d=64:64"},
    {"one key", "b=2 h=2:2 n=37:1 d=64:64"},
    {"width 16", "b=2 h=2:2 n=50:75 d=16:16"},
    {"width 32", "b=1 h=2:2 n=50:75 d=32:32"},
    {"width 64", "b=1 h=2:2 n=60:200 d=64:64"},
    {"width 80 and 72", "b=1 h=2:2 n=26:70 d=80:72"},
    {"width 128", "b=1 h=2:2 n=49:193 d=128:128"},
    {"width 256", "b=1 h=1:1 n=25:97 d=256:256"},
    {"key tiles of every length", "b=1 h=1:1 n=24:577 d=8:8"},
    {"row tiles of every length", "b=1 h=1:1 n=197:40 d=8:8"},
    {"narrow values", "b=1 h=2:2 n=30:50 d=64:1"},
    {"wide values", "b=1 h=2:2 n=30:50 d=4:96"},
    {"no keys", "b=2 h=2:2 n=5:0 d=8:8"},
    {"no queries", "b=2 h=2:2 n=0:5 d=8:8"},
    {"no batch", "b=0 h=2:2 n=5:5 d=8:8"},
    {"no heads", "b=2 h=0:0 n=5:5 d=8:8"},
    {"head_dim 0", "b=1 h=2:2 n=5:9 d=0:8 scale=1"},
    {"value_dim 0", "b=1 h=2:2 n=5:9 d=8:0"},
    // Grouped heads.
    {"groups of 2", "b=2 h=4:2 n=17:33 d=16:16"},
    {"groups of 3", "b=2 h=6:2 n=17:33 d=16:16 position=bottom_right causal"},
    {"groups of 7", "b=1 h=7:1 n=5:70 d=64:64"},
    {"groups of 8, decode", "b=3 h=16:2 n=1:300 d=64:64 lengths"},
    // Score changes.
    {"scale", "b=1 h=2:2 n=20:40 d=16:16 scale=0.7"},
    {"scale 0", "b=1 h=2:2 n=20:40 d=16:16 scale=0"},
    {"negative scale", "b=1 h=2:2 n=20:40 d=16:16 scale=-1.5"},
    {"soft cap", "b=1 h=2:2 n=20:65 d=16:16 cap=2"},
    {"soft cap on large scores", "b=1 h=2:2 n=20:65 d=16:16 cap=5 fill=large"},
    {"bias", "b=2 h=3:3 n=26:199 d=16:16 bias=2:3:26:199"},
    {"bias for all heads", "b=2 h=3:3 n=26:199 d=16:16 bias=1:1:26:199"},
    {"bias that hides", "b=2 h=3:3 n=26:199 d=16:16 bias=1:3:26:199 bias_hidden=30"},
    {"bias that hides nearly all", "b=2 h=3:3 n=26:30 d=16:16 bias=1:3:26:30 bias_hidden=95"},
    {"slopes", "b=1 h=6:6 n=30:30 d=16:16 slopes"},
    {"slopes with a cache", "b=2 h=6:2 n=5:77 d=16:16 slopes position=bottom_right causal"},
    {"sinks", "b=2 h=4:2 n=20:50 d=16:16 sinks"},
    {"sinks of rows that see nothing", "b=1 h=4:4 n=30:20 d=16:16 sinks position=bottom_right causal"},
    {"everything on scores", "b=2 h=4:2 n=31:101 d=24:40 cap=3 bias=1:4:1:101 slopes sinks position=17"},
    // Masks.
    {"causal", "b=1 h=2:2 n=70:70 d=16:16 causal"},
    {"causal, top left, more keys", "b=1 h=2:2 n=30:70 d=16:16 position=top_left causal"},
    {"causal, top left, more queries", "b=1 h=2:2 n=70:30 d=16:16 position=top_left causal"},
    {"causal, bottom right, more keys", "b=1 h=2:2 n=40:100 d=16:16 position=bottom_right causal"},
    {"causal, bottom right, more queries", "b=1 h=2:2 n=70:30 d=16:16 position=bottom_right causal"},
    {"causal, negative offset", "b=1 h=2:2 n=40:40 d=16:16 position=-15 causal"},
    {"causal, every batch item its own offset", "b=4 h=2:2 n=20:90 d=16:16 lengths position=per_batch causal"},
    {"causal over several key tiles", "b=1 h=2:1 n=410:410 d=8:8 causal"},
    {"window", "b=1 h=2:2 n=60:60 d=16:16 window=5:3"},
    {"window of the row alone", "b=1 h=2:2 n=60:60 d=16:16 window=0:0"},
    {"window to the left only", "b=1 h=2:2 n=30:300 d=16:16 position=bottom_right window=40:-1"},
    {"window to the right only", "b=1 h=2:2 n=30:300 d=16:16 position=top_left window=-1:7"},
    {"window and causal", "b=1 h=2:2 n=300:300 d=8:8 causal window=20:20"},
    {"window past all keys", "b=1 h=2:2 n=9:9 d=16:16 position=100 window=3:3"},
    {"lengths", "b=5 h=2:2 n=20:230 d=16:16 lengths"},
    {"key mask, blocked", "b=4 h=2:2 n=20:60 d=16:16 key_mask=blocked"},
    {"key mask, allowed", "b=4 h=2:2 n=20:60 d=16:16 key_mask=allowed"},
    {"pairwise mask, blocked", "b=2 h=2:2 n=49:200 d=16:16 mask=blocked:2:2:49:200"},
    {"pairwise mask, allowed", "b=2 h=2:2 n=49:200 d=16:16 mask=allowed:1:1:49:200 hidden=50"},
    {"pairwise mask that hides nearly all", "b=2 h=4:2 n=30:40 d=16:16 mask=blocked:1:4:30:40 hidden=97"},
    {"every rule at once",
     "b=4 h=4:2 n=37:220 d=16:16 cap=8 bias=4:1:37:220 slopes sinks key_mask=blocked lengths mask=allowed:1:4:37:220 "
     "position=per_batch causal window=50:0 bias_hidden=10"},
    // Storage.
    {"tokens before heads", "b=2 h=4:2 n=30:50 d=16:16 q=bnhd k=bnhd v=bnhd out=bnhd"},
    {"only k strided", "b=2 h=2:2 n=30:50 d=16:16 k=1600:800:16:1"},
    {"only v strided", "b=2 h=2:2 n=30:50 d=16:16 v=3200:1600:32:1"},
    {"only q strided", "b=2 h=2:2 n=30:50 d=16:16 q=bnhd"},
    {"only out strided", "b=2 h=2:2 n=30:50 d=16:16 out=bnhd"},
    {"q with channel stride 2", "b=2 h=2:2 n=30:50 d=16:16 q=1920:960:32:2"},
    {"k with channel stride 2", "b=2 h=2:2 n=30:200 d=16:16 k=12800:6400:32:2"},
    {"v with channel stride 2", "b=2 h=2:2 n=30:200 d=16:16 v=12800:6400:32:2"},
    {"out with channel stride 2", "b=2 h=2:2 n=30:50 d=16:16 out=1920:960:32:2"},
    {"channels outermost", "b=1 h=2:2 n=30:50 d=16:8 q=960:30:1:60 k=1600:50:1:100 v=800:50:1:100 out=480:30:1:60"},
    {"negative strides",
     "b=2 h=2:2 n=30:50 d=16:16 q=960:480:-16:1 k=-1600:800:16:-1 v=1600:-800:-16:1 out=960:480:-16:1"},
    {"one query set for every batch item", "b=3 h=2:2 n=30:50 d=16:16 q=0:480:16:1"},
    {"one head of k and v for all", "b=2 h=4:4 n=30:50 d=16:16 k=800:0:16:1 v=800:0:16:1"},
    {"one key repeated", "b=1 h=2:2 n=30:50 d=16:16 k=32:16:0:1"},
    {"one channel repeated", "b=1 h=2:2 n=30:50 d=16:16 k=100:50:1:0"},
    {"strides of size-1 dimensions hold anything",
     "b=1 h=1:1 n=1:1 d=16:16 q=1099511627776:-7:1099511627776:1 k=1099511627776:0:1099511627776:1 "
     "v=5:1099511627776:1099511627776:1 out=1099511627776:1099511627776:0:1"},
    {"a single channel with a huge stride",
     "b=1 h=1:1 n=4:6 d=1:1 q=4:4:1:1099511627776 k=6:6:1:1099511627776 v=6:6:1:1099511627776 out=4:4:1:1099511627776"},
    // Numbers.
    {"large scores", "b=1 h=2:2 n=30:300 d=64:16 fill=large"},
    {"equal scores", "b=1 h=2:2 n=30:300 d=64:16 fill=equal"},
    {"tiny numbers", "b=1 h=2:2 n=30:50 d=16:16 fill=tiny"},
};

}  // namespace heed::tests
