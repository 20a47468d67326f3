// What bench_lu asks of a GPU and of libraries that may be absent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/bench/gpu_timing.h"

namespace datum::bench {

/// Rows of the GPU, or one line that says why there are none.
void lu_gpu_rows();

/// OpenBLAS' getrf; false where this build has none.
template <class T>
bool openblas_factor(T* a, int n, int* pivots);
/// "OpenBLAS 0.3.21 ..." or "".
std::string openblas_name();
void openblas_threads(int threads);
/// An OpenBLAS older than the processor takes it for a very old one: starts this program again, once, with the kernels
/// for AVX-512 where the processor has it.
void openblas_at_its_best(char** argv);

/// A library's factorisation of matrices on the device.
struct LuPeer {
  std::string name;
  std::function<void(CUstream_st*)> enqueue;
};

/// cuSOLVER's getrf with each of its algorithms for one matrix, cuBLAS' getrfBatched for more; matrices are copied from
/// `a` (device memory) first, as both work in place. Empty where the toolkit lacks them.
template <class T>
std::vector<LuPeer> lu_peers(const T* a, std::uint32_t n, std::size_t batch);

/// The paper's kernel on a copy: a block of side x side threads (1, 2, 4, 8 or 16), with or without partial pivoting.
template <class T>
LuPeer lu_paper(const T* a, std::uint32_t n, int side = 16, bool pivots = true);

}  // namespace datum::bench
