// One hash for each kernel and instruction set, of what it makes of inputs that are the same on every machine: whole numbers
// from Philox, scaled by powers of two, so that no library's function has a part in them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "gpu/core/backend.h"
#include "gpu/core/philox.h"

namespace datum::testing {

/// FNV-1a, 64 bits, over the bytes of numbers: this machine's order of bytes is part of it.
class Hash {
 public:
  void bytes(const void* data, std::size_t size) {
    const auto* p = static_cast<const unsigned char*>(data);
    for (std::size_t i = 0; i < size; ++i) value_ = (value_ ^ p[i]) * 0x100000001b3u;
  }
  /// Each by itself, so that what lies between a structure's fields has no part in it.
  template <class... T>
  void add(const T&... numbers) {
    (bytes(&numbers, sizeof numbers), ...);
  }
  template <class T>
  void all(const std::vector<T>& values) {
    bytes(values.data(), values.size() * sizeof(T));
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325u;
};

/// Numbers in [-1, 1), multiples of 2^-23.
class Noise {
 public:
  explicit Noise(std::uint64_t seed) : seed_(seed) {}
  float next() { return static_cast<float>(word() >> 8) * 0x1p-23f - 1.f; }
  std::uint32_t word() {
    if (at_ == 4) {
      block_ = philox({{number_++, 0, 0, 0}}, seed_);
      at_ = 0;
    }
    return block_.word[at_++];
  }
  std::vector<float> row(std::size_t count, float scale) {
    std::vector<float> v(count);
    for (float& x : v) x = next() * scale;
    return v;
  }

 private:
  const std::uint64_t seed_;
  PhiloxBlock block_{};
  std::uint32_t number_ = 0;
  int at_ = 4;
};

// Of points: kernel_hashes_points.cpp
std::uint64_t hash_of_plane_fit(const Backend& backend);
std::uint64_t hash_of_component_height(const Backend& backend);
std::uint64_t hash_of_parallel_planes(const Backend& backend);
std::uint64_t hash_of_model_distance(const Backend& backend);
std::uint64_t hash_of_surface_match(const Backend& backend);
std::uint64_t hash_of_area_share(const Backend& backend);
std::uint64_t hash_of_surface_compare(const Backend& backend);
std::uint64_t hash_of_lu(const Backend& backend);
// Of images: kernel_hashes_images.cpp
std::uint64_t hash_of_fft(const Backend& backend);
std::uint64_t hash_of_fourier_profilometry(const Backend& backend);
std::uint64_t hash_of_phase_correlation(const Backend& backend);
std::uint64_t hash_of_fringe_phase(const Backend& backend);
std::uint64_t hash_of_diffusion(const Backend& backend);

}  // namespace datum::testing
