#include "daemon/modbus/window.h"

#include <algorithm>
#include <cmath>

#include "daemon/delivery/result_line.h"
#include "daemon/modbus/codes.h"
#include "daemon/modbus/registers.h"

namespace datum::modbus {
namespace {

std::uint16_t counted(std::size_t n) { return static_cast<std::uint16_t>(std::min<std::size_t>(n, 65535)); }

/// True: the reference was truncated.
bool put_row(Words words, std::size_t row, const std::string& reference, const CheckVerdict& check) {
  const Words to = words.subspan(in_first_row + row * row_size, row_size);
  const bool whole = put_text(to, of_reference, reference_text, reference);
  to[of_characteristic] = code_of(check.check.characteristic);
  to[of_decision] = code_of(check.decision);
  to[of_result_code] = code_of(check.reason);
  to[of_measure] = measure_code_of(check.check.characteristic);
  if (check.decision == Decision::invalid || !std::isfinite(check.value)) return !whole;
  const double expanded = 2 * check.u;
  put_f32(to, of_value, static_cast<float>(check.value));
  put_f32(to, of_expanded, static_cast<float>(expanded));
  put_i32(to, of_value_milli, milli(check.value));
  put_i32(to, of_expanded_milli, milli(expanded));
  return !whole;
}

void put_head(Words words, const BoardVerdict& v) {
  words[in_shown] = 1;
  put_u64(words, in_sequence, v.sequence);
  words[in_decision] = code_of(v.decision);
  words[in_result_code] = code_of(reason_of(v));
  put_u64(words, in_time, static_cast<std::uint64_t>(utc_us_from_iso8601(v.measured_at)));
  words[in_components] = counted(v.components.size());
  const std::array<std::uint32_t, 4> n = component_counts(v);
  const auto of = [&](Decision d) { return counted(n.at(static_cast<std::size_t>(d))); };
  words[in_components_pass] = of(Decision::pass);
  words[in_components_inconclusive] = of(Decision::inconclusive);
  words[in_components_fail] = of(Decision::fail);
  words[in_components_invalid] = of(Decision::invalid);
  unsigned cut = put_text(words, in_unit, long_text, v.unit_id) ? 0 : truncated_unit;
  if (!put_text(words, in_job, long_text, v.recipe)) cut |= truncated_job;
  if (!put_text(words, in_frame, 40, v.frame_id)) cut |= truncated_frame;
  words[in_truncated] = static_cast<std::uint16_t>(cut);
}

/// Four bits a board, the first board in the lowest bits. True: there are more boards than registers.
bool put_boards(Words words, const std::vector<PanelBoard>& boards) {
  const BoardCounts n = counts_of(boards);
  words[in_boards] = counted(boards.size());
  words[in_boards_pass] = counted(n.of[static_cast<std::size_t>(Decision::pass)]);
  words[in_boards_fail] = counted(n.of[static_cast<std::size_t>(Decision::fail)]);
  words[in_boards_skipped] = counted(n.skipped);
  for (std::size_t i = 0; i < std::min<std::size_t>(boards.size(), most_boards); ++i) {
    const unsigned code = boards[i].decision ? code_of(*boards[i].decision) : board_skipped;
    std::uint16_t& word = words[in_board_verdicts + i / boards_in_register];
    word = static_cast<std::uint16_t>(word | code << (4 * (i % boards_in_register)));
  }
  return boards.size() > most_boards;
}

}  // namespace

Reason reason_of(const BoardVerdict& verdict) {
  if (verdict.decision != Decision::invalid || verdict.reason != Reason::none) return verdict.reason;
  for (const ComponentVerdict& component : verdict.components)
    for (const CheckVerdict& check : component.checks)
      if (check.decision == Decision::invalid && check.reason != Reason::skipped) return check.reason;
  return Reason::internal;
}

std::shared_ptr<const Window> window_of(const BoardVerdict& verdict, std::uint16_t result_id) {
  Window words = *empty_window();
  put_head(words, verdict);
  words[in_result_id] = result_id;
  std::size_t checks = 0;
  for (const ComponentVerdict& component : verdict.components)
    for (const CheckVerdict& check : component.checks) {
      if (checks < most_rows && put_row(words, checks, component.reference, check))
        words[in_truncated] |= truncated_reference;
      ++checks;
    }
  words[in_checks] = counted(checks);
  words[in_rows] = counted(std::min<std::size_t>(checks, most_rows));
  if (checks > most_rows) words[in_truncated] |= truncated_rows;
  if (put_boards(words, verdict.boards)) words[in_truncated] |= truncated_boards;
  return std::make_shared<const Window>(std::move(words));
}

}  // namespace datum::modbus
