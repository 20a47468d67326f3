// Which shapes serve floats: measured on an H200 (gpu/README.md).
#include "gpu/lu/lu_cuda_host.cuh"

namespace datum {

template <>
lu::Shape<float> lu::shape_for(std::uint32_t n) {
  if (n <= 32) return shape<float, 32, 1, 32, 8>();
  if (n <= 64) return shape<float, 64, 1, 32, 8>();
  if (n <= 128) return shape<float, 64, 2, 32, 8>();
  if (n <= 256) return shape<float, 128, 2, 32, 8>();
  if (n <= 512) return shape<float, 128, 4, 32, 8>();
  return shape<float, 256, 4, 16, 4>();
}

template <>
lu::Shape<float> lu::panel_shape_for(std::uint32_t n) {
  if (n <= CudaLu<float>::most_rows_of_columns) return shape_for<float>(n);
  if (n <= 2112) return shape<float, 352, 6, 16, 4>();
  if (n <= 2880) return shape<float, 480, 6, 8, 4>();
  return shape<float, 480, 9, 8, 2>();
}

template <>
bool lu::panels_win<float>(std::uint32_t n, std::size_t batch) {
  return batch > 16 && n > 128;
}

template class CudaLu<float>;

}  // namespace datum
