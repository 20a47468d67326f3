#include "daemon/collect/verdict_rows.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <array>
#include <map>
#include <stdexcept>

#include "config/utc_time.h"
#include "daemon/series/decimal.h"
#include "daemon/series/series.h"

namespace datum {
namespace {

namespace dom = simdjson::dom;

constexpr const char* unreadable_reason = "UNREADABLE";
constexpr std::size_t longest_text = 1000;  // of a name or serial number in an index of a database
constexpr std::array decisions{"PASS", "INCONCLUSIVE", "FAIL", "INVALID"};

int decision_of(std::string_view name) {
  const auto found = std::find(decisions.begin(), decisions.end(), name);
  if (found == decisions.end()) throw std::runtime_error(fmt::format("'{}' is no decision", name));
  return static_cast<int>(found - decisions.begin());
}

std::string_view text_in(const dom::object& object, const char* key) {
  std::string_view text;
  if (object[key].get(text) != simdjson::SUCCESS)
    throw std::runtime_error(fmt::format("it has no text '{}'", key));
  return text;
}

std::string named(std::string_view text) {
  std::string plain = plain_text(text);
  if (plain.size() > longest_text) throw std::runtime_error("a name or serial number is too long");
  return plain;
}

/// None: null, which stands for "not stated" or NaN.
std::optional<double> number(const dom::element& value, std::string_view key) {
  if (value.is_null()) return std::nullopt;
  double read = 0;
  if (value.get(read) != simdjson::SUCCESS) throw std::runtime_error(fmt::format("'{}' is no number", key));
  return read;
}

/// A check's keys carry their unit: "value_um".
struct Check {
  std::string_view characteristic, unit, decision, reason;
  std::optional<double> parameter, nominal, lower, upper, value, u;
};

Check check_of(const dom::object& object) {
  Check check;
  std::optional<std::string_view> unit;
  const auto unit_behind = [&](std::string_view key, std::string_view stem) {
    if (!key.starts_with(stem) || key.find('_', stem.size()) != key.npos) return false;
    const std::string_view behind = key.substr(stem.size());
    if (unit && *unit != behind) throw std::runtime_error("a check has two units");
    unit = behind;
    return true;
  };
  for (const auto [key, value] : object) {
    if (key == "parameter") check.parameter = number(value, key);
    if (unit_behind(key, "nominal_")) check.nominal = number(value, key);
    if (unit_behind(key, "lower_")) check.lower = number(value, key);
    if (unit_behind(key, "upper_")) check.upper = number(value, key);
    if (unit_behind(key, "value_")) check.value = number(value, key);
    if (unit_behind(key, "u_")) check.u = number(value, key);
  }
  if (!unit) throw std::runtime_error("a check has no unit");
  check.unit = *unit;
  check.characteristic = text_in(object, "characteristic");
  check.decision = text_in(object, "decision");
  check.reason = text_in(object, "reason");
  return check;
}

class Reader {
 public:
  Reader(VerdictRows& rows, const PlantEntry& result) : rows_(rows), result_(result) {}

  void read(const dom::object& verdict) {
    const BoardRow whole = whole_of(verdict);
    rows_.recipe_sha256 = named(text_in(verdict, "recipe_sha256"));
    rows_.calibration_sha256 = named(text_in(verdict, "calibration_sha256"));
    rows_.code = named(text_in(verdict, "code"));
    if (dom::object reference; verdict["reference"].get(reference) == simdjson::SUCCESS)
      rows_.is_artefact = !text_in(reference, "artefact").empty();
    if (dom::array boards; verdict["boards"].get(boards) == simdjson::SUCCESS)
      for (const dom::object board : boards) add_board(board, whole);
    else
      rows_.boards.push_back(whole);
    is_panel_ = verdict["boards"].error() == simdjson::SUCCESS;
    dom::array components;
    if (verdict["components"].get(components) != simdjson::SUCCESS)
      throw std::runtime_error("it has no list 'components'");
    for (const dom::object component : components) add_component(component);
  }

 private:
  BoardRow whole_of(const dom::object& verdict) const {
    BoardRow whole{"", named(result_.unit_id()), result_.decision()[0] - '0', named(result_.reason())};
    if (decision_of(text_in(verdict, "decision")) != whole.decision ||
        text_in(verdict, "reason") != result_.reason() || text_in(verdict, "recipe") != result_.recipe())
      throw std::runtime_error("it contradicts the fields of its own entry");
    return whole;
  }

  void add_board(const dom::object& object, const BoardRow& panel) {
    const std::string place = named(text_in(object, "name"));
    std::string_view decision;
    if (object["decision"].get(decision) != simdjson::SUCCESS) {
      skipped_.push_back(place);
      return;
    }
    BoardRow board{place, named(text_in(object, "unit_id")), decision_of(decision),
                   named(text_in(object, "reason"))};
    // A panel that is INVALID as a whole has no good board.
    if (panel.decision == 3 && panel.reason != "NONE") board.decision = 3, board.reason = panel.reason;
    places_[place] = rows_.boards.size();
    rows_.boards.push_back(std::move(board));
  }

