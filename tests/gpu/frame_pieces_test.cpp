// Every pixel that a board is measured from lies in a piece, once.
#include "gpu/board/frame_pieces.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "tests/gpu/map_scene.h"

namespace datum {
namespace {

using namespace testing;

/// Pieces of whole groups of eight pixels that the runs touch.
std::set<std::uint32_t> pieces_of(const MapScene& m, std::uint32_t first, std::uint32_t count) {
  std::set<std::uint32_t> pieces;
  for (std::uint32_t i = first; i < first + count; ++i)
    for (std::int32_t k = 0; k < m.runs[i].length; ++k) {
      const std::size_t pixel = static_cast<std::size_t>(m.runs[i].row) * static_cast<std::size_t>(m.pitch) +
                                static_cast<std::size_t>(m.runs[i].col + k);
      const std::size_t begin = pixel / 8 * 8 * m.count_bytes(), end = begin + 8 * m.count_bytes();
      for (std::size_t at = begin; at < end; at += 16) pieces.insert(static_cast<std::uint32_t>(at / 16));
    }
  return pieces;
}

TEST(FramePieces, CoverRingsAndBodiesOnce) {
  for (const CountType type : {CountType::int16, CountType::int32, CountType::float32}) {
    BoardOptions o;
    o.rows = 391, o.cols = 403, o.type = type;
    o.gap = 0, o.erode = 0;  // bodies share groups of pixels with their rings
    const MapScene m = board_map({{9, 50, 61}, {24, 100, 90}, {1, 1, 1}, {3, 150, 20}}, o);
    std::set<std::uint32_t> rings, bodies;
    for (const SitePlan& s : m.sites) {
      rings.merge(pieces_of(m, s.ring_run, s.ring_runs));
      bodies.merge(pieces_of(m, s.body_run, s.body_runs));
    }
    std::vector<std::uint32_t> others;
    std::set_difference(bodies.begin(), bodies.end(), rings.begin(), rings.end(), std::back_inserter(others));
    ASSERT_LT(others.size(), bodies.size());
    const FramePieces pieces = frame_pieces(m.plan(), m.pitch);
    EXPECT_EQ(pieces.rings, std::vector<std::uint32_t>(rings.begin(), rings.end()));
    EXPECT_EQ(pieces.bodies, others);
    EXPECT_LT(pieces.rings.back(), m.bytes() / piece_bytes);
  }
}

TEST(FramePieces, NothingOfAnEmptyPlanAndNoFrameBeyondTheNumbers) {
  const FramePieces none = frame_pieces(BoardPlan{}, 8);
  EXPECT_TRUE(none.rings.empty() && none.bodies.empty());
  BoardPlan large;
  large.rows = 1 << 18, large.cols = 8, large.type = CountType::float32;
  EXPECT_THROW(frame_pieces(large, 1 << 20), std::invalid_argument);
}

}  // namespace
}  // namespace datum
