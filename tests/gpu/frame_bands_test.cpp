// Bands of a board: each site once, and no pixel of a band outside its rows.
#include "gpu/board/frame_bands.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/gpu/map_scene.h"

namespace datum {
namespace {

using namespace testing;

MapScene board_of(std::size_t sites, std::uint64_t seed) {
  BoardOptions o;
  o.rows = o.cols = 900, o.seed = seed;
  std::vector<RingShape> rings;
  for (std::size_t i = 0; i < sites; ++i)
    rings.push_back(
        {4, 10 + static_cast<std::int32_t>(i * 7 % 40), 10 + static_cast<std::int32_t>(i * 13 % 30)});
  return board_map(rings, o);
}

void expect_inside(const MapScene& m, std::uint32_t first, std::uint32_t count, const FrameBand& band) {
  for (std::uint32_t i = first; i < first + count; ++i) {
    EXPECT_GE(m.runs[i].row, band.first_row);
    EXPECT_LT(m.runs[i].row, band.end_row);
  }
}

TEST(FrameBands, EachSiteLiesInOneBandAndItsPixelsInItsRows) {
  for (const std::size_t sites : {1u, 2u, 7u, 8u, 9u, 60u}) {
    const MapScene m = board_of(sites, sites);
    const std::vector<FrameBand> bands = frame_bands(m.plan());
    ASSERT_LE(bands.size(), std::min<std::size_t>(sites, max_frame_bands));
    EXPECT_GE(bands.size(), sites == 60 ? max_frame_bands : 1u);
    std::set<std::uint32_t> seen;
    std::int32_t end = 0;
    for (const FrameBand& band : bands) {
      EXPECT_TRUE(std::is_sorted(band.sites.begin(), band.sites.end()));
      EXPECT_GE(band.end_row, end) << "bands follow each other by their last rows";
      end = band.end_row;
      for (const std::uint32_t site : band.sites) {
        EXPECT_TRUE(seen.insert(site).second);
        const SitePlan& s = m.sites[site];
        expect_inside(m, s.ring_run, s.ring_runs, band);
        expect_inside(m, s.body_run, s.body_runs, band);
      }
    }
    EXPECT_EQ(seen.size(), sites);
  }
}

TEST(FrameBands, HaveAboutEquallyManyPixels) {
  const MapScene m = board_of(60, 3);
  std::uint64_t all = 0, most_of_a_site = 0;
  std::vector<std::uint64_t> of_band;
  const auto pixels = [&](std::uint32_t i) {
    return std::uint64_t{m.sites[i].ring_pixels} + m.sites[i].body_pixels;
  };
  for (const FrameBand& band : frame_bands(m.plan())) {
    of_band.push_back(0);
    for (const std::uint32_t site : band.sites) {
      of_band.back() += pixels(site);
      most_of_a_site = std::max(most_of_a_site, pixels(site));
    }
    all += of_band.back();
  }
  for (const std::uint64_t pixels : of_band) EXPECT_LE(pixels, all / max_frame_bands + most_of_a_site);
}

TEST(FrameBands, SitesWithoutPixelsHaveNoRows) {
  EXPECT_TRUE(frame_bands(BoardPlan{}).empty());
  MapScene m = board_of(3, 4);
  for (SitePlan& s : m.sites) s.ring_runs = s.ring_pixels = s.body_runs = s.body_pixels = 0;
  const std::vector<FrameBand> none = frame_bands(m.plan());
  ASSERT_FALSE(none.empty());
  for (const FrameBand& band : none) EXPECT_EQ(band.first_row, band.end_row);
  MapScene one_empty = board_of(3, 4);
  one_empty.sites[1].ring_runs = one_empty.sites[1].ring_pixels = 0;
  one_empty.sites[1].body_runs = one_empty.sites[1].body_pixels = 0;
  std::size_t sites = 0;
  for (const FrameBand& band : frame_bands(one_empty.plan())) {
    sites += band.sites.size();
    const bool has_pixels = band.sites != std::vector<std::uint32_t>{1};
    EXPECT_EQ(band.first_row < band.end_row, has_pixels);
  }
  EXPECT_EQ(sites, 3u);
}

TEST(BandProgress, BeginsEachBandOfAFrameOnce) {
  BandProgress progress(2);
  EXPECT_EQ(progress.begin(0, 5, 0b0011), 0b0011u);
  EXPECT_EQ(progress.begin(0, 5, 0b0111), 0b0100u);
  EXPECT_EQ(progress.begin(1, 6, 0b0001), 0b0001u) << "another slot";
  EXPECT_EQ(progress.begun(0, 5), 0b0111u);
  EXPECT_EQ(progress.begun(0, 4), 0u) << "another frame";
  EXPECT_EQ(progress.begin(0, 7, 0), 0u);
  EXPECT_EQ(progress.begun(0, 7), 0u);
  EXPECT_EQ(progress.begun(0, 5), 0u) << "the frame before";
  EXPECT_EQ(progress.begun(1, 6), 0b0001u);
  progress.reset();
  EXPECT_EQ(progress.begun(1, 6), 0u);
}

}  // namespace
}  // namespace datum
