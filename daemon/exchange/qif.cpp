#include "daemon/exchange/qif.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "config/guid.h"
#include "config/toml_reader.h"
#include "daemon/exchange/qif_kind.h"
#include "daemon/exchange/shifted_decimal.h"
#include "daemon/store/result_export.h"

namespace datum {
namespace {

const char* characteristic_status(Decision d) {
  constexpr const char* names[] = {"PASS", "INDETERMINATE", "FAIL", "NOT_ANALYZED"};
  return names[static_cast<int>(d)];
}
const char* inspection_status(Decision d) {
  constexpr const char* names[] = {"PASS", "UNKNOWN", "FAIL", "NOT_CALCULATED"};
  return names[static_cast<int>(d)];
}

/// As xs:dateTime demands; a stored time has no other form.
bool is_utc(const std::string& time) {
  constexpr std::string_view form = "0000-00-00T00:00:00";
  if (time.size() <= form.size() || time.back() != 'Z') return false;
  for (std::size_t i = 0; i + 1 < time.size(); ++i) {
    const char wanted = i < form.size() ? form[i] : i == form.size() ? '.' : '0';
    if (wanted == '0' ? time[i] < '0' || time[i] > '9' : time[i] != wanted) return false;
  }
  return time[time.size() - 2] != '.';
}

std::string reason_text(Reason reason) { return reason == Reason::none ? "" : name_of(reason); }

std::string panel_board_of(const std::string& reference) {
  const auto at = reference.rfind('@');
  return at == std::string::npos ? "" : reference.substr(at + 1);
}

bool is_invalid_as_a_whole(const BoardVerdict& v) {
  return v.decision == Decision::invalid && v.reason != Reason::none;
}

}  // namespace

void QifFile::know(const Device& device) {
  if (std::find(devices_.begin(), devices_.end(), device) == devices_.end()) devices_.push_back(device);
}

void QifFile::describe(const StoredResult& stored, const BoardVerdict& verdict) {
  table_.describe(verdict);
  if (!verdict.sensor_serial.empty()) know({"sensor", verdict.sensor_serial});
  if (verdict.pose.used) know({"CMM", ""});
  digest_ = config::sha256_hex(digest_ + stored.json);
  ++results_;
  components_ += 1 + verdict.boards.size();
}

void QifFile::write_measurement(const BoardVerdict& verdict, std::size_t i, const CheckVerdict* row,
                                std::uint64_t component) {
  const QifKind kind = kind_of(table_.all()[i].check.characteristic);
  const bool whole = is_invalid_as_a_whole(verdict);
  const bool measured = row && !whole && row->decision != Decision::invalid && std::isfinite(row->value);
  const Decision decision = measured ? row->decision : Decision::invalid;
  const std::string name = kind.element("Measurement");
  xml_.open(name.c_str(), {{"id", std::to_string(next_result_++)}});
  if (whole || !row) {
    write_attributes(xml_, {{"verdict", name_of(Decision::invalid)},
                            {"reason", reason_text(verdict.reason)},
                            {"detail", verdict.detail}});
  } else if (decision != Decision::pass) {
    write_attributes(
        xml_,
        {{"verdict", name_of(decision)}, {"reason", reason_text(row->reason)}, {"detail", row->detail}});
  }
  xml_.open("Status");
  xml_.leaf("CharacteristicStatusEnum", characteristic_status(decision));
  xml_.close();
  xml_.leaf("CharacteristicItemId", std::to_string(item(i)));
  xml_.leaf("ActualComponentId", std::to_string(component));
  if (measured) {
    std::string uncertainty, places;
    if (std::isfinite(row->u) && row->u > 0) {
      uncertainty = shifted_decimal(row->u, kind.places);
      places = std::to_string(decimals_of(2 * row->u) + kind.places);
    }
    const std::string value = shifted_decimal(row->value, kind.places);
    if (kind.unit && places.empty())
      xml_.leaf("Value", value, {{"unitName", kind.unit}});
    else if (kind.unit)
      xml_.leaf("Value", value,
                {{"combinedUncertainty", uncertainty},
                 {"meanError", "0"},
                 {"decimalPlaces", places},
                 {"unitName", kind.unit}});
    else if (places.empty())
      xml_.leaf("Value", value);
    else
      xml_.leaf("Value", value,
                {{"combinedUncertainty", uncertainty}, {"meanError", "0"}, {"decimalPlaces", places}});
  }
  xml_.close();
}

std::string QifFile::result(const BoardVerdict& v) {
  const auto rows = table_.rows_of(v);
  const auto& all = table_.all();
  const std::uint64_t board = next_actual_;
  const auto component_of = [&](const std::string& reference) {
    const std::string name = panel_board_of(reference);
    for (std::size_t b = 0; b < v.boards.size(); ++b)
      if (v.boards[b].name == name) return board + 1 + b;
    return board;
  };
  next_actual_ += 1 + v.boards.size();
  ++results_written_;
  xml_.open("MeasurementResults", {{"id", std::to_string(next_result_++)}});
  write_attributes(xml_, {{"verdict", name_of(v.decision)},
                          {"reason", reason_text(v.reason)},
                          {"detail", v.detail},
                          {"sequence", std::to_string(v.sequence)},
                          {"store_id", v.store_id},
                          {"measured_at", v.measured_at},
                          {"recipe", v.recipe},
                          {"recipe_sha256", v.recipe_sha256},
                          {"calibration", v.calibration},
                          {"calibration_sha256", v.calibration_sha256},
                          {"sensor_serial", v.sensor_serial},
                          {"sensor_profile_sha256", v.sensor_profile_sha256},
                          {"frame_id", v.frame_id},
                          {"frame_sha256", v.frame_sha256},
                          {"code", v.code},
                          {"backend", v.backend}});
  if (is_utc(v.measured_at)) {
    xml_.open("InspectionTraceability");
    xml_.leaf("InspectionStart", v.measured_at);
    xml_.close();
  }
  xml_.leaf("ThisResultsInstanceQPId", guid_of(fmt::format("QIF result {} {}", v.store_id, v.sequence)));
  xml_.open("MeasuredCharacteristics");
  xml_.open("CharacteristicMeasurements", {{"n", std::to_string(all.size())}});
  for (std::size_t i = 0; i < all.size(); ++i)
    write_measurement(v, i, rows[i], component_of(all[i].reference));
  xml_.close();
  xml_.close();
  xml_.open("InspectionStatus");
  xml_.leaf("InspectionStatusEnum", inspection_status(v.decision));
  xml_.close();
  xml_.open("ActualComponentIds", {{"n", std::to_string(1 + v.boards.size())}});
  for (std::size_t b = 0; b <= v.boards.size(); ++b) xml_.leaf("Id", std::to_string(board + b));
  xml_.close();
  xml_.close();
  return xml_.take();
}

std::string QifFile::components() {
  next_actual_ = first_component_;
  xml_.close();
  xml_.open("ActualComponentSets", {{"n", "1"}});
  xml_.open("ActualComponentSet", {{"n", std::to_string(components_)}});
  return xml_.take();
}

std::string QifFile::component(const BoardVerdict& v) {
  const auto write = [&](const std::string& serial, const std::string& place, const char* status) {
    xml_.open("ActualComponent", {{"id", std::to_string(next_actual_++)}});
    write_attributes(xml_, {{"place", place}});
    if (!serial.empty()) xml_.leaf("SerialNumber", serial);
    xml_.open("Status");
    xml_.leaf("InspectionStatusEnum", status);
    xml_.close();
    xml_.leaf("AsmPathId", std::to_string(asm_path_));
    xml_.close();
  };
  write(v.unit_id, "", inspection_status(v.decision));
  for (const PanelBoard& board : v.boards)
    write(board.unit_id, board.name,
          !board.decision            ? "NOT_MEASURED"
          : is_invalid_as_a_whole(v) ? inspection_status(Decision::invalid)
                                     : inspection_status(*board.decision));
  components_written_ += 1 + v.boards.size();
  return xml_.take();
}

std::string QifFile::end() {
  if (results_written_ != results_ || components_written_ != components_)
    throw std::runtime_error(
        fmt::format("the store's results changed meanwhile: {} were described and {} written; try again",
                    results_, results_written_));
  if (samples_ > 0) close_study();
  for (int open = 4; open > 0; --open) xml_.close();
  return xml_.take();
}

}  // namespace datum
