#include "gpu/fft/fft_cuda_rows.cuh"

namespace datum {
namespace fft {

using S = ScalarFloat;

template <>
void launch<S>(CudaStream stream, unsigned points, const RowsOnDevice<S>& q) {
  switch (points) {
    case 8:
      return launch_shape<Shape<S, 8, 8, 128>, 4>(stream, q);
    case 16:
      return launch_shape<Shape<S, 16, 16, 128>, 4>(stream, q);
    case 32:
      return launch_shape<Shape<S, 32, 32, 128>, 4>(stream, q);
    case 64:
      return launch_shape<Shape<S, 64, 16, 32>, 8>(stream, q);
    case 128:
      return launch_shape<Shape<S, 128, 16, 16>, 8>(stream, q);
    case 256:
      return launch_shape<Shape<S, 256, 16, 8>, 6>(stream, q);
    case 512:
      return launch_shape<Shape<S, 512, 8, 1>, 16>(stream, q);
    case 1024:
      return launch_shape<Shape<S, 1024, 16, 1>, 10>(stream, q);
    case 2048:
      return launch_shape<Shape<S, 2048, 16, 1>, 5>(stream, q);
    case 4096:
      return launch_shape<Shape<S, 4096, 16, 1>, 3>(stream, q);
    case 8192:
      return launch_shape<Shape<S, 8192, 32, 1>, 2>(stream, q);
    default:
      return launch_shape<Shape<S, 16384, 32, 1>, 1>(stream, q);
  }
}

}  // namespace fft

template class CudaFft<float>;

}  // namespace datum
