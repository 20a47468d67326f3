// datumctl fringe columns on rendered images.
#include "daemon/ctl/fringe_columns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "drivers/frame/frame_error.h"
#include "drivers/sensor/raster.h"
#include "tests/drivers/sensor/tiny_files.h"
#include "tests/fresh_folder.h"
#include "tests/gpu/fringe_scenes.h"

namespace datum {
namespace {

using namespace testing;
using ::testing::HasSubstr;

/// Twelve steps of three periods on a slope with a step; a patch is dark, a pixel saturated.
FringeColumnsOptions slope(const std::filesystem::path& folder) {
  RawFringes<std::uint8_t> raw = render<std::uint8_t>(
      three_periods(12), 60, 40, [](double x, double y) { return 300 + 5 * x + y + (x > 30 ? 8 : 0); }, 120,
      100);
  FringeColumnsOptions o;
  for (std::size_t i = 0; i < raw.samples.size(); ++i) {
    for (std::size_t at = 0; at < 10; ++at) raw.samples[i][at] = 40;
    if (i == 17) raw.samples[i][30] = 255;
    o.images.push_back(folder / ("image_" + std::to_string(i) + ".png"));
    write_png(o.images.back(), 40, 60, raw.samples[i]);
  }
  o.periods_px = {14, 15, 16};
  o.projector_px = 1280;
  return o;
}

TEST(FringeColumns, SaysWhatTheImagesHold) {
  const FreshFolder folder;
  FringeColumnsOptions o = slope(folder.path());
  o.picture = folder.path() / "columns.png";
  const std::string text = fringe_columns(o);
  EXPECT_THAT(text,
              HasSubstr("12 steps; unwrapped by 1680 px and 210 px; bears a phase noise of 0.030 rad\n"));
  EXPECT_THAT(text, HasSubstr("60 x 40 pixels: 2389 OK, 1 SATURATED, 10 LOW MODULATION, 0 UNWRAP\n"));
  EXPECT_THAT(text, HasSubstr("medians: modulation 99."));
  // Samples rounded to whole grey values, s = 0.29, on B = 100: sqrt(2 / N) s / B is 0.0024 rad for three steps and less for
  // more; the smallest B of three periods is slightly below 100.
  for (const char* line : {"3 of these 12 steps: phase 0.00", "4 of these 12 steps: phase 0.00",
                           "6 of these 12 steps: phase 0.00"})
    EXPECT_THAT(text, HasSubstr(line));
  EXPECT_THAT(text, HasSubstr("columns.png: columns less their plane, -"));
  const auto picture = read_bytes(o.picture, 1 << 20);
  EXPECT_GT(picture.size(), 100u);
}

TEST(FringeColumns, WarnsOfThreeSteps) {
  const FreshFolder folder;
  FringeColumnsOptions o = slope(folder.path());
  std::vector<std::string> three;
  for (std::size_t i = 0; i < 36; i += 4) three.push_back(o.images[i]);
  o.images = three;
  EXPECT_THAT(fringe_columns(o), HasSubstr("3 steps (a profile refuses them: "));
}

TEST(FringeColumns, RefusesImagesThatDoNotFit) {
  const FreshFolder folder;
  const FringeColumnsOptions good = slope(folder.path());
  const auto expect = [&](const std::function<void(FringeColumnsOptions&)>& change, const char* words) {
    FringeColumnsOptions o = good;
    change(o);
    try {
      fringe_columns(o);
      ADD_FAILURE() << "not refused: " << words;
    } catch (const std::exception& error) {
      EXPECT_THAT(error.what(), HasSubstr(words));
    }
  };
  expect([](auto& o) { o.images.pop_back(); }, "35 images are no whole number for each of 3 periods");
  expect([](auto& o) { o.periods_px = {14, 15}; }, "tell columns apart over 210 px");
  expect([](auto& o) { o.periods_px = {14, 15, 16, 17}; }, "4 periods; 1 to 3 are wanted");
  write_png<std::uint8_t>(folder.path() / "small.png", 2, 2, {1, 2, 3, 4});
  expect([&](auto& o) { o.images[3] = folder.path() / "small.png"; }, "small.png: differs from");
  expect([&](auto& o) { o.images[3] = folder.path() / "image.bmp"; }, "image.bmp");
  write_file(folder.path() / "image.bmp", "BM");
  expect([&](auto& o) { o.images[3] = folder.path() / "image.bmp"; }, "not a .png, .tif or .tiff");
}

}  // namespace
}  // namespace datum
