// The boards of a frame in one call of the measurer.
#include <algorithm>
#include <vector>

#include "daemon/inspection/board/board_in_hand.h"
#include "daemon/inspection/board/early_scan.h"

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

/// A frame's only board. Most of its sites may have been evaluated while the frame arrived.
void measure_alone(BoardInHand& board, const FrameView& frame, BoardMeasurer& measurer, unsigned threads) {
  const std::shared_ptr<const PlannedBoard>& planned = board.planned;
  const BoardPlan plan = planned->plan.plan();
  const std::shared_ptr<EarlyScan> early = early_scan_of(frame, *planned);
  std::vector<SiteRecord> records(early ? plan.site_count : 0);
  if (early) {
    measurer.measure(plan, frame, records.data());
    board.scan = early->finish(frame, records, threads);
  }
  if (!board.scan) {
    board.scan = std::make_unique<SiteScan>(*planned, frame);
    SiteScan& scan = *board.scan;
    const SiteWork work = [&scan](std::size_t i, const SiteHeights& heights) { scan.look(i, heights); };
    std::copy(records.begin(), records.end(), scan.records());
    early ? work_on_sites(plan, frame, records.data(), threads, work)
          : measurer.measure(plan, frame, scan.records(), threads, work);
  }
  // An alignment finds each board at a place of its own, with a plan of its own.
  if (board.in.planner && !board.in.recipe->alignment)
    measurer.expect(plan, planned, [planned] { return std::make_shared<EarlyScan>(planned); });
}

}  // namespace

void measure_boards(std::span<BoardInHand> boards, const HeightFrame& frame, BoardMeasurer& measurer,
                    unsigned threads) {
  std::vector<BoardInHand*> measured;
  for (BoardInHand& board : boards) {
    if (board.why) continue;
    measured.push_back(&board);
  }
  if (measured.empty()) return;
  const FrameView view = view_of(frame);
  if (measured.size() == 1) return measure_alone(*measured.front(), view, measurer, threads);
  JointPlan joint;
  for (BoardInHand* board : measured) {
    board->scan = std::make_unique<SiteScan>(*board->planned, view);
    joint.add(board->planned->plan.plan());
  }
  std::vector<SiteRecord> records(joint.sites.size());
  measurer.measure(joint.joined(), view, records.data(), threads,
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
