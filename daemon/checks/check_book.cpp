#include "daemon/checks/check_book.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "config/utc_time.h"
#include "daemon/checks/check_schedule.h"
#include "daemon/instrument/scpi_error.h"

namespace datum {
namespace {

constexpr std::size_t most_text = 200;  // of a person's name or reason, in each verdict

[[noreturn]] void refuse(int number, const std::string& why) { throw scpi::Error(number, why); }

void demand_text(const char* what, const std::string& text) {
  if (text.find_first_not_of(' ') == std::string::npos)
    refuse(scpi::illegal_parameter_value,
           fmt::format("the {} is missing; a text of 1 to {} bytes", what, most_text));
  if (text.size() > most_text)
    refuse(scpi::illegal_parameter_value,
           fmt::format("the {} has {} bytes, at most {}", what, text.size(), most_text));
}

}  // namespace

CheckBook::CheckBook(CheckSettings settings, const CheckBeginning& begun, const CheckMoment& now)
    : settings_(std::move(settings)), live_(settings_.checks.size()), last_id_(begun.last_id) {
  for (std::size_t i = 0; i < live_.size(); ++i)
    begin(i, i < begun.kept.size() ? begun.kept[i] : KeptCheck{}, begun, now);
}

/// The store's newest step decides; what can't be relied on any more is due by a record of its own.
void CheckBook::begin(std::size_t i, const KeptCheck& kept, const CheckBeginning& begun,
                      const CheckMoment& now) {
  Live& live = live_[i];
  const CheckDefinition& d = definition(i);
  if (kept.good) live.good = kept.good->id;
  const std::int64_t by_clock = now.utc_s;
  const std::int64_t known = std::max(begun.known_utc_s, kept.newest ? kept.newest->utc_s : 0);
  const bool clock_behind = by_clock < known;
  if (kept.newest && kept.newest->step == CheckStep::override_ && !clock_behind &&
      by_clock < kept.newest->until_utc_s)
    live.override_by = kept.newest;
  if (!kept.settled) {
    live.settled.name = d.name;
    live.settled.why = "it was never made";
    return;
  }
  live.settled = *kept.settled;
  if (live.settled.step == CheckStep::check) return make_due(i, "datumd ended before the check did", now);
  if (live.settled.step != CheckStep::valid) return;
  if (!begun.set_back.empty()) return make_due(i, begun.set_back, now);
  if (live.settled.definition != d.sha256) return make_due(i, "its definition was changed", now);
  if (d.after_start) return make_due(i, "datumd was started", now);
  if (clock_behind && live.settled.until_utc_s != 0)
    return make_due(i,
                    fmt::format("the clock says {}, the store has a later time, {}",
                                iso8601_from_utc(by_clock), iso8601_from_utc(known)),
                    now);
  if (const std::string why = cause_of_due(d, live.settled, now); !why.empty()) make_due(i, why, now);
}

std::size_t CheckBook::find(const std::string& name) const {
  std::string known;
  for (std::size_t i = 0; i < live_.size(); ++i) {
    if (definition(i).name == name) return i;
    known += (known.empty() ? "" : ", ") + definition(i).name;
  }
  refuse(scpi::illegal_parameter_value, fmt::format("no reference check '{}'; there is: {}", name, known));
}

std::string CheckBook::cause_of_due(const CheckDefinition& d, const CheckRecord& valid,
                                    const CheckMoment& now) const {
  if (valid.until_utc_s != 0 && now.utc_s >= valid.until_utc_s)
    return "it was valid until " + iso8601_from_utc(valid.until_utc_s);
  if (d.calibration_change && valid.calibration != now.calibration)
    return "the calibration in use changed since";
  if (d.temperature_step_k && now.temperature_degc && valid.temperature_degc &&
      !(std::abs(*now.temperature_degc - *valid.temperature_degc) <= *d.temperature_step_k))
    return fmt::format("the temperature is {:.2f} degC, was {:.2f} at the check; {:.2f} K are allowed",
                       *now.temperature_degc, *valid.temperature_degc, *d.temperature_step_k);
  return "";
}

void CheckBook::enter(std::size_t i, CheckRecord record, const CheckMoment& now) {
  record.id = ++last_id_;
  record.name = definition(i).name;
  record.utc_s = now.utc_s;
  record.after = now.newest_result;
  Live& live = live_[i];
  if (record.step == CheckStep::override_) {
    live.override_by = record;
  } else {
    live.settled = record;
    live.override_by.reset();
    live.unknown.clear();
    if (record.step == CheckStep::valid) live.good = record.id;
  }
  records_.push_back(std::move(record));
}

void CheckBook::make_due(std::size_t i, const std::string& why, const CheckMoment& now) {
  CheckRecord record;
  record.step = CheckStep::due;
  record.why = why;
  enter(i, std::move(record), now);
}

void CheckBook::observe(const CheckMoment& now) {
  for (std::size_t i = 0; i < live_.size(); ++i) {
    Live& live = live_[i];
    if (live.override_by && now.utc_s >= live.override_by->until_utc_s) live.override_by.reset();
    if (live.settled.step != CheckStep::valid) continue;
    if (const std::string why = cause_of_due(definition(i), live.settled, now); !why.empty()) {
      make_due(i, why, now);
      continue;
    }
    live.unknown = definition(i).temperature_step_k && !now.temperature_degc
                       ? "the cell's temperature is not known, and a step of it is to be seen"
                       : "";
  }
}

void CheckBook::start(const std::string& name, const std::string& by, const std::string& recipe,
                      const CheckMoment& now) {
  const std::size_t i = find(name);
  const CheckDefinition& d = definition(i);
  if (checking_)
    refuse(scpi::settings_conflict, fmt::format("reference check {} is in progress; CHECk:ABORt ends it",
                                                definition(*checking_).name));
  if (recipe != d.recipe)
    refuse(scpi::settings_conflict,
           fmt::format("the recipe of reference check {} is {}; choose it before", name, d.recipe));
  if (d.temperature_step_k && !now.temperature_degc)
    refuse(scpi::settings_conflict,
           "the cell's temperature is not known, and the check demands it; SENSe:TEMPerature");
  if (by.size() > most_text) demand_text("name", by);
  CheckRecord record;
  record.step = CheckStep::check;
  record.by = by;
  record.why = fmt::format("{} {}", datum::name_of(d.artefact), d.serial);
  enter(i, std::move(record), now);
  checking_ = i;
  readings_.clear();
  faults_ = 0;
  last_fault_.clear();
}

void CheckBook::abort(const std::string& why, const CheckMoment& now) {
  if (!checking_) refuse(scpi::settings_conflict, "no reference check is in progress");
  make_due(*std::exchange(checking_, std::nullopt), why, now);
}

void CheckBook::declare_due(const std::string& name, const std::string& why, const CheckMoment& now) {
  const std::size_t i = find(name);
  demand_text("reason", why);
  if (checking_ == i) checking_.reset();
  // A failed check stays one: only a good check says that the cell is right again.
  if (live_[i].settled.step == CheckStep::failed)
    refuse(scpi::settings_conflict, fmt::format("reference check {} has failed already", name));
  make_due(i, why, now);
}

void CheckBook::override_check(const std::string& name, const std::string& by, const std::string& why,
                               const CheckMoment& now) {
  const std::size_t i = find(name);
  demand_text("name of who decides", by);
  demand_text("reason", why);
  const CheckStep step = live_[i].settled.step;
  if (step == CheckStep::valid && live_[i].unknown.empty())
    refuse(scpi::settings_conflict, fmt::format("reference check {} is valid", name));
  if (step == CheckStep::check)
    refuse(scpi::settings_conflict,
           fmt::format("reference check {} is in progress; CHECk:ABORt ends it", name));
  CheckRecord record;
  record.step = CheckStep::override_;
  record.by = by;
  record.why = why;
  record.until_utc_s = now.utc_s + settings_.override_s;
  enter(i, std::move(record), now);
}

bool CheckBook::take(const BoardVerdict& verdict, const CheckMoment& now) {
  if (!checking_ || !verdict.reference || verdict.reference->artefact != definition(*checking_).name)
    return false;
  const CheckDefinition& d = definition(*checking_);
  CheckReading reading = reading_of(d, verdict);
  if (verdict.recipe != d.recipe) reading.fault = "it was measured by recipe " + verdict.recipe;
  if (reading.fault.empty())
    readings_.push_back(std::move(reading));
  else
    ++faults_, last_fault_ = fmt::format("result {}: {}", verdict.sequence, reading.fault);
  // As many readings without a value as with one are repeated; more say that the artefact can't be measured.
  if (readings_.size() < d.readings && faults_ <= d.readings) return false;
  conclude(now);
  return true;
}

void CheckBook::conclude(const CheckMoment& now) {
  const std::size_t i = *std::exchange(checking_, std::nullopt);
  const CheckDefinition& d = definition(i);
  CheckRecord record;
  if (readings_.size() < d.readings) {
    record.step = CheckStep::failed;
    record.why = fmt::format("{} readings without a value, the last one {}", faults_, last_fault_);
  } else {
    CheckOutcome outcome = judge(d, readings_);
    record.step = outcome.good ? CheckStep::valid : CheckStep::failed;
    record.why = outcome.why;
    record.values = std::move(outcome.values);
    if (outcome.good) record.until_utc_s = due_at(d, now.utc_s);
  }
  for (const CheckReading& r : readings_) record.readings.push_back(r.sequence);
  record.definition = d.sha256;
  record.calibration = now.calibration;
  record.temperature_degc = now.temperature_degc;
  enter(i, std::move(record), now);
}

CheckState CheckBook::state_of(const Live& live) const {
  switch (live.settled.step) {
    case CheckStep::check:
      return CheckState::check;
    case CheckStep::valid:
      if (live.unknown.empty()) return CheckState::valid;
      break;
    case CheckStep::failed:
      return CheckState::failed;
    default:
      break;
  }
  return CheckState::due;
}

std::string CheckBook::why_of(const Live& live) const {
  return live.unknown.empty() ? live.settled.why : live.unknown;
}

ReferenceEvidence CheckBook::evidence(bool reading) const {
  ReferenceEvidence evidence;
  if (reading && checking_) evidence.artefact = definition(*checking_).name;
  for (std::size_t i = 0; i < live_.size(); ++i) {
    const Live& live = live_[i];
    ReliedCheck relied{definition(i).name, datum::name_of(state_of(live)), live.good, std::nullopt};
    if (const auto& o = live.override_by) relied.override_by = CheckOverride{o->id, o->by, o->why};
    evidence.checks.push_back(std::move(relied));
  }
  return evidence;
}

std::string CheckBook::refusal() const {
  for (std::size_t i = 0; i < live_.size(); ++i) {
    const CheckState state = state_of(live_[i]);
    if (state == CheckState::valid || live_[i].override_by) continue;
    const std::string why = why_of(live_[i]);
    return fmt::format("reference check {} is {}{}{}", definition(i).name, datum::name_of(state),
                       why.empty() ? "" : ": ", why);
  }
  return "";
}

std::vector<CheckStatus> CheckBook::status() const {
  std::vector<CheckStatus> all;
  for (std::size_t i = 0; i < live_.size(); ++i) {
    const CheckDefinition& d = definition(i);
    const Live& live = live_[i];
    const CheckRecord& newest = live.override_by ? *live.override_by : live.settled;
    CheckStatus s;
    s.name = d.name;
    s.artefact = fmt::format("{} {}", datum::name_of(d.artefact), d.serial);
    s.recipe = d.recipe;
    s.state = live.override_by ? CheckState::overridden : state_of(live);
    s.why = live.override_by ? fmt::format("{}: {}; {}: {}", newest.by, newest.why,
                                           datum::name_of(state_of(live)), why_of(live))
                             : why_of(live);
    s.id = newest.id;
    s.good = live.good;
    s.since_utc_s = newest.utc_s;
    s.until_utc_s = newest.until_utc_s;
    s.readings = d.readings;
    if (checking_ == i) s.readings_taken = static_cast<std::uint32_t>(readings_.size());
    all.push_back(std::move(s));
  }
  return all;
}

std::vector<std::string> CheckBook::warnings(std::int64_t utc_s) const {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < live_.size(); ++i) {
    const std::int64_t until = live_[i].settled.until_utc_s;
    if (state_of(live_[i]) == CheckState::valid && until != 0 && until - utc_s <= settings_.warn_s)
      lines.push_back(
          fmt::format("reference check {} is due at {}", definition(i).name, iso8601_from_utc(until)));
  }
  if (const std::string why = refusal(); !why.empty()) lines.push_back(why);
  return lines;
}

std::vector<CheckRecord> CheckBook::take_records() { return std::exchange(records_, {}); }

void CheckBook::put_back(std::vector<CheckRecord> records) {
  std::move(records_.begin(), records_.end(), std::back_inserter(records));
  records_ = std::move(records);
}

}  // namespace datum
