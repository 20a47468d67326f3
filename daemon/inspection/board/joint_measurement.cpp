// The boards of a panel in one call of the measurer.
#include <algorithm>
#include <vector>

#include "daemon/inspection/board/board_in_hand.h"

namespace datum {
namespace {

/// Sites of several boards as one plan: site i of all is site i - first of its board.
struct JointPlan {
  std::vector<SitePlan> sites;
  std::vector<PixelRun> runs;
  std::vector<std::uint8_t> run_side;
  std::vector<std::size_t> first;  // site of each board
  BoardPlan plan;

  void add(const BoardPlan& p) {
    first.push_back(sites.size());
    const auto base = static_cast<std::uint32_t>(runs.size());
    for (std::uint32_t i = 0; i < p.site_count; ++i) {
      SitePlan site = p.sites[i];
      site.ring_run += base;
      site.body_run += base;
      sites.push_back(site);
    }
    runs.insert(runs.end(), p.runs, p.runs + p.run_count);
    run_side.insert(run_side.end(), p.run_side, p.run_side + p.run_count);
    plan = p;
  }

  const BoardPlan& joined() {
    plan.sites = sites.data();
    plan.site_count = static_cast<std::uint32_t>(sites.size());
    plan.runs = runs.data();
    plan.run_side = run_side.data();
    plan.run_count = static_cast<std::uint32_t>(runs.size());
    return plan;
  }
};

}  // namespace

void measure_boards(std::span<BoardInHand> boards, const HeightFrame& frame, BoardMeasurer& measurer,
                    unsigned threads) {
  std::vector<BoardInHand*> measured;
  for (BoardInHand& board : boards) {
    if (board.why) continue;
    board.scan = std::make_unique<SiteScan>(*board.in.recipe, *board.planned, frame);
    measured.push_back(&board);
  }
  if (measured.empty()) return;
  if (measured.size() == 1) {
    SiteScan& scan = *measured.front()->scan;
    measurer.measure(measured.front()->planned->plan.plan(), view_of(frame), scan.records(), threads,
                     [&](std::size_t i, const SiteHeights& heights) { scan.look(i, heights); });
    return;
  }
  JointPlan joint;
  for (const BoardInHand* board : measured) joint.add(board->planned->plan.plan());
  std::vector<SiteRecord> records(joint.sites.size());
  measurer.measure(joint.joined(), view_of(frame), records.data(), threads,
                   [&](std::size_t i, const SiteHeights& heights) {
                     const auto after = std::upper_bound(joint.first.begin(), joint.first.end(), i);
                     const auto board = static_cast<std::size_t>(after - joint.first.begin()) - 1;
                     SiteScan& scan = *measured[board]->scan;
                     const std::size_t site = i - joint.first[board];
                     scan.records()[site] = records[i];
                     scan.look(site, heights);
                   });
}

}  // namespace datum
