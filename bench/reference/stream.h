// The random streams of the library (SplitMix64 in counter form), for the programs beside this file.

#pragma once

#include <cstdint>

constexpr uint64_t GOLDEN = 0x9E3779B97F4A7C15;

struct Stream {
    uint64_t counter;
    Stream(uint64_t key, uint64_t episode) : counter(key + (episode << 24) * GOLDEN) {}
    uint64_t bits() {
        uint64_t z = counter += GOLDEN;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
        return z ^ (z >> 31);
    }
    int below(uint64_t n) {  // multiplication with rejection
        uint64_t product = (bits() >> 32) * n;
        if (uint32_t(product) < n) {
            uint64_t threshold = ((uint64_t(1) << 32) - n) % n;
            while (uint32_t(product) < threshold) product = (bits() >> 32) * n;
        }
        return int(product >> 32);
    }
};
