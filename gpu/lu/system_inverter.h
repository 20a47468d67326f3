// Who factors a matrix and inverts it: this program's CPU, or a GPU with the CPU in reserve. The bytes are the same.
// C++17: CUDA sources include this header.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "gpu/lu/lu.h"

namespace datum {

/// A matrix of n x n doubles, column-major, and where its factors, pivots and inverse go.
struct SystemToInvert {
  const double* a = nullptr;
  std::uint32_t n = 0;
  double* factors = nullptr;       // n x n; may not be `a`
  std::int32_t* pivots = nullptr;  // n
  double* inverse = nullptr;       // n x n
};

class SystemInverter {
 public:
  virtual ~SystemInverter() = default;
  /// Factors as lu_factor and, where that is ok, the solutions of lu_solve for the identity's columns; the inverse is
  /// undefined otherwise. Returns info. Throws std::invalid_argument for null pointers with n > 0. Of several threads one
  /// waits for the other.
  virtual std::int32_t invert(const SystemToInvert& system) = 0;
  /// Who did the last one: "cuda NVIDIA H200 sm_90", "cpu avx512 x16".
  virtual std::string describe() const = 0;
};

/// On this program's CPU.
std::int32_t invert_system(const SystemToInvert& system, const Backend& backend);

class CpuSystemInverter final : public SystemInverter {
 public:
  explicit CpuSystemInverter(Backend backend) : backend_(std::move(backend)) {}
  std::int32_t invert(const SystemToInvert& system) override { return invert_system(system, backend_); }
  std::string describe() const override { return datum::describe(backend_); }

 private:
  Backend backend_;
};

/// The largest system that a device inverts.
constexpr std::uint32_t most_system_rows = 4320;

/// Whether these can't be a matrix's factors and inverse: pivots out of range, the last column of the factors not that
/// of the forward substitution, the last column of the inverse not that of both. Byte for byte, and with nearly all
/// elements of both factors, in 6 n^2 operations.
bool contradicts(const SystemToInvert& system, std::int32_t info, const Backend& backend);

}  // namespace datum
