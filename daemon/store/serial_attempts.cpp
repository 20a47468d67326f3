#include "daemon/store/serial_attempts.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "daemon/inspection/verdict/panel_refusal.h"

namespace datum {

namespace {

/// Counts what comes with these numbers and this recipe.
class Attempts {
 public:
  Attempts(sqlite3* db, const std::filesystem::path& file, const BoardVerdict& v)
      : db_(db), file_(file), recipe_(v.recipe), repair_(v.serial->repair), most_(v.serial->max_retests) {
    sqlite::execute(db_, file_,
                    "CREATE TABLE IF NOT EXISTS serial_attempt (unit_id TEXT NOT NULL, recipe TEXT NOT NULL, "
                    "next INTEGER NOT NULL, PRIMARY KEY (unit_id, recipe)) WITHOUT ROWID");
  }

  std::uint64_t of(const std::string& unit) {
    sqlite::Statement known(db_, file_, "SELECT next FROM serial_attempt WHERE unit_id = ?1 AND recipe = ?2");
    return known.bind(1, unit).bind(2, recipe_).step() ? static_cast<std::uint64_t>(known.integer(0)) : 1;
  }
  void count(const std::string& unit, std::uint64_t attempt) {
    sqlite::Statement keep(db_, file_, "INSERT OR REPLACE INTO serial_attempt VALUES (?1, ?2, ?3)");
    keep.bind(1, unit).bind(2, recipe_).bind(3, static_cast<std::int64_t>(attempt + 1)).step();
  }
  /// Attempts since the first, or since the last repair, which this one may come with. None: the recipe limits none.
  std::optional<std::uint64_t> retests(const std::string& unit, std::uint64_t attempt) {
    if (!repair_ && !most_) return std::nullopt;
    const std::uint64_t repaired = repaired_with(unit, attempt);
    return most_ ? std::optional(attempt - std::min(repaired, attempt)) : std::nullopt;
  }
  /// Why a unit that comes again too often without a repair is not passed by chance; empty: it may.
  std::string refusal(const std::string& unit, const std::optional<std::uint64_t>& retests) const {
    if (!retests || *retests <= *most_) return "";
    return fmt::format(
        "retest {} of {} without a repair, at most serial.max_retests = {} are allowed; repair it, and state "
        "that "
        "before its trigger (CONFigure:UNIT:REPair)",
        *retests, unit, *most_);
  }

 private:
  /// The attempt with which the unit's last repair came; 1: it had none.
  std::uint64_t repaired_with(const std::string& unit, std::uint64_t attempt) {
    sqlite::execute(db_, file_,
                    "CREATE TABLE IF NOT EXISTS serial_repair (unit_id TEXT NOT NULL, recipe TEXT NOT NULL, "
                    "attempt INTEGER NOT NULL, PRIMARY KEY (unit_id, recipe)) WITHOUT ROWID");
    if (repair_) {
      sqlite::Statement keep(db_, file_, "INSERT OR REPLACE INTO serial_repair VALUES (?1, ?2, ?3)");
      keep.bind(1, unit).bind(2, recipe_).bind(3, static_cast<std::int64_t>(attempt)).step();
    }
    sqlite::Statement row(db_, file_, "SELECT attempt FROM serial_repair WHERE unit_id = ?1 AND recipe = ?2");
    return row.bind(1, unit).bind(2, recipe_).step() ? static_cast<std::uint64_t>(row.integer(0)) : 1;
  }

  sqlite3* db_;
  const std::filesystem::path& file_;
  const std::string recipe_;
  const std::optional<std::string> repair_;
  const std::optional<std::uint64_t> most_;
};

/// Each board of a panel by its own number.
void number_boards(Attempts& attempts, BoardVerdict& v) {
  for (std::size_t i = 0; i < v.boards.size(); ++i) {
    PanelBoard& board = v.boards[i];
    if (board.unit_id.empty() || !board.decision) continue;
    board.attempt = attempts.of(board.unit_id);
    const std::string why = attempts.refusal(board.unit_id, attempts.retests(board.unit_id, *board.attempt));
    if (!why.empty()) refuse_board(v, i, Reason::serial, why);
    const bool whole = v.decision == Decision::invalid && v.reason != Reason::none;
    if (!whole && *board.decision != Decision::invalid) attempts.count(board.unit_id, *board.attempt);
  }
}

}  // namespace

void number_attempt(sqlite3* db, const std::filesystem::path& file, BoardVerdict& v) {
  SerialEvidence& serial = *v.serial;
  serial.attempt = 1;
  if (v.unit_id.starts_with(unknown_serial)) v.unit_id = fmt::format("{}{}", unknown_serial, v.sequence);
  Attempts attempts(db, file, v);
  if (!v.unit_id.empty() && serial.by != "none") {
    serial.attempt = attempts.of(v.unit_id);
    serial.retests = attempts.retests(v.unit_id, serial.attempt);
    const std::string why = attempts.refusal(v.unit_id, serial.retests);
    if (!why.empty() && v.decision != Decision::invalid) {
      v.decision = Decision::invalid;
      v.reason = Reason::serial;
      v.detail = why;
    }
  }
  number_boards(attempts, v);
  if (!v.unit_id.empty() && serial.by != "none" && v.decision != Decision::invalid)
    attempts.count(v.unit_id, serial.attempt);
}

std::string words_of(const SerialEvidence& serial) {
  std::string text = fmt::format("by {}, attempt {}", serial.by, serial.attempt);
  if (serial.retests) text += fmt::format(", retest {} of at most {}", *serial.retests, *serial.max_retests);
  if (serial.repair) text += "; repaired: " + *serial.repair;
  return text;
}

}  // namespace datum
