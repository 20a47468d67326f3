#include <cstdio>

#include "gpu/core/cuda_support.cuh"
#include "gpu/lu/lu_cuda.h"
#include "tests/bench/lu_rows.h"
#include "tests/bench/papers_gpu.h"
#include "tests/bench/papers_scenes.h"

namespace datum::bench {
namespace {

void lu_rows(const Stream& stream) {
  std::printf("\nThe LU paper, float, partial pivoting; us on the device\n");
  for (const std::uint32_t n : {1024u, 2048u, 3072u, 4096u}) {
    const std::vector<float> a = paper_matrix(n);
    CudaLu<float> lu;
    lu.prepare(n, 1);
    lu.upload(stream, a.data());
    const Replay replay(stream, [&](CudaStream s) { lu.launch(s); });
    std::vector<double> us;
    for (int i = 0; i < 11; ++i) us.push_back(replay.device_us());
    std::vector<float> factors(a.size()), expected = a;
    std::vector<std::int32_t> pivots(n), expected_pivots(n);
    std::int32_t info = 0;
    lu.fetch(stream, factors.data(), pivots.data(), &info);
    lu_factor(expected.data(), n, n, expected_pivots.data(), cpu_backend());
    std::printf("%5u rows: %9.0f %s\n", n, spread_of(us).median,
                said(equal(factors, expected) && equal(pivots, expected_pivots)));
  }
}

struct Row {
  std::uint32_t n;
  int side;
  bool whole;  // takes many seconds
};
constexpr Row one_block[] = {{1024, 16, false}, {1024, 8, false}, {1024, 4, false}, {2048, 16, false},
                             {3072, 16, false}, {4096, 16, true}, {1024, 2, true},  {1024, 1, true}};

/// Figures 6 and 7: the paper's kernel, one block.
void one_block_rows(const Stream& stream, bool whole) {
  std::printf("its kernel, one block; ms with partial pivoting, without\n");
  for (const Row row : one_block) {
    if (row.whole && !whole) continue;
    cuda::Buffer<float> a;
    cuda::to_device(a, paper_matrix(row.n), "matrix");
    double ms[2];
    for (const bool pivots : {true, false}) {
      const LuPeer peer = lu_paper(a.get(), row.n, row.side, pivots);
      ms[pivots ? 0 : 1] = 1e-3 * wall_us([&] {
                             peer.enqueue(stream);
                             // longer than Stream::finish() waits
                             cuda::check(cudaStreamSynchronize(stream), "the paper's kernel");
                           });
    }
    std::printf("%5u rows, %2d x %2d threads: %9.1f %9.1f\n", row.n, row.side, row.side, ms[0], ms[1]);
    std::fflush(stdout);
  }
}

}  // namespace

void lu_gpu_figures(const Stream& stream, const PapersOptions& options) {
  lu_rows(stream);
  one_block_rows(stream, options.whole);
}

}  // namespace datum::bench
