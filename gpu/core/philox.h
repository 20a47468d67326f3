// Counter-based random numbers: Philox4x32-10 of Salmon et al., "Parallel random numbers: as easy as 1, 2, 3"
// (SC 2011).
#pragma once

#include "gpu/core/portable.h"

namespace datum {

struct PhiloxBlock {
  std::uint32_t word[4];
};

DATUM_HD std::uint32_t multiply_high(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::uint32_t>((static_cast<std::uint64_t>(a) * b) >> 32);
}

/// Four random words for one counter; key = seed, low word first.
DATUM_HD PhiloxBlock philox(PhiloxBlock c, std::uint64_t seed) {
  std::uint32_t key0 = static_cast<std::uint32_t>(seed), key1 = static_cast<std::uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint32_t low0 = 0xD2511F53u * c.word[0], high0 = multiply_high(0xD2511F53u, c.word[0]);
    const std::uint32_t low1 = 0xCD9E8D57u * c.word[2], high1 = multiply_high(0xCD9E8D57u, c.word[2]);
    c = PhiloxBlock{{high1 ^ c.word[1] ^ key0, low1, high0 ^ c.word[3] ^ key1, low0}};
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  return c;
}

struct Triple {
  std::uint32_t index[3];
};

/// Three distinct indices below n >= 3, without a loop: each is drawn from what the ones before it leave.
DATUM_HD Triple sample_three(PhiloxBlock r, std::uint32_t n) {
  const std::uint32_t i0 = multiply_high(r.word[0], n);
  std::uint32_t i1 = multiply_high(r.word[1], n - 1), i2 = multiply_high(r.word[2], n - 2);
  i1 += i1 >= i0;
  const std::uint32_t low = i0 < i1 ? i0 : i1, high = i0 < i1 ? i1 : i0;
  i2 += i2 >= low;
  i2 += i2 >= high;
  return Triple{{i0, i1, i2}};
}

}  // namespace datum