  /// None: of a skipped board, where nobody tried to measure.
  std::optional<std::size_t> board_of(const std::string& reference) const {
    if (!is_panel_) return 0;
    const std::string place = reference.substr(std::min(reference.rfind('@'), reference.size() - 1) + 1);
    if (const auto found = places_.find(place); found != places_.end()) return found->second;
    if (std::find(skipped_.begin(), skipped_.end(), place) != skipped_.end()) return std::nullopt;
    throw std::runtime_error(fmt::format("'{}' is on no board of the panel", reference));
  }

  void add_component(const dom::object& component) {
    const std::string reference = named(text_in(component, "reference"));
    const std::string package = named(text_in(component, "package"));
    const auto board = board_of(reference);
    dom::array checks;
    if (component["checks"].get(checks) != simdjson::SUCCESS)
      throw std::runtime_error("a component has no list 'checks'");
    for (const dom::object object : checks) {
      const Check check = check_of(object);
      if (!board || check.reason == "SKIPPED") continue;
      MeasurementRow row;
      row.board = *board;
      row.what = {reference,
                  package,
                  named(check.characteristic),
                  named(check.unit),
                  check.parameter.value_or(0),
                  check.nominal,
                  check.lower,
                  check.upper};
      row.key = row.what.key();
      judge(row, check);
      rows_.measurements.push_back(std::move(row));
    }
  }

  /// A number beside INVALID is no measurement.
  void judge(MeasurementRow& row, const Check& check) const {
    const BoardRow& board = rows_.boards[row.board];
    const bool whole = board.decision == 3 && board.reason != "NONE";
    const int own = decision_of(check.decision);
    row.decision = whole ? 3 : own;
    row.reason = row.decision != 3 ? "NONE" : whole ? board.reason : named(check.reason);
    if (row.decision == 3) return;
    if (!check.value || !check.u) throw std::runtime_error("a check that is not INVALID has no value");
    row.count = quality::decimal_of(*check.value, quality::series_digits).count;
    row.u = *check.u;
  }

  VerdictRows& rows_;
  const PlantEntry& result_;
  bool is_panel_ = false;
  std::map<std::string, std::size_t> places_;
  std::vector<std::string> skipped_;
};

}  // namespace

std::string MeasuredCharacteristic::key() const {
  const auto shown = [](const std::optional<double>& v) {
    return v ? fmt::format("{}", *v) : std::string("-");
  };
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}", reference, package, characteristic, unit, parameter,
                     shown(nominal), shown(lower), shown(upper));
}

VerdictRows rows_of(const PlantEntry& result, std::int64_t received_us) {
  VerdictRows rows;
  try {
    rows.recipe = named(result.recipe());
    const auto utc = utc_us_of(result.measured_at());
    rows.utc_us = utc.value_or(received_us);
    if (!utc) throw std::runtime_error("its time of measurement is none of 2000 to 2199");
    thread_local dom::parser parser;
    dom::object verdict;
    const std::string_view text = result.verdict();
    if (const auto error = parser.parse(text.data(), text.size()).get(verdict); error != simdjson::SUCCESS)
      throw std::runtime_error(fmt::format("it is no JSON object: {}", simdjson::error_message(error)));
    Reader(rows, result).read(verdict);
  } catch (const std::exception& error) {  // simdjson's too
    rows.unreadable = error.what();
    rows.is_artefact = false;
    rows.measurements.clear();
    rows.boards.assign(1, {"", plain_text(result.unit_id()).substr(0, longest_text), 3, unreadable_reason});
  }
  return rows;
}

std::optional<std::int64_t> utc_us_of(std::string_view text) {
  constexpr std::size_t seconds = sizeof "2026-11-21T07:18:17" - 1;
  if (text.size() < seconds + 1 || text.back() != 'Z') return std::nullopt;
  const auto utc_s = utc_from_iso8601(std::string(text.substr(0, seconds)) + "Z");
  constexpr std::int64_t earliest = 946'684'800, latest = 7'258'118'400;  // 2000 and 2200
  if (!utc_s || *utc_s < earliest || *utc_s >= latest) return std::nullopt;
  std::int64_t us = 0;
  std::string_view fraction = text.substr(seconds, text.size() - seconds - 1);
  if (!fraction.empty()) {
    if (fraction[0] != '.' || fraction.size() < 2 || fraction.size() > 10) return std::nullopt;
    for (std::size_t i = 1; i <= 6; ++i) {
      const char c = i < fraction.size() ? fraction[i] : '0';
      if (c < '0' || c > '9') return std::nullopt;
      us = us * 10 + (c - '0');
    }
  }
  return *utc_s * 1'000'000 + us;
}

std::string plain_text(std::string_view bytes) {
  const bool is_utf8 = simdjson::validate_utf8(bytes.data(), bytes.size());
  std::string text;
  text.reserve(bytes.size());
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f || c == '%' || (byte > 0x7f && !is_utf8))
      text += fmt::format("%{:02X}", byte);
    else
      text += c;
  }
  return text;
}

}  // namespace datum
