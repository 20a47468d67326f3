#include "daemon/inspection/board/filter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string_view>

#include "config/toml_reader.h"
#include "daemon/inspection/verdict/decision.h"
#include "daemon/inspection/verdict/uncertainty.h"

namespace datum {
namespace {

constexpr double most_grey_steps = 1 << 30;
constexpr double um_per_mm = 1e3;

/// Heights in steps about their middle, and the step's size.
struct Steps {
  std::vector<std::int32_t> heights;
  AxisScale z;
  double um() const { return std::abs(z.scale_mm) * um_per_mm; }
};

/// The step's size for the frame's type of height, and the zero of the steps.
template <class T>
Steps in_steps(const HeightFrame& frame, const std::vector<T>& counts) {
  const double per_count = std::is_floating_point_v<T> ? filter_steps * std::abs(frame.z.scale_mm) * um_per_mm
                                                       : static_cast<double>(filter_steps);
  double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (frame.classes[i] != PixelClass::ok) continue;
    lowest = std::min(lowest, static_cast<double>(counts[i]));
    highest = std::max(highest, static_cast<double>(counts[i]));
  }
  if ((highest - lowest) * per_count >= most_grey_steps)
    throw std::domain_error(
        fmt::format("the filter works on heights that span less than {:.4g} mm; the frame's span {:.4g} mm",
                    most_grey_steps / per_count * std::abs(frame.z.scale_mm),
                    (highest - lowest) * std::abs(frame.z.scale_mm)));
  const double middle = lowest <= highest ? std::round((lowest + highest) / 2) : 0;
  Steps s;
  s.z = {frame.z.scale_mm / per_count, frame.z.at(middle)};
  s.heights.resize(counts.size(), no_count_32);
  for (std::size_t i = 0; i < counts.size(); ++i)
    if (frame.classes[i] == PixelClass::ok)
      s.heights[i] =
          static_cast<std::int32_t>(std::nearbyint((static_cast<double>(counts[i]) - middle) * per_count));
  return s;
}

std::string sha256_of(const std::vector<std::int32_t>& heights) {
  return config::sha256_hex(
      {reinterpret_cast<const char*>(heights.data()), heights.size() * sizeof heights[0]});
}

struct Change {
  double pixels = 0, largest = 0, sum_of_squares = 0;
};

Change change_of(const std::vector<std::int32_t>& before, const std::vector<std::int32_t>& after) {
  Change c;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (before[i] == no_count_32) continue;
    const double d = std::abs(static_cast<double>(after[i]) - before[i]);
    c.largest = std::max(c.largest, d);
    c.sum_of_squares += d * d;
    ++c.pixels;
  }
  return c;
}

StepRecord record_of(const FilterSettings& f, const Steps& s, const DiffusionRecord& d, const Change& c) {
  StepRecord r;
  r.name = "perona_malik";
  r.version = "1";
  r.parameters = {{"conduction", name_of(f.conduction)},
                  {"kappa", name_of(f.rule)},
                  {"iterations", std::to_string(f.iterations)},
                  {"lambda", config::shown(f.lambda)},
                  {"step_um", config::shown(s.um())}};
  r.health = {{"kappa_um", d.first_kappa * s.um()},
              {"last_kappa_um", d.last_kappa * s.um()},
              {"largest_change_um", c.largest * s.um()},
              {"rms_change_um", std::sqrt(c.sum_of_squares / std::max(1.0, c.pixels)) * s.um()},
              {"pixels", c.pixels}};
  if (d.first_kappa == 0)
    r.warnings.push_back("kappa is 0: most neighbours are of equal height, nothing was smoothed");
  return r;
}

/// Keeps the unfiltered frame's term: a finer step does not improve the sensor's resolution.
void keep_quantisation(std::vector<UncertaintyTerm>& budget, const std::vector<UncertaintyTerm>& raw) {
  for (UncertaintyTerm& term : budget) {
    if (term.name != "quantisation") continue;
    for (const UncertaintyTerm& other : raw)
      if (other.name == term.name) term.u = std::max(term.u, other.u);
  }
}

bool has_value(const CheckVerdict& v) { return v.reason == Reason::none || v.reason == Reason::uncertainty; }

/// A failing raw value makes the filtered one fail, by both rules.
void keep_failure(CheckVerdict& v, const CheckVerdict& raw) {
  if (v.reason != Reason::none || raw.decision_simple != Decision::fail) return;
  const bool better = v.decision < raw.decision || v.decision_simple == Decision::pass;
  v.decision = std::max(v.decision, raw.decision);
  v.decision_simple = Decision::fail;
  if (!better) return;
  const char* unit = unit_of(v.check.characteristic);
  v.detail += fmt::format(
      "{}unfiltered it is {:.6g} {} and fails: the filter moves it by {:+.4g} {}; make [filter] weaker "
      "(iterations, "
      "kappa_um) or leave it out",
      v.detail.empty() ? "" : "; ", raw.value, unit, v.value - raw.value, unit);
}

void account(CheckVerdict& v, const CheckVerdict& raw, const Recipe& recipe) {
  if (!has_value(v)) return;
  v.decision = v.decision_simple = Decision::invalid;
  v.reason = raw.reason;
  if (raw.reason != Reason::none) {
    v.detail = "what the filter did is not known, for unfiltered there is no verdict: " + raw.detail;
    return;
  }
  v.reason = Reason::none;
  const std::string floor =
      v.detail.rfind("floor: ", 0) == 0 ? v.detail.substr(0, v.detail.find("; C_m")) : "";
  v.detail.clear();
  keep_quantisation(v.budget, raw.budget);
  v.budget.push_back({"filter", std::abs(v.value - raw.value) / std::sqrt(3.0)});
  v.u = combined(v.budget);
  decide(v, recipe.rule, recipe.rule_confidence);
  keep_failure(v, raw);
  if (!floor.empty()) v.detail = floor + (v.detail.empty() ? "" : "; " + v.detail);
}

}  // namespace

HeightFrame filtered(const HeightFrame& frame, const FilterSettings& settings, Diffuser& diffuser) {
  Steps steps = std::visit([&](const auto& counts) { return in_steps(frame, counts); }, frame.counts);
  const std::vector<std::int32_t> before = steps.heights;
  const DiffusionSettings d{settings.conduction, settings.rule,
                            settings.rule == KappaRule::fixed ? settings.kappa_um / steps.um() : 0,
                            settings.lambda, settings.iterations};
  const DiffusionGrid grid{static_cast<std::uint32_t>(frame.cols), static_cast<std::uint32_t>(frame.rows), 1};
  const DiffusionRecord done = diffuser.diffuse(steps.heights.data(), grid, d);
  StepRecord record = record_of(settings, steps, done, change_of(before, steps.heights));
  record.input_sha256 = sha256_of(before);
  record.output_sha256 = sha256_of(steps.heights);
  HeightFrame out = frame;
  out.counts = std::move(steps.heights);
  out.z = steps.z;
  out.stages.push_back(std::move(record));
  return out;
}

void account_for_filter(BoardVerdict& measured, const BoardVerdict& raw, const Recipe& recipe) {
  for (std::size_t i = 0; i < measured.components.size(); ++i) {
    ComponentVerdict& c = measured.components[i];
    for (std::size_t k = 0; k < c.checks.size(); ++k)
      account(c.checks[k], raw.components[i].checks[k], recipe);
    c.decision = worst_of(c.checks);
  }
  measured.decision = worst_of(measured.components);
}

}  // namespace datum
