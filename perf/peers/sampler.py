# SPDX-License-Identifier: Apache-2.0
"""Samples of calls' times, taken in turns: A B C A B C, so that all share the machine's moods."""
import statistics
import time

SHORTEST_SAMPLE = 200e-6    # a clock and a loop of Python cost well below 1 us
TURN_WARM_UP_LIMIT = 5e-3   # a longer call hardly notices cold caches
TURNS = 10                  # a library's time comes in so many pieces or more
FEWEST_SAMPLES = 7
TRIALS = 3


def seconds_of(run, calls=1):
    start = time.perf_counter()
    for _ in range(calls):
        run()
    return (time.perf_counter() - start) / calls


def fastest(forms):
    """The form whose best call takes least; the first calls, which touch memory, don't count."""
    if len(forms) == 1:
        return forms[0]
    for form in forms:
        form.run()
    best = {id(form): [] for form in forms}
    for _ in range(TRIALS):
        for form in forms:
            best[id(form)].append(seconds_of(form.run))
    return min(forms, key=lambda form: min(best[id(form)]))


class Sampler:
    def __init__(self, run):
        self._run = run
        run()
        seconds = max(seconds_of(run), 1e-9)
        self._is_short = seconds < TURN_WARM_UP_LIMIT
        self._calls = max(1, int(SHORTEST_SAMPLE / seconds))
        self._total = 0.0
        self._samples = []

    def take_turn(self, turn_seconds):
        """Samples for about so long, at least one. The others have used the caches since: a short call's first
        run of a turn doesn't count."""
        if self._is_short:
            self._run()
        end = time.perf_counter() + turn_seconds
        while True:
            self._samples.append(seconds_of(self._run, self._calls))
            self._total += self._samples[-1] * self._calls
            if time.perf_counter() >= end:
                return

    def has_enough(self, min_seconds):
        return self._total >= min_seconds and len(self._samples) >= FEWEST_SAMPLES

    @property
    def median_us(self):
        return 1e6 * statistics.median(self._samples)

    @property
    def spread_pct(self):
        tenths = statistics.quantiles(self._samples, n=10, method='inclusive')
        return 100 * (tenths[-1] - tenths[0]) / statistics.median(self._samples)


def sample_in_turns(runs, min_seconds):
    samplers = [Sampler(run) for run in runs]
    while not all(sampler.has_enough(min_seconds) for sampler in samplers):
        for sampler in samplers:
            sampler.take_turn(min_seconds / TURNS)
    return samplers
