#include "gpu/lu/system_inverter_cuda.h"

#include <stdexcept>

#include "gpu/core/gpu_error.h"
#include "gpu/lu/lu_cuda.h"

namespace datum {

static_assert(most_system_rows == CudaLu<double>::most_rows);

std::int32_t invert_on_device(const SystemToInvert& s) {
  static CudaLu<double> lu;
  if (s.n == 0) return 0;
  try {
    lu.prepare(s.n, 1);
  } catch (const std::invalid_argument& error) {
    throw GpuError(error.what(), false);
  }
  lu.upload(nullptr, s.a);
  lu.launch(nullptr);
  lu.set_identity(nullptr);
  lu.launch_solve(nullptr);
  std::int32_t info = 0;
  lu.fetch(nullptr, s.factors, s.pivots, &info);
  if (info == 0) lu.fetch_solutions(nullptr, s.inverse);
  return info;
}

}  // namespace datum
