// Which shapes serve doubles: measured on an H200 (gpu/README.md).
#include "gpu/lu/lu_cuda_host.cuh"

namespace datum {

template <>
lu::Shape<double> lu::shape_for(std::uint32_t n) {
  if (n <= 32) return shape<double, 32, 1, 32, 8>();
  if (n <= 64) return shape<double, 64, 1, 32, 8>();
  if (n <= 128) return shape<double, 128, 1, 32, 8>();
  if (n <= 256) return shape<double, 128, 2, 16, 8>();
  if (n <= 512) return shape<double, 128, 4, 16, 4>();
  return shape<double, 512, 2, 16, 4>();
}

template <>
lu::Shape<double> lu::panel_shape_for(std::uint32_t n) {
  if (n <= 512) return shape_for<double>(n);
  if (n <= 1120) return shape<double, 224, 5, 16, 2>();
  if (n <= 2112) return shape<double, 352, 6, 8, 2>();
  if (n <= 2816) return shape<double, 352, 8, 4, 2>();
  return shape<double, 480, 9, 4, 1>();
}

template <>
bool lu::panels_win<double>(std::uint32_t n, std::size_t batch) {
  return n > 512 || (batch > 16 && n >= 128);
}

template class CudaLu<double>;

}  // namespace datum
