#include "daemon/cell/serial_binding.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace datum {

bool SerialBinding::scanned() const { return next_.by == "scanner" && !next_.text.empty(); }

SerialBinding::Scan SerialBinding::doubt(std::string why) {
  if (doubt_.empty()) doubt_ = std::move(why);
  return Scan::doubtful;
}

/// The board may have been taken away since.
void SerialBinding::drop_old(MonotonicNs now) {
  if (scanned() && now - next_.told_ns > limits_.valid_ns) next_ = {};
}

void SerialBinding::state(const std::string& text, MonotonicNs now) {
  drop_old(now);
  if (text.empty()) return forget();
  told_ns_ = now;
  if (!scanned())
    next_ = {text, "host", "", now};
  else if (next_.text != text)
    doubt(fmt::format("the host names {}, the scanner read {}", text, next_.text));
}

SerialBinding::Scan SerialBinding::scan(const std::string& text, const std::string& read_hex, MonotonicNs now,
                                        bool in_work) {
  drop_old(now);
  const bool same = text == last_scan_ && last_scan_ns_ && now - *last_scan_ns_ <= limits_.duplicate_ns;
  last_scan_ = text;
  last_scan_ns_ = now;
  if (same || (in_work && text == last_taken_)) return Scan::repeated;
  if (without_ns_ && now - *without_ns_ <= limits_.late_ns) return Scan::late;
  told_ns_ = now;
  if (next_.text.empty()) {
    next_ = {text, "scanner", read_hex, now};
    return doubt_.empty() ? Scan::taken : Scan::doubtful;
  }
  if (next_.text == text) return Scan::taken;
  return doubt(scanned()
                   ? fmt::format("two boards were scanned before one trigger: {}, then {}", next_.text, text)
                   : fmt::format("the scanner read {}, the host names {}", text, next_.text));
}

SerialBinding::Scan SerialBinding::scan_failed(const std::string& why, MonotonicNs now) {
  drop_old(now);
  last_scan_ns_.reset();
  if (!scanned()) return doubt_.empty() ? Scan::refused : Scan::doubtful;
  return doubt(fmt::format("another board may have been scanned after {}: {}", next_.text, why));
}

void SerialBinding::state_boards(std::vector<std::string> serials, const std::string& recipe_sha256,
                                 MonotonicNs now) {
  drop_old(now);
  boards_ = {};
  if (serials.empty()) return;
  told_ns_ = now;
  boards_ = {std::move(serials), recipe_sha256, next_.text, now};
}

BoundSerial SerialBinding::take(MonotonicNs now, const std::string& recipe_sha256) {
  drop_old(now);
  BoundSerial bound{std::exchange(next_, {}), std::exchange(doubt_, {}), std::exchange(boards_, {}),
                    std::exchange(repair_, {})};
  if (const StatedBoards& boards = bound.boards; bound.doubt.empty() && !boards.serials.empty()) {
    const std::string& unit = bound.serial.text;
    if (boards.recipe_sha256 != recipe_sha256)
      bound.doubt =
          "the serial numbers of the panel's boards were stated before another recipe was chosen; state them "
          "behind CONFigure:RECipe";
    else if (!boards.unit.empty() && boards.unit != unit)
      bound.doubt = fmt::format(
          "the serial numbers of the panel's boards were stated for panel {}, this one is {}; state them "
          "behind CONFigure:UNIT",
          boards.unit, unit.empty() ? "without number" : unit);
  }
  if (!bound.doubt.empty()) {
    bound.serial = {};
    bound.boards = {};
  }
  last_taken_ = bound.serial.text;
  const bool without = bound.serial.text.empty() && bound.doubt.empty();
  without_ns_ = without ? std::optional(now) : std::nullopt;
  return bound;
}

void SerialBinding::give_back(const BoundSerial& bound) {
  without_ns_.reset();
  if (next_.text.empty()) {
    next_ = bound.serial;
    told_ns_ = bound.serial.told_ns;
  } else if (bound.serial.by == "scanner" && scanned() && next_.text != bound.serial.text)
    doubt(fmt::format("two boards were scanned before one trigger: {}, then {}", bound.serial.text,
                      next_.text));
  if (boards_.serials.empty()) {
    boards_ = bound.boards;
    told_ns_ = std::max(told_ns_, boards_.told_ns);
  }
  if (repair_.empty()) repair_ = bound.repair;
  if (!bound.doubt.empty()) doubt(bound.doubt);
}

void SerialBinding::forget() {
  next_ = {};
  boards_ = {};
  repair_.clear();
  doubt_.clear();
}

}  // namespace datum
