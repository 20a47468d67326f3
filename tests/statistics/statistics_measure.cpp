#include "tests/statistics/statistics_measure.h"

#include <algorithm>
#include <cmath>

#include "daemon/inspection/board/pipeline.h"

namespace datum::statistics {
namespace {

constexpr double tolerance_um = 40;  // of heights; 1.25 times it is 10 um beyond the limit
constexpr double wide_um = 2 * tolerance_um;

enum class Role { at_limit, beyond };

struct Question {
  Column column;
  Role role;
};

Characteristic characteristic_of(Column c) {
  constexpr std::array<Characteristic, 7> all{
      Characteristic::mean, Characteristic::median,   Characteristic::percentile, Characteristic::maximum,
      Characteristic::tilt, Characteristic::presence, Characteristic::mean};
  return all.at(static_cast<std::size_t>(c));  // the others have rows of their own
}

/// Limits at the truth, and limits that it exceeds by a quarter of the tolerance, the tilt or the share.
void ask(Column column, double truth, Component& c, std::vector<Question>& questions) {
  const auto add = [&](Role role, std::optional<double> lower, std::optional<double> upper) {
    Check check;
    check.characteristic = characteristic_of(column);
    if (column == Column::percentile) check.parameter = quantile;
    check.lower = lower;
    check.upper = upper;
    c.checks.push_back(check);
    questions.push_back({column, role});
  };
  if (column == Column::tilt) {
    add(Role::at_limit, std::nullopt, truth);
    add(Role::beyond, std::nullopt, truth / 1.25);
  } else if (column == Column::presence) {
    add(Role::at_limit, truth, std::nullopt);
    add(Role::beyond, std::min(1000.0, 1.25 * truth), std::nullopt);
  } else {
    const double by = tolerance_um / 4;
    add(Role::at_limit, truth - wide_um, truth);
    add(Role::at_limit, truth, truth + wide_um);
    add(Role::beyond, truth - by - wide_um, truth - by);
    add(Role::beyond, truth + by, truth + by + wide_um);
  }
}

/// Outside of every frame: the whole board is INVALID, and its mirror image is not measured.
Component out_of_view() {
  Component c;
  c.reference = "OFF";
  c.body = {{-1000, -1000}, {1, 1}, 0};
  c.nominal_height_um = 100;
  Check check;
  check.upper = 100;
  c.checks = {check};
  return c;
}

void count(const CheckVerdict& v, const Question& q, double truth, bool first, Tallies& tallies) {
  Tally& t = tallies[static_cast<std::size_t>(q.column)];
  if (first) ++t.cases;
  if (v.reason != Reason::none) {
    if (first) {
      ++t.invalid;
      ++t.reasons[v.reason];
    }
    return;
  }
  if (first) {
    const double error = v.value - truth;
    t.outside += std::abs(error) > 2 * v.u;
    t.error += error;
    t.error2 += error * error;
    t.worst = std::max(t.worst, std::abs(error));
    t.u += v.u;
    for (const UncertaintyTerm& term : v.budget) t.terms[term.name] += term.u * term.u;
  }
  (q.role == Role::at_limit ? t.at_limit : t.beyond) += 1;
  (q.role == Role::at_limit ? t.at_limit_passed : t.beyond_passed) += v.decision == Decision::pass;
}

}  // namespace

void measure(const Scene& scene, const std::vector<Column>& columns, FloorForm form, Tallies& tallies) {
  Recipe recipe = scene.recipe;
  recipe.floor.form = form;
  recipe.components = scene.components;
  std::vector<std::vector<Question>> questions(scene.components.size());
  for (std::size_t i = 0; i < scene.components.size(); ++i)
    for (Column column : columns) {
      const double truth = scene.truths[i].value[static_cast<std::size_t>(column)];
      if (std::isfinite(truth)) ask(column, truth, recipe.components[i], questions[i]);
    }
  for (std::size_t i = recipe.components.size(); i-- > 0;)
    if (questions[i].empty()) recipe.components[i].checks.push_back(out_of_view().checks[0]);
  recipe.components.push_back(out_of_view());
  InspectionInputs inputs;
  inputs.recipe = &recipe;
  inputs.sensor = &scene.profile;
  const BoardVerdict verdict = inspect(scene.frame, inputs, cpu_backend(1));
  for (std::size_t i = 0; i < questions.size(); ++i)
    for (std::size_t k = 0; k < questions[i].size(); ++k) {
      const Question& q = questions[i][k];
      const bool first = k == 0 || questions[i][k - 1].column != q.column;
      count(verdict.components.at(i).checks.at(k), q,
            scene.truths[i].value[static_cast<std::size_t>(q.column)], first, tallies);
    }
}

}  // namespace datum::statistics
