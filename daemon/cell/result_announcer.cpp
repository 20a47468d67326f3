#include "daemon/cell/result_announcer.h"

#include <fmt/format.h>

#include <utility>

#include "daemon/inspection/verdict/decision.h"
#include "daemon/instrument/instrument.h"
#include "daemon/pictures/picture_name.h"
#include "daemon/system/event_loop.h"

namespace datum {

namespace {

/// What the journal is searched for: the verdict, and the components that did not pass.
LogEvent event_of(const BoardVerdict& v) {
  constexpr std::size_t most_components = 32;  // of one entry
  LogEvent event{Event::verdict,
                 {{"DATUM_SEQUENCE", fmt::format("{}", v.sequence)},
                  {"DATUM_DECISION", name_of(v.decision)},
                  {"DATUM_REASON", name_of(v.reason)},
                  {"DATUM_RECIPE", v.recipe},
                  {"DATUM_UNIT", v.unit_id},
                  {"DATUM_FRAME", v.frame_id},
                  {"DATUM_CALIBRATION", v.calibration},
                  {"DATUM_BACKEND", v.backend}}};
  std::size_t n = 0;
  for (const ComponentVerdict& c : v.components)
    if (c.decision != Decision::pass && !is_skipped(c) && n++ < most_components)
      event.fields.emplace_back("DATUM_COMPONENT", c.reference);
  return event;
}

}  // namespace

void ResultAnnouncer::announce(const std::shared_ptr<BoardOrder>& board) {
  ++count_;
  deps_.signing.stored();
  const BoardVerdict& v = board->verdict;
  questionable_ = questionable_bits(v);
  deps_.events.log(
      v.decision == Decision::invalid ? 4 : 6,
      fmt::format("board {}: {}{}, recipe {}, frame {}, calibration {}", v.sequence, name_of(v.decision),
                  v.decision == Decision::pass ? "" : " (" + why_not_pass(v) + ")", v.recipe, v.frame_id,
                  v.calibration),
      event_of(v));
  if (deps_.store.mark_failed() && !std::exchange(mark_failed_, true))
    deps_.events.log(
        4,
        "the mark beside the result store can't be written: a store that is put back might not be noticed");
  board_ = board->number;
  deps_.events.push_result(v);
  board->times.announced_ns = EventLoop::now();
  if (deps_.on_board) deps_.on_board(v, board->times);
  keep_times(*board);
  draw_board(board);
}

/// Beside the result, and not waited for: a host has its line already.
void ResultAnnouncer::keep_times(const BoardOrder& board) {
  const std::vector<ResultTimes> times{{board.verdict.sequence, to_json(steps_of(board.times))}};
  deps_.threads.storer.submit_fallible(
      [times, &store = deps_.store, &checkpointer = deps_.threads.checkpointer, file = deps_.store_file] {
        store.keep_times(times);
        // One that fails is made again.
        if (store.checkpoint_due() && !checkpointer.busy())
          checkpointer.submit_fallible([file] { ResultStore::checkpoint(file); }, [](const std::string&) {});
      },
      [this](const std::string& failed) {
        const bool failed_before = std::exchange(times_failed_, !failed.empty());
        if (times_failed_ && !failed_before) deps_.events.log(4, "times of boards can't be kept: " + failed);
      });
}

void ResultAnnouncer::draw_board(const std::shared_ptr<BoardOrder>& board) {
  const BoardVerdict& v = board->verdict;
  const bool in_snapshots = board->recipe->is_board_of_snapshots() && board->reason == Reason::none;
  const bool drawn = board->part.map || in_snapshots || (board->frame && board->frame_error.empty());
  if (!deps_.pictures || !drawn || v.reason == Reason::frame) return;
  const auto file = *deps_.pictures / picture_name(v.sequence, v.decision);
  deps_.threads.drawer.submit([board, file, log = deps_.events.log_sink()] { draw(*board, file, log); },
                              [] {});
}

}  // namespace datum
