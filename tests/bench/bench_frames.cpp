// From a delivery's bytes to its heights and its hash: as the daemon does it (plain images itself, others by datumd-parse), beside
// the libraries in this process.
//
//   bench_frames [REPEATS]     in turns, so that what else runs here slows both; medians, and the median of each turn's ratio
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <random>
#include <vector>

#include "daemon/parse/isolated_parsers.h"
#include "daemon/system/memory.h"
#include "drivers/sensor/height_file.h"
#include "tests/bench/bench_delivery.h"
#include "tests/drivers/sensor/tiny_files.h"
#include "tests/fresh_folder.h"

namespace {

using namespace datum;
using Clock = std::chrono::steady_clock;

constexpr int side = 2000;
constexpr std::uint64_t most_pixels = std::uint64_t{side} * side;

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

template <class Work>
double took_ms(const Work& work) {
  const auto from = Clock::now();
  work();
  return std::chrono::duration<double, std::milli>(Clock::now() - from).count();
}

void row(const FrameParser& parser, const std::string& name, const std::string& file, int repeats) {
  const ByteView bytes = testing::bytes_of(file);
  Raster here, product;
  std::string sum;
  std::vector<double> here_ms, product_ms, ratio;
  const auto by_library = [&] {
    sum = sha256_hex({bytes});
    here = read_image(bytes, name, most_pixels);
  };
  const auto by_product = [&] {
    product = image_by(&parser, bytes, name, most_pixels, [&] { sum = sha256_hex({bytes}); });
  };
  for (int i = 0; i < repeats; ++i) {
    here = product = {};
    const bool first = i % 2 == 0;
    if (first) here_ms.push_back(took_ms(by_library));
    product_ms.push_back(took_ms(by_product));
    if (!first) here_ms.push_back(took_ms(by_library));
    ratio.push_back(product_ms.back() / here_ms.back());
    if (!(here.samples == product.samples)) throw std::runtime_error(name + ": other heights");
  }
  fmt::print("{:<12} {:8.1f} MB {:10.2f} ms {:10.2f} ms {:8.2f}\n", name,
             static_cast<double>(file.size()) / 1e6, median(here_ms), median(product_ms), median(ratio));
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const int repeats = argc > 1 ? std::atoi(argv[1]) : 41;
  keep_freed_memory();  // as the daemon
  const testing::FreshFolder folder;
  std::mt19937 random(1);
  std::vector<std::int16_t> heights(most_pixels);
  for (std::size_t i = 0; i < heights.size(); ++i)
    heights[i] = static_cast<std::int16_t>(static_cast<int>(i) / side + static_cast<int>(random() % 16));
  const auto with = [](int compression) {
    testing::TiffOptions options;
    options.compression = compression;
    return options;
  };
  constexpr int lzw = 5, deflate = 8;
  testing::write_tiff(folder / "plain.tif", side, side, heights);
  testing::write_tiff(folder / "lzw.tif", side, side, heights, with(lzw));
  testing::write_tiff(folder / "deflate.tif", side, side, heights, with(deflate));
  testing::write_png(folder / "grey.png", side, side,
                     std::vector<std::uint16_t>(heights.begin(), heights.end()));
  ParserClient link(frame_parse_settings(most_pixels));
  link.start();
  const IsolatedFrames parser(link);
  fmt::print("{} x {} pixels: libraries in this process, the product, its ratio\n", side, side);
  for (const char* name : {"plain.tif", "lzw.tif", "deflate.tif", "grey.png"})
    row(parser, name, testing::read_file(folder / name), repeats);
  bench::bench_deliveries(std::max(repeats / 2, 5));
}
