#include <cstdio>

#include "gpu/core/cuda_device.h"
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
  lu_factor_batch(a.data(), n, batch, expected_pivots.data(), expected_info.data(), cpu_backend());
  return std::memcmp(a.data(), factors.data(), a.size() * sizeof(T)) == 0 && pivots == expected_pivots &&
         info == expected_info;
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
  for (const std::uint32_t n : {16u, 32u, 64u, 96u, 128u, 192u, 256u, 384u, 512u, 768u, 1024u}) {
    rows<float>(stream, n, 1);
    rows<double>(stream, n, 1);
  }
  for (const std::uint32_t n : {16u, 32u, 64u, 128u, 256u, 512u}) {
    rows<float>(stream, n, 256);
    rows<double>(stream, n, 256);
  }
}

}  // namespace datum::bench
