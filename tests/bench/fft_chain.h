// Kernels beside cuFFT's in `datum bench fft --gpu`: the paper's transform, and what a phase of fringes needs between
// cuFFT's calls.
#pragma once

#include <cstddef>
#include <cstdint>

struct CUstream_st;

namespace datum::bench {

using CudaStream = CUstream_st*;

/// The paper's kernel, one block a row; `other` is as large as the rows. The result is in `out`.
void pease_rows(CudaStream stream, const float* in, float* out, float* other, unsigned points, unsigned rows);

/// The paper's kernel on as many blocks as `points` need with 512 threads of two values each, one row: after each stage all blocks
/// meet at its lock-free barrier. `arrivals`: 2 numbers for each block and one more, 0 before the first call. `inverse`: unscaled, as printed. At most 8,192 points.
void pease_blocks(CudaStream stream, const float* in, float* out, float* other, unsigned points, bool inverse,
                  unsigned* arrivals);

void to_float(CudaStream stream, const std::uint8_t* in, float* out, std::size_t count);
/// Bins of real rows (points / 2 + 1 each) times `gain`, to rows of `points` bins, 0 beyond.
void window_rows(CudaStream stream, const float* bins, const float* gain, float* out, unsigned points,
                 unsigned rows);
void angles(CudaStream stream, const float* in, float* out, std::size_t count);

}  // namespace datum::bench
