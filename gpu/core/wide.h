// Exact 128-bit integers where the compiler has none for devices (CUDA 11.4), rounded to double as the host does.
#pragma once

#include "gpu/core/portable.h"

namespace datum {

/// The 128-bit two's complement integer (high, low), rounded to nearest, ties to even.
DATUM_HD double double_of(std::int64_t high, std::uint64_t low) {
  const bool negative = high < 0;
  std::uint64_t h = static_cast<std::uint64_t>(high), l = low;
  if (negative) {
    l = ~l + 1;
    h = ~h + (l == 0);
  }
  if (h == 0) {
    const double d = static_cast<double>(l);
    return negative ? -d : d;
  }
  // The leading 64 bits; what is cut off decides only ties, so one bit stands for it.
  double scale = 1;
  int shift = 0;
  while ((h >> 63) == 0) {
    h = (h << 1) | (l >> 63);
    l <<= 1;
    ++shift;
  }
  for (int i = shift; i < 64; ++i) scale *= 2;
  const double d = static_cast<double>(h | (l != 0)) * scale;
  return negative ? -d : d;
}

/// A 128-bit two's complement integer.
struct WideInt {
  std::int64_t high = 0;
  std::uint64_t low = 0;
};

DATUM_HD double double_of(const WideInt& v) { return double_of(v.high, v.low); }

DATUM_HD void add(const WideInt& other, WideInt* sum) {
  sum->low += other.low;
  sum->high += other.high + (sum->low < other.low);
}

/// a * b, exact.
DATUM_HD void add_product(std::int64_t a, std::int64_t b, WideInt* sum) {
  WideInt product;
  product.low = static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b);
#ifdef __CUDA_ARCH__
  product.high = __mul64hi(a, b);
#else
  __extension__ using Int128 = __int128;
  product.high = static_cast<std::int64_t>((Int128(a) * b) >> 64);
#endif
  add(product, sum);
}

/// p * q - r * s, exact, rounded once. 64-bit factors.
DATUM_HD double difference_of_products(std::int64_t p, std::int64_t q, std::int64_t r, std::int64_t s) {
#ifdef __CUDA_ARCH__
  const std::uint64_t low_pq = static_cast<std::uint64_t>(p) * static_cast<std::uint64_t>(q);
  const std::uint64_t low_rs = static_cast<std::uint64_t>(r) * static_cast<std::uint64_t>(s);
  const std::int64_t high = __mul64hi(p, q) - __mul64hi(r, s) - (low_pq < low_rs);
  const std::uint64_t low = low_pq - low_rs;
  if (high == (static_cast<std::int64_t>(low) >> 63))
    return static_cast<double>(static_cast<std::int64_t>(low));
  return double_of(high, low);
#else
  __extension__ using Int128 = __int128;
  return static_cast<double>(Int128(p) * q - Int128(r) * s);
#endif
}

}  // namespace datum
