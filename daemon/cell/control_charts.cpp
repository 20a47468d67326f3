#include "daemon/cell/control_charts.h"

#include <fmt/format.h>

#include <iterator>
#include <set>
#include <utility>

#include "daemon/inspection/recipe/chart_rules.h"
#include "daemon/instrument/scpi_error.h"
#include "daemon/system/event_loop.h"
#include "daemon/version/version.h"

namespace datum {
namespace {

constexpr MonotonicNs again_ns = 10'000'000'000;
constexpr std::uint64_t most_results = 16;   // watched in one go
constexpr std::uint64_t most_unmarked = 64;  // results that are watched once more after a kill
constexpr std::size_t most_text = 200;       // of a person's name or reason

void demand_text(const char* what, const std::string& text) {
  if (text.find_first_not_of(' ') == std::string::npos || text.size() > most_text)
    throw scpi::Error(scpi::illegal_parameter_value,
                      fmt::format("the {} has {} bytes; a text of 1 to {} bytes that is no blank", what,
                                  text.size(), most_text));
}

}  // namespace

ControlCharts::ControlCharts(ControlChartDependencies dependencies)
    : deps_(std::move(dependencies)), stored_(std::make_shared<quality::StoredCharts>(deps_.store_file)) {}

void ControlCharts::begin() {
  const KeptCharts kept = kept_charts(deps_.store_file);
  watched_ = kept_watched_ = kept.watched;
  for (const KeptChart& chart : kept.charts) {
    Live& live = live_[chart.recipe];
    live.hit_results = chart.hit_results;
    live.hit = chart.hit;
    live.disarmed = chart.disarmed;
  }
  watch();
}

void ControlCharts::watch() {
  if (!deps_.watcher) return;
  again_ = true;
  if (std::exchange(watching_, true)) return;
  again_ = false;
  const auto recipes = deps_.basis.recipes()->names();
  const auto findings = std::make_shared<quality::ChartFindings>();
  deps_.watcher->submit_fallible(
      [stored = stored_, findings, recipes, utc_s = deps_.utc_ns() / 1'000'000'000] {
        *findings = stored->watch(recipes, most_results, utc_s);
      },
      [this, findings](const std::string& failed) {
        watching_ = false;
        if (failed != watch_fault_ && !failed.empty())
          deps_.events.log(3, "results can't be watched by control charts: " + failed + "; tried again");
        watch_fault_ = failed;
        if (!failed.empty()) {
          not_before_ns_ = EventLoop::now() + again_ns;
          return;
        }
        found(*findings);
        if (findings->more || again_) watch();
      });
}

void ControlCharts::found(const quality::ChartFindings& findings) {
  watched_ = findings.watched;
  checkpoints_ = findings.checkpoints;
  for (const auto& [recipe, limits] : findings.limits) {
    if (!limits.limits && limits.fault.empty() && !live_.contains(recipe)) continue;
    live_[recipe].found = limits;
    report_limits(recipe);
  }
  for (const ChartRecord& record : findings.records) count(record);
  records_.insert(records_.end(), findings.records.begin(), findings.records.end());
  store();
  if (!findings.records.empty() || !findings.limits.empty()) deps_.events.changed();
}

void ControlCharts::count(const ChartRecord& record) {
  if (record.step != ChartStep::hit) return;
  Live& live = live_[record.recipe];
  ++live.hit_results;
  live.hit = record;
  if (record.disarms) live.disarmed = record;
}

/// Limits that hold no more are no silence.
void ControlCharts::report_limits(const std::string& recipe) {
  Live& live = live_[recipe];
  const std::string why = live.found.fault.empty() ? stale_text(live) : live.found.fault;
  if (why == live.reported) return;
  live.reported = why;
  if (!why.empty())
    deps_.events.log(
        4, fmt::format("control charts of {}: {}", recipe, why),
        {Event::control_chart,
         {{"DATUM_RECIPE", recipe}, {"DATUM_STATE", name_of(chart(recipe).state)}, {"DATUM_REASON", why}}});
  deps_.events.changed();
}

std::string ControlCharts::stale_text(const Live& live) const {
  const auto& limits = live.found.limits;
  if (!limits || !live.newest) return "";
  const Identity& now = *live.newest;
  const std::string other = now.recipe_sha256 != limits->recipe_sha256             ? "recipe text"
                            : now.calibration_sha256 != limits->calibration_sha256 ? "calibration"
                            : now.code != limits->code                             ? "version of datumd"
                                                                                   : "";
  if (other.empty()) return "";
  return fmt::format(
      "results are made by another {} than limits {}: no rule watches them; freeze new limits (datumctl "
      "chart freeze)",
      other, limits->id);
}

void ControlCharts::take(const BoardVerdict& v) {
  if (const auto live = live_.find(v.recipe); live != live_.end() && !is_artefact(v)) {
    live->second.newest = {v.recipe_sha256, v.calibration_sha256, v.code};
    report_limits(v.recipe);
  }
  watch();
}

void ControlCharts::after_round(MonotonicNs now) {
  if (now < not_before_ns_) return;
  if (!watch_fault_.empty() && !watching_) watch();
  if (!store_fault_.empty() && !storing_) store();
}

/// The mark alone waits until it is worth a commit.
void ControlCharts::store() {
  if (storing_ || (records_.empty() && watched_ - kept_watched_ < most_unmarked)) return;
  if (records_.empty() && live_.empty()) return;
  const auto records = std::make_shared<std::vector<ChartRecord>>(std::exchange(records_, {}));
  storing_ = true;
  deps_.storer.submit_fallible(
      [records, watched = watched_, checkpoints = checkpoints_, &store = deps_.writer] {
        store.keep_charts(*records, watched, checkpoints);
      },
      [this, records, watched = watched_](const std::string& failed) {
        storing_ = false;
        if (failed.empty()) {
          kept_watched_ = watched;
          for (const ChartRecord& record : *records) log(record);
          store_fault_.clear();
          if (!records_.empty()) store();
        } else {
          std::move(records_.begin(), records_.end(), std::back_inserter(*records));
          records_ = std::move(*records);
          if (store_fault_.empty())
            deps_.events.log(3,
                             "control charts can't be kept in the result store: " + failed + "; tried again");
          store_fault_ = failed;
          not_before_ns_ = EventLoop::now() + again_ns;
        }
        deps_.events.changed();
      });
}

void ControlCharts::log(const ChartRecord& r) const {
  const int priority = r.step == ChartStep::hit ? 4 : 5;
  deps_.events.log(priority, words_of(r),
                   {Event::control_chart,
                    {{"DATUM_RECIPE", r.recipe},
                     {"DATUM_STATE", r.step == ChartStep::hit && r.disarms ? "DISARMED" : name_of(r.step)},
                     {"DATUM_SEQUENCE", fmt::format("{}", r.after)},
                     {"DATUM_REASON", words_of(r)}}});
}

ChartStatus ControlCharts::status_of(const std::string& recipe, const Live& live) const {
  ChartStatus s;
  s.recipe = recipe;
  s.hit_results = live.hit_results;
  if (live.hit) s.last_hit = live.hit->after;
  if (const auto& limits = live.found.limits) {
    s.limits = limits->id;
    s.at = limits->at;
    s.by = limits->by;
    s.rules = limits->rules;
    s.disarm = limits->disarm;
    s.series = limits->series.size();
  }
  const Recipe* known = deps_.basis.recipes()->find(recipe);
  const bool wanted = known && known->charts;
  if (live.disarmed) {
    s.state = ChartState::disarmed;
    s.why = words_of(*live.disarmed);
  } else if (live.hit) {
    s.state = ChartState::hit;
    s.why = words_of(*live.hit);
  } else if (const std::string stale = stale_text(live); !stale.empty()) {
    s.state = ChartState::stale;
    s.why = stale;
  } else if (live.found.limits) {
    s.state = ChartState::in_control;
  } else if (wanted || !live.found.fault.empty()) {
    s.state = ChartState::no_limits;
    s.why = live.found.fault.empty()
                ? "no limits are frozen: no rule watches its results; datumctl chart freeze"
                : live.found.fault;
  }
  return s;
}

ChartStatus ControlCharts::chart(const std::string& recipe) const {
  const auto live = live_.find(recipe);
  return status_of(recipe, live == live_.end() ? Live{} : live->second);
}

std::vector<ChartStatus> ControlCharts::charts() const {
  std::set<std::string> names;
  for (const auto& [recipe, live] : live_) names.insert(recipe);
  for (const std::string& recipe : deps_.basis.recipes()->names()) names.insert(recipe);
  std::vector<ChartStatus> all;
  for (const std::string& recipe : names)
    if (ChartStatus s = chart(recipe); s.state != ChartState::none) all.push_back(std::move(s));
  return all;
}

void ControlCharts::acknowledge(const std::string& recipe, const std::string& by, const std::string& why) {
  demand_text("name", by);
  demand_text("reason", why);
  const auto live = live_.find(recipe);
  if (live == live_.end() || live->second.hit_results == 0)
    throw scpi::Error(scpi::settings_conflict,
                      "no rule of recipe '" + recipe + "' is hit; CHARt:CATalog? lists the charts");
  ChartRecord record;
  record.recipe = recipe;
  record.step = ChartStep::acknowledged;
  record.utc_s = deps_.utc_ns() / 1'000'000'000;
  record.by = by;
  record.why = why;
  record.limits = live->second.hit->limits;
  record.limits_sha256 = live->second.hit->limits_sha256;
  record.after = watched_;
  record.seen = live->second.hit->after;
  live->second.hit_results = 0;
  live->second.hit.reset();
  live->second.disarmed.reset();
  deps_.events.changed();
  if (!deps_.watcher) {
    records_.push_back(std::move(record));
    return store();
  }
  ++acknowledging_;
  const auto behind = std::make_shared<std::uint64_t>(0);
  deps_.watcher->submit([stored = stored_, recipe, behind] { *behind = stored->restart(recipe); },
                        [this, record, behind]() mutable {
                          --acknowledging_;
                          record.after = *behind;
                          records_.push_back(record);
                          store();
                        });
}

void ControlCharts::demand_armable(const std::string& recipe) const {
  const ChartStatus s = chart(recipe);
  if (s.state != ChartState::disarmed) return;
  throw scpi::Error(scpi::settings_conflict,
                    s.why + "; find the cause, then a person acknowledges it (CHARt:ACKnowledge)");
}

std::string ControlCharts::reason_to_disarm(const Recipe* recipe) const {
  if (!recipe) return "";
  const auto live = live_.find(recipe->name);
  return live == live_.end() || !live->second.disarmed ? "" : words_of(*live->second.disarmed);
}

}  // namespace datum
