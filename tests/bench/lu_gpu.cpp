#include <cstdio>
#include <cstring>

#include "gpu/core/cuda_device.h"
#include "gpu/core/cuda_support.cuh"
#include "gpu/core/gpu_error.h"
#include "gpu/lu/lu_cuda.h"
#include "tests/bench/lu_rows.h"
#include "tests/gpu/device_copy.h"
#include "tests/gpu/lu_scenes.h"

namespace datum::bench {
namespace {

constexpr int repetitions = 40, warm_up = 5;

Spread device_us(const Stream& stream, const std::function<void(CudaStream)>& enqueue) {
  const Replay replay(stream, enqueue);
  std::vector<double> us;
  for (int i = -warm_up; i < repetitions; ++i) {
    const double one = replay.device_us();
    if (i >= 0) us.push_back(one);
  }
  return spread_of(us);
}

template <class T>
std::vector<T> matrices(std::uint32_t n, std::size_t batch) {
  std::vector<T> all;
  for (unsigned i = 0; i < batch; ++i) {
    const std::vector<T> m = testing::random_matrix<T>(n, i);
    all.insert(all.end(), m.begin(), m.end());
  }
  return all;
}

template <class T>
bool same_bytes(CudaLu<T>& device, const Stream& stream, std::vector<T> a, std::uint32_t n,
                std::size_t batch) {
  std::vector<T> factors(a.size());
  std::vector<std::int32_t> pivots(n * batch), info(batch), expected_pivots(n * batch), expected_info(batch);
  device.fetch(stream, factors.data(), pivots.data(), info.data());
  if (batch == 1) {
    expected_info[0] = lu_factor(a.data(), n, n, expected_pivots.data(), cpu_backend());
  } else {
    lu_factor_batch(a.data(), n, batch, expected_pivots.data(), expected_info.data(), cpu_backend());
  }
  return std::memcmp(a.data(), factors.data(), a.size() * sizeof(T)) == 0 && pivots == expected_pivots &&
         info == expected_info;
}

/// The other method, where both serve.
template <class T>
void other_method(const Stream& stream, const std::vector<T>& a, std::uint32_t n, std::size_t batch,
                  LuMethod method) {
  if (n > CudaLu<T>::most_rows_of_columns) return;
  CudaLu<T> device;
  device.prepare(n, batch, method);
  device.upload(stream, a.data());
  const Spread us = device_us(stream, [&](CudaStream s) { device.launch(s); });
  std::printf("  %s %.1f %s", method == LuMethod::columns ? "columns" : "panels", us.median,
              same_bytes(device, stream, a, n, batch) ? "equal" : "DIFFERENT");
}

template <class T>
void rows(const Stream& stream, std::uint32_t n, std::size_t batch) {
  const std::vector<T> a = matrices<T>(n, batch);
  CudaLu<T> device;
  device.prepare(n, batch);
  device.upload(stream, a.data());
  const Spread ours = device_us(stream, [&](CudaStream s) { device.launch(s); });
  std::printf("%-6s %5u %6zu  %9.1f (%.1f, %.1f) %s", sizeof(T) == 4 ? "float" : "double", n, batch,
              ours.median, ours.p10, ours.p90,
              same_bytes(device, stream, a, n, batch) ? "equal" : "DIFFERENT");
  other_method(stream, a, n, batch, LuMethod::columns);
  other_method(stream, a, n, batch, LuMethod::blocked);
  const testing::DeviceCopy<T> original(a);
  testing::DeviceCopy<T> copy(a);
  const Spread copying = device_us(stream, [&](CudaStream s) {
    cuda::check(
        cudaMemcpyAsync(copy.get(), original.get(), a.size() * sizeof(T), cudaMemcpyDeviceToDevice, s),
        "copy");
  });
  std::vector<LuPeer> peers = lu_peers<T>(original.get(), n, batch);
  if (batch == 1 && n <= 512) peers.push_back(lu_paper(original.get(), n));
  for (const LuPeer& peer : peers) {
    const Spread theirs = device_us(stream, peer.enqueue);
    const double net = theirs.median - copying.median;
    std::printf("  %s %.1f (%.1f, %.1f) %.1f times", peer.name.c_str(), net, theirs.p10 - copying.median,
                theirs.p90 - copying.median, net / ours.median);
  }
  std::printf("\n");
}

/// A system's factors and inverse, from page-locked memory to page-locked memory, as `datumd-gpu` makes them.
void inverse_rows(const Stream& stream) {
  std::printf("factors and inverse, double: n, ms here, device alone, bytes; CPU ms, 1 thread and all\n");
  for (const std::uint32_t n : {64u, 128u, 256u, 512u, 1030u, 2054u, 4102u}) {
    const std::size_t size = std::size_t{n} * n;
    const std::vector<double> a = testing::random_matrix<double>(n, n);
    cuda::Buffer<double> from(cuda::Where::host_mapped), factors(cuda::Where::host_mapped),
        inverse(cuda::Where::host_mapped);
    for (auto* b : {&from, &factors, &inverse}) b->reserve(size);
    std::copy(a.begin(), a.end(), from.get());
    std::vector<std::int32_t> pivots(n);
    std::int32_t info = 0;
    CudaLu<double> device;
    const auto work = [&] {
      device.prepare(n, 1, LuMethod::by_size);
      device.upload(stream, from.get());
      device.launch(stream);
      device.set_identity(stream);
      device.launch_solve(stream);
      device.fetch(stream, factors.get(), pivots.data(), &info);
      device.fetch_solutions(stream, inverse.get());
    };
    std::vector<double> ms, alone;
    for (int i = 0; i < 6; ++i) {
      const double us = wall_us(work);
      if (i > 0) ms.push_back(us * 1e-3);
    }
    const Replay replay(stream, [&](CudaStream s) {
      device.launch(s);
      device.launch_solve(s);
    });
    for (int i = 0; i < 5; ++i) alone.push_back(replay.device_us() * 1e-3);
    std::vector<double> expected = a, x(size, 0);
    std::vector<std::int32_t> rows(n);
    double cpu_ms[2];
    for (const unsigned threads : {1u, 0u}) {
      const Backend cpu = threads == 0 ? cpu_backend() : cpu_backend(threads);
      cpu_ms[threads == 0] = 1e-3 * wall_us([&] {
                               expected = a;
                               lu_factor(expected.data(), n, n, rows.data(), cpu);
                               std::fill(x.begin(), x.end(), 0);
                               for (std::size_t i = 0; i < n; ++i) x[i * n + i] = 1;
                               lu_solve(expected.data(), n, n, rows.data(), x.data(), n, n, cpu);
                             });
    }
    const bool equal = std::memcmp(expected.data(), factors.get(), size * sizeof(double)) == 0 &&
                       std::memcmp(x.data(), inverse.get(), size * sizeof(double)) == 0 && rows == pivots;
    std::printf("%5u  %8.2f  %8.2f %s  %8.1f %8.1f\n", n, spread_of(ms).median, spread_of(alone).median,
                equal ? "equal" : "DIFFERENT", cpu_ms[0], cpu_ms[1]);
  }
}

}  // namespace

void lu_gpu_rows() {
  const CudaDevice device = probe_cuda_device();
  if (!device.usable) return static_cast<void>(std::printf("no GPU rows: %s\n", device.why.c_str()));
  const Stream stream;
  std::printf(
      "%s: type, n, matrices, us on the device (10 %%, 90 %%), bytes against the CPU; each library's us "
      "without "
      "the copy into its place, and how many times datumd's\n",
      device.name.c_str());
  for (const std::uint32_t n :
       {16u, 32u, 64u, 96u, 128u, 192u, 256u, 384u, 512u, 768u, 1024u, 1500u, 2048u, 4096u}) {
    rows<float>(stream, n, 1);
    rows<double>(stream, n, 1);
  }
  for (const std::uint32_t n : {16u, 32u, 64u, 128u, 256u, 512u}) {
    rows<float>(stream, n, 256);
    rows<double>(stream, n, 256);
  }
  inverse_rows(stream);
}

}  // namespace datum::bench
