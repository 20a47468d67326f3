// Box products on the device are the sums written the long way.
#include "gpu/component_height/box_products_cuda.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "gpu/core/cuda_device.h"
#include "tests/gpu/device_copy.h"

namespace datum {
namespace {

using testing::DeviceCopy;

class BoxProductsCuda : public ::testing::Test {
 protected:
  void SetUp() override {
    const CudaDevice device = probe_cuda_device();
    if (!device.usable) GTEST_SKIP() << device.why;
  }
};

struct Region {
  int row0, col0, rows, cols;
  std::vector<std::int16_t> steps;  // rows x cols, 0 outside the runs
  std::int64_t at(int r, int c) const {
    return r < 0 || c < 0 || r >= rows || c >= cols ? 0 : steps[static_cast<std::size_t>(r * cols + c)];
  }
  BoxProducts products() const {
    BoxProducts p;
    for (int r = 0; r < rows; ++r)
      for (int c = 0; c < cols; ++c) {
        const std::int64_t v = at(r, c);
        if (v == 0) continue;
        p.squares += v * v;
        std::int64_t box = v;
        for (int reach = 1, k = 0; reach <= 16; ++reach) {
          for (int i = -reach; i <= reach; ++i) box += at(r - reach, c + i) + at(r + reach, c + i);
          for (int i = -reach + 1; i < reach; ++i) box += at(r + i, c - reach) + at(r + i, c + reach);
          if ((reach & (reach - 1)) == 0) p.products[k++] += v * box;
        }
      }
    return p;
  }
};

/// kind 0: noise; 1: all 255; 2: all -255; 3: +-255 by rows; 4: a ring; 5: nothing; 6: sparse.
Region region(int row0, int col0, int rows, int cols, int kind, unsigned seed) {
  Region r{row0, col0, rows, cols, std::vector<std::int16_t>(static_cast<std::size_t>(rows * cols))};
  std::mt19937 engine(seed);
  for (int i = 0; i < rows; ++i)
    for (int k = 0; k < cols; ++k) {
      const int noise = static_cast<int>(engine() % 511) - 255;
      const bool edge = i < 24 || k < 24 || i >= rows - 24 || k >= cols - 24;
      const int values[] = {
          noise, 255, -255, i % 2 ? 255 : -255, edge ? noise : 0, 0, engine() % 97 ? 0 : noise};
      r.steps[static_cast<std::size_t>(i * cols + k)] = static_cast<std::int16_t>(values[kind]);
    }
  return r;
}

std::vector<Region> regions() {
  std::vector<Region> all;
  unsigned seed = 1;
  for (int side : {1, 2, 3, 4, 5, 15, 16, 17, 31, 32, 33, 48, 63, 64, 65, 127, 128, 129, 200})
    for (int other : {1, 64, 65, 130}) {
      const int row = static_cast<int>(seed * 13 % 50), col = static_cast<int>(seed * 29 % 77);
      all.push_back(region(row, col, side, other, static_cast<int>(seed % 7), seed));
      all.push_back(region(col, row, other, side, static_cast<int>((seed + 3) % 7), seed + 1000));
      ++seed;
    }
  all.push_back(region(0, 5, 250, 260, 4, 77));
  return all;
}

TEST_F(BoxProductsCuda, AreTheSumsWrittenTheLongWay) {
  const std::vector<Region> all = regions();
  std::vector<PixelRun> runs;
  std::vector<RegionRuns> owners;
  for (const Region& r : all) {
    owners.push_back({static_cast<std::uint32_t>(runs.size()), 0});
    for (int i = 0; i < r.rows; ++i) {
      if (r.rows == 250 && i >= 24 && i < 226) {  // a ring: its hole has no runs
        runs.push_back({r.row0 + i, r.col0, 24});
        runs.push_back({r.row0 + i, r.col0 + r.cols - 24, 24});
      } else {
        runs.push_back({r.row0 + i, r.col0, r.cols});
      }
    }
    owners.back().count = static_cast<std::uint32_t>(runs.size()) - owners.back().first;
  }
  owners.push_back({0, 0});
  std::vector<BoxProducts> products;
  for (const Region& r : all) products.push_back(r.products());
  CudaBoxProducts boxes;
  boxes.prepare(runs.data(), owners.data(), owners.size());
  std::vector<ResidualWindow> windows(owners.size());
  cuda::check(cudaMemcpy(windows.data(), boxes.windows(), windows.size() * sizeof(ResidualWindow),
                         cudaMemcpyDeviceToHost),
              "windows");
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Region& r = all[i];
    const ResidualWindow& w = windows[i];
    EXPECT_EQ(w.row0, r.row0);
    std::vector<std::uint16_t> packed;
    for (const std::int16_t step : r.steps) packed.push_back(packed_step(step));
    cuda::check(
        cudaMemcpy2D(w.steps + (r.col0 - w.col0), static_cast<std::size_t>(w.pitch) * 2, packed.data(),
                     static_cast<std::size_t>(r.cols) * 2, static_cast<std::size_t>(r.cols) * 2,
                     static_cast<std::size_t>(r.rows), cudaMemcpyHostToDevice),
        "steps");
  }
  std::vector<PlaneFit> fits(owners.size());
  for (std::size_t i = 0; i < fits.size(); ++i)
    fits[i].status = i % 5 ? FitStatus::ok : FitStatus::no_consensus;
  const DeviceCopy<PlaneFit> device_fits(fits);
  constexpr std::size_t stride = 7;  // of eight bytes: the sums are members of something larger
  const std::vector<std::int64_t> poison(owners.size() * stride, -77);
  for (const PlaneFit* which :
       {static_cast<const PlaneFit*>(nullptr), static_cast<const PlaneFit*>(device_fits.get())}) {
    for (int repeat = 0; repeat < 3; ++repeat) {
      DeviceCopy<std::int64_t> out(poison);
      boxes.launch(nullptr, which, reinterpret_cast<BoxProducts*>(out.get()), stride * 8);
      const std::vector<std::int64_t> sums = out.download();
      for (std::size_t i = 0; i < owners.size(); ++i) {
        const bool kept = i >= all.size() || (which && fits[i].status != FitStatus::ok);
        const BoxProducts expected = kept ? BoxProducts{-77, {-77, -77, -77, -77, -77}} : products[i];
        EXPECT_EQ(std::memcmp(&sums[i * stride], &expected, sizeof expected), 0)
            << "region " << i
            << (i < all.size() ? " of " + std::to_string(all[i].rows) + " x " + std::to_string(all[i].cols)
                               : std::string())
            << " squares " << sums[i * stride] << " of " << expected.squares << ", reach 1 "
            << sums[i * stride + 1] << " of " << expected.products[0] << ", reach 16 " << sums[i * stride + 5]
            << " of " << expected.products[4];
        EXPECT_EQ(sums[i * stride + 6], -77);
      }
      if (HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace datum
