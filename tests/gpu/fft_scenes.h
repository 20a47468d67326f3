// Rows of values for the tests of the Fourier transform, and what is compared of them.
#pragma once

#include <complex>
#include <cstring>
#include <random>
#include <vector>

#include "gpu/fft/fft.h"

namespace datum::testing {

template <class Word>
std::vector<Word> noise(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<Word> v(count);
  for (Word& x : v) x = static_cast<Word>(normal(random));
  return v;
}

template <class Word>
std::vector<std::complex<Word>> complex_noise(std::size_t count, std::uint64_t seed) {
  const std::vector<Word> words = noise<Word>(2 * count, seed);
  std::vector<std::complex<Word>> v(count);
  for (std::size_t i = 0; i < count; ++i) v[i] = {words[2 * i], words[2 * i + 1]};
  return v;
}

template <class T>
bool same_bytes(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

/// All four transforms of the same rows.
template <class Word>
struct Transformed {
  std::vector<std::complex<Word>> forward, inverse, bins;
  std::vector<Word> reals;
};
template <class Word>
bool same_bytes(const Transformed<Word>& a, const Transformed<Word>& b) {
  return same_bytes(a.forward, b.forward) && same_bytes(a.inverse, b.inverse) && same_bytes(a.bins, b.bins) &&
         same_bytes(a.reals, b.reals);
}
template <class Word>
Transformed<Word> transformed(std::size_t points, std::size_t rows, std::uint64_t seed,
                              const Backend& backend) {
  const Fft<Word> fft(points);
  const auto in = complex_noise<Word>(points * rows, seed);
  const auto bins = complex_noise<Word>(fft.real_bins() * rows, seed + 1);
  const auto reals = noise<Word>(points * rows, seed + 2);
  Transformed<Word> t{std::vector<std::complex<Word>>(in.size()), std::vector<std::complex<Word>>(in.size()),
                      std::vector<std::complex<Word>>(bins.size()), std::vector<Word>(reals.size())};
  fft.forward(in.data(), rows, backend, t.forward.data());
  fft.inverse(in.data(), rows, backend, t.inverse.data());
  fft.forward_real(reals.data(), rows, backend, t.bins.data());
  fft.inverse_real(bins.data(), rows, backend, t.reals.data());
  return t;
}

}  // namespace datum::testing
