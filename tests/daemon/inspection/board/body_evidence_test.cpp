// Classes of a body's pixels: how many are clipped, and how far pixels without a height lie beyond the measured ones.
#include "daemon/inspection/board/body_evidence.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "drivers/frame/height_frame.h"
#include "gpu/component_height/component_height_math.h"

namespace datum::body_evidence_test {
namespace {

constexpr std::int32_t frame_cols = 400;

/// A body that leans to one side, on a top plane of these slopes.
struct Scene {
  std::vector<PixelRun> runs;
  std::vector<std::uint8_t> classes = std::vector<std::uint8_t>(frame_cols * 120, 0);
  SitePlan site;
  HeightStatistics heights;

  Scene(std::int32_t width, double slope_col, double slope_row) {
    for (std::int32_t row = 0; row < 60; ++row) runs.push_back({row + 10, 20 + row / 3, width + row % 5});
    site.body_runs = static_cast<std::uint32_t>(runs.size());
    for (const PixelRun& run : runs) site.body_pixels += static_cast<std::uint32_t>(run.length);
    heights.top.slope_col_nm = slope_col;
    heights.top.slope_row_nm = slope_row;
    heights.top.mean_col = 31.7;
    heights.top.mean_row = 40.1;
  }
  std::uint8_t& class_at(const PixelRun& run, std::int32_t k) {
    return classes[static_cast<std::size_t>(run.row * frame_cols + run.col + k)];
  }
  BodyEvidence evidence() {
    std::vector<std::int32_t> nm;
    heights.valid = 0;
    for (const PixelRun& run : runs)
      for (std::int32_t k = 0; k < run.length; ++k) {
        nm.push_back(class_at(run, k) == 0 ? 5 : height::no_height);
        heights.valid += class_at(run, k) == 0;
      }
    BodyRecord record;
    record.valid = heights.valid;
    return body_evidence({site, runs.data(), nm.data()}, BodyShape(runs), classes.data(), frame_cols, record,
                         heights, {});
  }
};

/// By the definition, pixel for pixel.
void expect_definition(Scene& scene, const BodyEvidence& e) {
  double highest[2] = {-HUGE_VAL, -HUGE_VAL}, lowest[2] = {HUGE_VAL, HUGE_VAL};  // with a height; without
  std::uint32_t clipped = 0;
  const TopPlane& top = scene.heights.top;
  for (const PixelRun& run : scene.runs)
    for (std::int32_t k = 0; k < run.length; ++k) {
      const auto of = static_cast<PixelClass>(scene.class_at(run, k));
      clipped += of == PixelClass::out_of_range || of == PixelClass::saturated;
      const int kind = of == PixelClass::ok ? 0 : 1;
      const double at =
          top.slope_col_nm * (run.col + k - top.mean_col) + top.slope_row_nm * (run.row - top.mean_row);
      highest[kind] = std::max(highest[kind], at);
      lowest[kind] = std::min(lowest[kind], at);
    }
  EXPECT_EQ(e.clipped, clipped);
  EXPECT_EQ(e.missing, scene.site.body_pixels - scene.heights.valid);
  EXPECT_EQ(e.missing_above_um, std::max(0.0, highest[1] - highest[0]) * 1e-3);
  EXPECT_EQ(e.missing_below_um, std::max(0.0, lowest[0] - lowest[1]) * 1e-3);
}

TEST(BodyEvidence, CountsClassesAsTheyLie) {
  std::mt19937 random(3);
  const double slopes[][2] = {{0, 0}, {30, 0}, {0, -20}, {-11, 7}, {2, 50}};
  for (const std::int32_t width : {1, 7, 9, 63, 64, 65, 200})
    for (const auto& [col, row] : slopes)
      for (const int of : {2, 20, 500}) {
        Scene scene(width, col, row);
        for (const PixelRun& run : scene.runs)
          for (std::int32_t k = 0; k < run.length; ++k)
            if (random() % static_cast<unsigned>(of) == 0)
              scene.class_at(run, k) = static_cast<std::uint8_t>(1 + random() % 10);
        scene.class_at(scene.runs[7], 0) = static_cast<std::uint8_t>(PixelClass::saturated);
        // clipped pixels beside the body are not the body's
        for (const PixelRun& run : scene.runs)
          scene.class_at(run, -1) = scene.class_at(run, run.length) =
              static_cast<std::uint8_t>(PixelClass::out_of_range);
        SCOPED_TRACE(std::to_string(width) + ' ' + std::to_string(col) + ' ' + std::to_string(of));
        expect_definition(scene, scene.evidence());
      }
}

TEST(BodyEvidence, FindsTheOnlyClippedPixelWhereverItLies) {
  for (const std::int32_t width : {3, 12, 70}) {
    for (std::int32_t k = 0; k < width; ++k)
      for (const bool from_end : {false, true}) {
        Scene scene(width, 1, 1);
        const PixelRun& run = scene.runs[static_cast<std::size_t>(k) % 60];
        scene.class_at(run, from_end ? run.length - 1 - k : k) =
            static_cast<std::uint8_t>(PixelClass::out_of_range);
        EXPECT_EQ(scene.evidence().clipped, 1u) << width << ' ' << k;
      }
  }
}

}  // namespace
}  // namespace datum::body_evidence_test
