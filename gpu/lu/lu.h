// LU factorisation with partial pivoting, P A = L U: the matrices that are neither definite nor of least squares, such as
// the thin-plate spline's. float and double; matrices column-major, element (row i, column j) at a[i + j * leading].
//
// The pivot of a column is its element of largest magnitude on or below the diagonal, the lowest row among equals.
// Results have LAPACK's form (getrf): the unit lower triangle's multipliers below the diagonal, U on and above it,
// pivots[k] - 1 the row that was exchanged with row k. The bytes depend on the matrix alone, not on the backend, its
// lanes, blocks or threads (lu_math.h says which operations, in which order). C++17: CUDA sources include this header.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpu/core/backend.h"

namespace datum {

enum class LuStatus : std::uint8_t {
  ok,
  singular,    // a pivot is exactly 0: factored to the end, but nothing can be solved
  not_finite,  // the matrix or what became of it holds NaN or an infinity: no factors
};
const char* name_of(LuStatus status);

/// Of LAPACK's info. 0: ok. k > 0: u_kk is the first pivot that is 0. -k: the search for pivot k was the first to meet
/// NaN or an infinity, in the matrix or by overflow; all factors are NaN then and the pivots 1 to n.
LuStatus lu_status(std::int32_t info);

/// Factors in place and returns info. pivots: n. Throws std::invalid_argument for null pointers with n > 0 and for
/// leading < n.
template <class T>
std::int32_t lu_factor(T* a, std::uint32_t n, std::uint32_t leading, std::int32_t* pivots,
                       const Backend& backend);

/// The same of `batch` matrices that follow each other, n * n elements and n pivots each; info: batch.
template <class T>
void lu_factor_batch(T* a, std::uint32_t n, std::size_t batch, std::int32_t* pivots, std::int32_t* info,
                     const Backend& backend);

/// Solves A X = B or, transposed, A' X = B with the factors of lu_factor, whose info was 0. b: n x columns, overwritten
/// by X. Forward k ascends, backward it descends, every update one fma, every division IEEE, so the bytes do not depend on
/// the number of columns or threads. Throws as lu_factor.
template <class T>
void lu_solve(const T* factors, std::uint32_t n, std::uint32_t leading, const std::int32_t* pivots, T* b,
              std::uint32_t columns, std::uint32_t leading_b, const Backend& backend,
              bool transposed = false);

/// How far a factored matrix can be trusted.
struct LuHealth {
  double growth =
      0;  // largest |u_ij| / largest |a_ij|: partial pivoting allows 2^(n - 1), seldom exceeds n^(2/3)
  double condition =
      0;  // ||A||_1 ||A^-1||_1 by Hager's and Higham's estimate, a lower bound that is seldom below a
          // third of it; infinite where the matrix is singular, NaN where it is not finite
  double norm_one = 0;       // largest sum of magnitudes of a column
  double norm_infinity = 0;  // of a row
};

enum class LuEstimate : std::uint8_t { with_condition, without_condition };

/// How far a solution can.
struct LuAnswer {
  double backward_error = 0;  // ||b - A x|| / (||A|| ||x|| + ||b||), infinity norms (Rigal and Gaches 1967)
  double largest_correction = 0;  // of the last refinement, infinity norm
  std::uint32_t refinements = 0;  // that were kept
};

/// A matrix factored once, for many right-hand sides.
template <class T>
class LuSystem {
 public:
  /// Factors a copy of a (n x n, leading n). Throws as lu_factor.
  LuSystem(const T* a, std::uint32_t n, const Backend& backend);
  /// Takes factors and pivots that another backend made of a.
  LuSystem(const T* a, std::uint32_t n, std::vector<T> factors, std::vector<std::int32_t> pivots,
           std::int32_t info, const Backend& backend);

  std::uint32_t n() const { return n_; }
  std::int32_t info() const { return info_; }
  LuStatus status() const { return lu_status(info_); }
  const std::vector<T>& factors() const { return factors_; }
  const std::vector<std::int32_t>& pivots() const { return pivots_; }

  /// with_condition: takes some solutions with the matrix and its transpose; without_condition leaves it 0.
  LuHealth health(LuEstimate estimate = LuEstimate::with_condition) const;

  /// x = A^-1 b, refined: residuals in double for float and in about 106 bits for double, until a correction does not
  /// halve the residual (at most 5). b and x: n, not the same memory. Throws std::logic_error where status() is not ok.
  LuAnswer solve(const T* b, T* x) const;
  /// Without refinement and evidence; n x columns, leading n, in place. Throws the same.
  void solve_plain(T* b, std::uint32_t columns) const;

 private:
  void require_ok() const;
  void solve_with_factors(T* b, bool transposed) const;

  std::uint32_t n_;
  std::vector<T> a_, factors_;
  std::vector<std::int32_t> pivots_;
  std::int32_t info_;
  Backend backend_;
  double norm_infinity_;
};

}  // namespace datum
