#include "tests/faults/calibrated_ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

#include "config/utc_time.h"
#include "tests/virtual_cell/virtual_plc_answers.h"

namespace datum::faults {

namespace {

// A frame has 200 x 200 pixels of 0.05 mm after a header of 32 bytes. Each quarter of 5 x 5 mm holds a box of 3 x 2 mm,
// and the recipe's ring of 0.9 mm around it.
constexpr int side_px = 200, body_cols = 60, body_rows = 40, quarters = 4;
constexpr std::size_t header = 32;
constexpr double quarter_mm = 5, tolerance_um = 40;

int centre_px(int high) { return side_px / 4 + high * side_px / 2; }

/// Index of the box in that quarter. The four heights differ by 9 um or more and have their board's truth, since the
/// daemon detects a board that is good in its mirror image.
int alike(int board, int quarter) { return board + 3 * quarter; }

void raise_box(std::string& frame, int quarter, double height_um) {
  const int col = centre_px(quarter % 2), row = centre_px(quarter / 2);
  for (int r = row - body_rows / 2; r < row + body_rows / 2; ++r)
    for (int c = col - body_cols / 2; c < col + body_cols / 2; ++c) {
      char* const at = frame.data() + header + static_cast<std::size_t>(4 * (r * side_px + c));
      float z = 0;
      std::memcpy(&z, at, sizeof z);
      z += static_cast<float>(height_um);
      std::memcpy(at, &z, sizeof z);
    }
}

void exchange(std::string& text, const std::string& old, const std::string& by) {
  text.replace(text.find(old), old.size(), by);
}

}  // namespace

CalibratedLedger::CalibratedLedger() { knows_recipe(recipe_text(), tolerance_um); }

std::string CalibratedLedger::recipe_text() {
  std::string text = scenario::Cell::recipe_text(tolerance_um);
  exchange(text, "coordinates = \"sensor\"", "coordinates = \"machine\"");
  exchange(text, "inner_margin_mm = 0.3\nouter_margin_mm = 1.3",
           "inner_margin_mm = 0.2\nouter_margin_mm = 0.9");
  return text;
}

Calibration CalibratedLedger::another(const std::string& id, unsigned quarter) {
  Calibration c;
  c.id = id;
  c.sensor_serial = "S-1";
  c.made_utc_s = *utc_from_iso8601("2026-01-15T08:00:00Z");
  c.expires_utc_s = *utc_from_iso8601("2099-01-01T00:00:00Z");
  c.operator_name = fmt::format("{}", quarters_.size());
  c.software = "faults";
  c.covariance.diagonal() << 1e-10, 1e-10, 1e-10, 1e-6, 1e-6, 1e-6;
  Eigen::Matrix4d m = Eigen::Matrix4d::Identity();
  const auto column = quarter % 2, row = quarter / 2;
  m(0, 3) = quarter_mm / 2 - quarter_mm * column;
  m(1, 3) = quarter_mm / 2 - quarter_mm * row;
  c.machine_from_sensor = Htm<Machine, Sensor>(m);
  c.sha256 = checksum_of(c);
  quarters_[c.sha256] = static_cast<int>(quarter);
  return c;
}

void CalibratedLedger::tells(const std::string& sha256) { told_.push_back(sha256); }

void CalibratedLedger::in_force() { since_[boards() + 1] = told_.size() - 1; }

void CalibratedLedger::announced(const std::string& line) {
  Ledger::announced(line);
  until_.emplace(board_of(plc::read_result(line).frame), told_.size() - 1);
}

std::string CalibratedLedger::frame_of(int board) const {
  std::string frame = scenario::frame_of_box(0, static_cast<std::uint32_t>(board));
  for (int quarter = 0; quarter < quarters; ++quarter)
    raise_box(frame, quarter, height_of_um(alike(board, quarter)));
  return frame;
}

Truth CalibratedLedger::truth(int board, const nlohmann::json& result) const {
  const auto named = quarters_.find(result["calibration_sha256"]);
  if (named == quarters_.end()) return {std::numeric_limits<double>::quiet_NaN(), "INVALID"};
  return {height_of_um(alike(board, named->second)), truth_of(board)};
}

void CalibratedLedger::look(const nlohmann::json& result, Findings& findings) const {
  if (is_early(result)) return;
  const bool invalid = result["decision"] == "INVALID";
  const int board = board_of(result["frame_id"]);
  const auto from = std::prev(since_.upper_bound(board))->second;
  const auto last = until_.find(board);
  const auto to = last == until_.end() ? told_.size() - 1 : last->second;
  const std::string named = invalid ? "" : std::string(result["calibration_sha256"]);
  const auto begin = told_.begin() + static_cast<std::ptrdiff_t>(from);
  const bool was_in_force = std::find(begin, told_.begin() + static_cast<std::ptrdiff_t>(to) + 1, named) !=
                            told_.begin() + static_cast<std::ptrdiff_t>(to) + 1;
  findings.expect(was_in_force, fmt::format("{} by '{}', which was not in force: {}", name_of_frame(board),
                                            named, result.dump()));
  if (invalid)
    findings.expect(result["reason"] == "CALIBRATION", fmt::format("{}: {}", board, result.dump()));
}

}  // namespace datum::faults
