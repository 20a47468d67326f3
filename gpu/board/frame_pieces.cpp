#include "gpu/board/frame_pieces.h"

#include <stdexcept>
#include <string>

namespace datum {
namespace {

constexpr std::int32_t group_px = 8;
constexpr std::uint8_t of_ring = 1, of_body = 2;

void mark(const BoardPlan& plan, std::uint32_t first, std::uint32_t count, std::int32_t pitch,
          std::uint8_t what, std::vector<std::uint8_t>* groups) {
  for (std::uint32_t i = first; i < first + count; ++i) {
    const PixelRun& run = plan.runs[i];
    const std::int64_t row = std::int64_t{run.row} * (pitch / group_px);
    for (std::int64_t g = run.col / group_px; g * group_px < run.col + run.length; ++g)
      (*groups)[static_cast<std::size_t>(row + g)] |= what;
  }
}

}  // namespace

std::size_t count_bytes(CountType type) { return type == CountType::int16 ? 2 : 4; }

FramePieces frame_pieces(const BoardPlan& plan, std::int32_t pitch) {
  const std::uint64_t groups =
      static_cast<std::uint64_t>(plan.rows) * static_cast<std::uint64_t>(pitch / group_px);
  const std::uint64_t pieces_per_group = group_px * count_bytes(plan.type) / piece_bytes;
  if (groups * pieces_per_group > UINT32_MAX)
    throw std::invalid_argument(std::string("frame pieces: a frame of ") + std::to_string(plan.rows) +
                                " rows of " + std::to_string(pitch) + " counts is too large");
  std::vector<std::uint8_t> marks(static_cast<std::size_t>(groups));
  for (std::uint32_t i = 0; i < plan.site_count; ++i) {
    const SitePlan& s = plan.sites[i];
    mark(plan, s.ring_run, s.ring_runs, pitch, of_ring, &marks);
    mark(plan, s.body_run, s.body_runs, pitch, of_body, &marks);
  }
  FramePieces pieces;
  for (std::size_t g = 0; g < marks.size(); ++g) {
    if (marks[g] == 0) continue;
    std::vector<std::uint32_t>& to = marks[g] & of_ring ? pieces.rings : pieces.bodies;
    for (std::uint64_t k = 0; k < pieces_per_group; ++k)
      to.push_back(static_cast<std::uint32_t>(g * pieces_per_group + k));
  }
  return pieces;
}

}  // namespace datum
