// Fourier transforms on a CUDA device beside cuFFT's.
#pragma once

namespace datum::bench {

/// Prints tables of the device, or why there are none.
void fft_gpu_rows();

}  // namespace datum::bench
