// Which shapes serve floats: measured on an H200 (gpu/README.md).
#include "gpu/lu/lu_cuda_host.cuh"

namespace datum {

template <>
lu::Shape<float> lu::shape_for(std::uint32_t n) {
  if (n <= 32) return shape<float, 32, 1, 32, 8>();
  if (n <= 64) return shape<float, 64, 1, 32, 8>();
  if (n <= 128) return shape<float, 64, 2, 32, 8>();
  if (n <= 256) return shape<float, 128, 2, 32, 8>();
  if (n <= 512) return shape<float, 256, 2, 32, 8>();
  return shape<float, 256, 4, 16, 4>();
}

template class CudaLu<float>;

}  // namespace datum
