// The LU factorisation on a CUDA device. C++17.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "gpu/core/cuda_types.h"
#include "gpu/lu/lu.h"

namespace datum {

/// How a device factors. The bytes are the same.
enum class LuMethod : std::uint8_t {
  by_size,  // the faster one, as measured (gpu/README.md)
  columns,  // one kernel, whose blocks hold some columns each; up to 1024 rows
  blocked,  // panels of 64 columns, each followed by a product of matrices
};

/// Batches of matrices of one size; factors, pivots and infos are byte for byte those of lu_factor_batch on the CPU. T is
/// float or double. Members throw GpuError; one object is used by one thread at a time.
template <class T>
class CudaLu {
 public:
  /// What a panel's rows may take of registers and shared memory: 4,096 and the border of a warp's system.
  static constexpr std::uint32_t most_rows = 4320;
  static constexpr std::uint32_t most_rows_of_columns = 1024;

  CudaLu();
  ~CudaLu();

  /// Takes all memory. Throws std::invalid_argument for n = 0 or above most_rows, an empty batch or a method that does not
  /// serve n, and GpuError (not lost) where the device cannot run all blocks of one matrix at a time: the CPU serves those.
  void prepare(std::uint32_t n, std::size_t batch, LuMethod method = LuMethod::by_size);
  /// batch * n * n elements from the host.
  void upload(CudaStream stream, const T* a);
  /// Asynchronous; may be captured into a graph. What was uploaded stays, so that it can be launched again.
  void launch(CudaStream stream);
  /// Waits. factors: batch * n * n, pivots: batch * n, info: batch; null: not wanted.
  void fetch(CudaStream stream, T* factors, std::int32_t* pivots, std::int32_t* info);

  /// `columns` right-hand sides for each matrix from the host: n * columns elements, matrix after matrix.
  void upload_right_sides(CudaStream stream, const T* b, std::uint32_t columns);
  /// The identity's columns: the solutions are the inverses.
  void set_identity(CudaStream stream);
  /// Solves with the factors of the last launch(), to the bytes of lu_solve; asynchronous. The right-hand sides stay.
  void launch_solve(CudaStream stream);
  /// Waits. NaN where the matrix's info is not 0.
  void fetch_solutions(CudaStream stream, T* x);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace datum
