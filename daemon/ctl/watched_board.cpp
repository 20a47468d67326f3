#include "daemon/ctl/watched_board.h"

#include <fmt/format.h>

#include <algorithm>

#include "daemon/ctl/dialogue.h"
#include "daemon/ctl/scpi_text.h"
#include "daemon/inspection/verdict/decision.h"
#include "daemon/inspection/verdict/plain_reason.h"

namespace datum {
namespace {

constexpr std::size_t board_fields = 13, row_fields = 10;

template <class Name>
std::optional<Name> named(const std::string& word, Name last) {
  for (int n = 0; n <= static_cast<int>(last); ++n)
    if (word == name_of(static_cast<Name>(n))) return static_cast<Name>(n);
  return std::nullopt;
}

/// 9.9E37 and beyond are no limit, 9.91E37 is no number (SCPI-99).
std::optional<double> limit_of(const std::string& field) {
  constexpr double infinite = 9.9e37;
  const auto value = number_of(field);
  return value && std::abs(*value) < infinite ? value : std::nullopt;
}

std::optional<CheckVerdict> check_of(const std::string* row) {
  const auto what = named(row[1], last_characteristic);
  const auto decision = named(row[2], Decision::invalid);
  const auto reason = named(row[3], Reason::internal);
  if (!what || !decision || !reason) return std::nullopt;
  CheckVerdict v;
  v.check.characteristic = *what;
  v.decision = *decision;
  v.reason = *reason;
  v.value = limit_of(row[4]).value_or(0);
  v.u = limit_of(row[5]).value_or(0) / 2;
  v.check.lower = limit_of(row[6]);
  v.check.upper = limit_of(row[7]);
  return v;
}

/// Rows of one component follow each other.
void add_row(BoardVerdict& board, const std::string* row) {
  const auto check = check_of(row);
  if (!check) return;
  if (board.components.empty() || board.components.back().reference != row[0]) {
    board.components.emplace_back();
    board.components.back().reference = row[0];
  }
  ComponentVerdict& component = board.components.back();
  component.checks.push_back(*check);
  component.decision = worst_of(component.checks);
}

}  // namespace

std::string board_mark(std::uint64_t sequence) { return fmt::format("datumctl watch {}", sequence); }

std::string board_question(const ResultLine& result) {
  return fmt::format(
      ":DIAGnostic:ECHO? \"{}\";:FETCh:BOARd? {}{}\n", board_mark(result.sequence), result.sequence,
      result.decision == Decision::pass ? "" : fmt::format(";:FETCh:COMPonents? {}", result.sequence));
}

std::optional<WatchedBoard> watched_board(const std::vector<std::string>& answers) {
  if (answers.size() < 2) return std::nullopt;
  const auto fields = answer_fields(answers[1]);
  if (fields.size() != board_fields) return std::nullopt;
  const auto decision = named(fields[1], Decision::invalid);
  const auto reason = named(fields[2], Reason::internal);
  if (!decision || !reason) return std::nullopt;
  BoardVerdict board;
  board.decision = *decision;
  board.reason = *reason;
  board.detail = fields[12];
  if (answers.size() > 2) {
    const auto rows = answer_fields(answers[2]);
    for (std::size_t at = 2; at + row_fields <= rows.size(); at += row_fields) add_row(board, &rows[at]);
  }
  return WatchedBoard{static_cast<std::uint64_t>(number_of(fields[0]).value_or(0)), fields[6],
                      plain_reason(board)};
}

}  // namespace datum
