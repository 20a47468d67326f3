// datum bench lu: factorisations with partial pivoting beside OpenBLAS on this CPU, beside cuSOLVER and cuBLAS on its GPU.
// Every row of the product is compared with the CPU's bytes.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>

#include "tests/bench/lu_rows.h"
#include "tests/gpu/lu_scenes.h"

namespace datum::bench {
namespace {

using testing::random_matrix;

struct Times {
  double p10, median, p90;
};

/// Of work on fresh copies, in us; the copies are not timed.
template <class T>
Times times_of(const std::vector<T>& a, const std::function<void(T*)>& work) {
  std::vector<double> us;
  std::vector<T> copy(a.size());
  double total = 0;
  while (us.size() < 15 || (total < 2e5 && us.size() < 2000)) {
    std::copy(a.begin(), a.end(), copy.begin());
    const auto begin = std::chrono::steady_clock::now();
    work(copy.data());
    us.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count());
    total += us.back();
  }
  std::sort(us.begin(), us.end());
  return {us[us.size() / 10], us[us.size() / 2], us[us.size() * 9 / 10]};
}

template <class T>
void row(std::uint32_t n, unsigned threads) {
  const Backend backend = cpu_backend(threads);
  const std::vector<T> a = random_matrix<T>(n, n);
  std::vector<std::int32_t> pivots(n);
  const Times ours = times_of<T>(a, [&](T* m) { lu_factor(m, n, n, pivots.data(), backend); });
  const double flops = 2.0 / 3 * n * n * n;
  std::printf("%-6s %5u %2u  %9.1f (%.1f, %.1f) %7.1f", sizeof(T) == 4 ? "float" : "double", n, threads,
              ours.median, ours.p10, ours.p90, flops / ours.median * 1e-3);
  openblas_threads(static_cast<int>(threads));
  if (std::vector<T> probe = a; openblas_factor(probe.data(), static_cast<int>(n), pivots.data())) {
    const Times theirs =
        times_of<T>(a, [&](T* m) { openblas_factor(m, static_cast<int>(n), pivots.data()); });
    std::printf("  %9.1f (%.1f, %.1f) %7.1f  %5.2f", theirs.median, theirs.p10, theirs.p90,
                flops / theirs.median * 1e-3, ours.median / theirs.median);
  }
  std::printf("\n");
}

void cpu_rows() {
  const std::string peer = openblas_name();
  std::printf("LU with partial pivoting, one matrix, %s; %s\n", describe(cpu_backend(1)).c_str(),
              peer.empty() ? "no OpenBLAS in this build (libopenblas-dev)" : peer.c_str());
  std::printf("type       n threads datumd us (10 %%, 90 %%) GFLOP/s, OpenBLAS us GFLOP/s, times OpenBLAS\n");
  for (const unsigned threads : {1u, 2u})
    for (const std::uint32_t n : {16u, 32u, 64u, 96u, 128u, 192u, 256u, 384u, 512u, 1024u}) {
      row<float>(n, threads);
      row<double>(n, threads);
    }
}

}  // namespace
}  // namespace datum::bench

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  datum::bench::openblas_at_its_best(argv);
  const std::string only = argc > 1 ? argv[1] : "";
  if (only != "--gpu") datum::bench::cpu_rows();
  if (only != "--cpu") datum::bench::lu_gpu_rows();
}
