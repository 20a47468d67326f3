#include "tests/bench/bench_delivery.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <random>
#include <thread>

#include "drivers/sensor/descriptor.h"
#include "drivers/sensor/read_frame.h"
#include "tests/drivers/sensor/tiny_files.h"
#include "tests/fresh_folder.h"

namespace datum::bench {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr int side = 3904;
constexpr std::size_t pixels = std::size_t{side} * side;

template <class Work>
double took_ms(const Work& work) {
  const auto from = Clock::now();
  work();
  return std::chrono::duration<double, std::milli>(Clock::now() - from).count();
}

/// Processor time of all threads.
double cpu_ms() {
  timespec used{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return 1e3 * static_cast<double>(used.tv_sec) + 1e-6 * static_cast<double>(used.tv_nsec);
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

/// The file in ready memory by one pread, and a copy of it.
void read_and_copy(const fs::path& file, std::vector<char>& memory, std::vector<char>& copy) {
  const Descriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  std::size_t have = 0;
  while (have < memory.size()) {
    const ssize_t n =
        ::pread(opened.get(), memory.data() + have, memory.size() - have, static_cast<off_t>(have));
    if (n <= 0) throw std::runtime_error("can't read " + file.string());
    have += static_cast<std::size_t>(n);
  }
  std::memcpy(copy.data(), memory.data(), memory.size());
}

struct Delivery {
  const char* name;
  fs::path sidecar, heights;
  Handedness handedness = Handedness::right;
};

void row(const Delivery& delivery, const std::vector<unsigned>& threads, int repeats) {
  const auto bytes = static_cast<std::size_t>(fs::file_size(delivery.heights));
  std::vector<char> memory(bytes), copy(bytes);
  SensorProfile profile = testing::make_profile();
  profile.handedness = delivery.handedness;
  profile.reading.buffers = std::make_shared<FrameBuffers>();
  std::vector<double> plain_ms, hash_ms, plain_cpu;
  std::vector<std::vector<double>> product_ms(threads.size()), product_cpu(threads.size());
  for (int i = 0; i < repeats; ++i) {
    const double before = cpu_ms();
    plain_ms.push_back(took_ms([&] { read_and_copy(delivery.heights, memory, copy); }));
    const ByteView whole(reinterpret_cast<const std::uint8_t*>(memory.data()), memory.size());
    hash_ms.push_back(took_ms([&] { static_cast<void>(sha256_hex({whole})); }));
    plain_cpu.push_back(cpu_ms() - before);
    for (std::size_t k = 0; k < threads.size(); ++k) {
      profile.reading.threads = threads[k];
      HeightFrame frame;
      const double from = cpu_ms();
      product_ms[k].push_back(took_ms([&] { frame = read_frame(delivery.sidecar, profile); }));
      profile.reading.buffers->give(std::move(frame));
      product_cpu[k].push_back(cpu_ms() - from);
    }
  }
  fmt::print("{:<14} {:5.1f} {:7.2f} {:7.2f} {:7.2f}", delivery.name, static_cast<double>(bytes) / 1e6,
             median(plain_ms), median(hash_ms), median(plain_cpu));
  for (std::size_t k = 0; k < threads.size(); ++k)
    fmt::print(" | {:7.2f} {:7.2f}", median(product_ms[k]), median(product_cpu[k]));
  fmt::print("\n");
  std::fflush(stdout);
}

std::vector<std::int16_t> heights() {
  std::mt19937 random(1);
  std::vector<std::int16_t> counts(pixels);
  for (std::size_t i = 0; i < pixels; ++i)
    counts[i] = random() % 64 == 0
                    ? std::int16_t{INT16_MIN}
                    : static_cast<std::int16_t>(static_cast<int>(i / side) + static_cast<int>(random() % 16));
  return counts;
}

}  // namespace

void bench_deliveries(int repeats) {
  const testing::FreshFolder folder;
  const std::vector<std::int16_t> counts = heights();
  testing::TiffOptions strips;
  strips.rows_per_strip = 16;
  testing::write_tiff(folder / "a.tif", side, side, counts, strips);
  testing::write_tiff(folder / "f.tif", side, side, std::vector<float>(counts.begin(), counts.end()), strips);
  testing::write_tiff(folder / "u.tif", side, side, std::vector<std::uint16_t>(counts.begin(), counts.end()),
                      strips);
  const auto deliver = [&](const std::string& stem, const std::string& file, auto alter) -> fs::path {
    FrameSidecar sidecar = testing::make_sidecar(file);
    alter(sidecar);
    testing::write_file(folder.path() / (stem + ".json"), write_sidecar(sidecar));
    return folder.path() / (stem + ".json");
  };
  std::string raw(reinterpret_cast<const char*>(counts.data()), 2 * pixels);
  testing::write_file(folder / "e.bsq", raw);
  testing::write_file(
      folder / "e.hdr",
      fmt::format("ENVI\nsamples = {0}\nlines = {0}\nbands = 1\ndata type = 2\nbyte order = 0\n", side));
  const auto nothing = [](FrameSidecar&) {};
  const fs::path plain = deliver("a", "a.tif", nothing);
  const fs::path summed = deliver("s", "a.tif", [&](FrameSidecar& s) {
    s.height_sha256 = sha256_hex({testing::bytes_of(testing::read_file(folder / "a.tif"))});
  });
  const fs::path left = deliver("l", "a.tif", [](FrameSidecar& s) { s.handedness = Handedness::left; });
  const fs::path envi = deliver("e", "e.bsq", [](FrameSidecar& s) { s.header_file = "e.hdr"; });
  const fs::path reals = deliver("f", "f.tif", nothing);
  const fs::path naturals = deliver("u", "u.tif", [](FrameSidecar& s) { s.invalid.value = 32768; });
  const unsigned cores = std::max(2u, std::thread::hardware_concurrency());
  std::vector<unsigned> threads{1};
  for (const unsigned n : {2u, 4u, 8u, 16u})
    if (n <= cores) threads.push_back(n);
  fmt::print(
      "{} x {} heights from a delivery to an accepted frame, ms\nMB, plain read with a copy, SHA-256 of the "
      "whole, "
      "processor time of both | the product by {} threads, each with its processor time\n",
      side, side, fmt::join(threads, ", "));
  row({"int16 TIFF", plain, folder / "a.tif"}, threads, repeats);
  row({"sum stated", summed, folder / "a.tif"}, threads, repeats);
  row({"left-handed", left, folder / "a.tif", Handedness::left}, threads, repeats);
  row({"int16 ENVI", envi, folder / "e.bsq"}, threads, repeats);
  row({"uint16 TIFF", naturals, folder / "u.tif"}, threads, repeats);
  row({"float TIFF", reals, folder / "f.tif"}, threads, repeats);
}

}  // namespace datum::bench
