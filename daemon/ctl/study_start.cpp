#include "daemon/ctl/study_start.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <memory>
#include <random>

#include "config/toml_document.h"
#include "config/utc_time.h"
#include "daemon/ctl/measured_study.h"
#include "daemon/ctl/study_text.h"
#include "daemon/inspection/recipe/recipe.h"

namespace datum {
namespace {

using quality::StudyKind;
using quality::StudyRefused;

struct StartOptions {
  StudyPlace place;
  quality::StudyPlan plan;
  std::string recipe, kind = "crossed", rates = "characteristic", order, references, encoding;
  int subgroups = 0;
  std::optional<std::uint64_t> seed;
};

std::string now_iso8601() {
  return iso8601_from_utc(
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch())
          .count());
}

/// Subgroups of a study over time, "01" to "20"; of other kinds one operator, the cell, where none is named.
void name_operators(quality::StudyPlan& plan, int subgroups) {
  if (subgroups > 0 && !plan.operators.empty())
    throw std::invalid_argument("--subgroups N, or --operators with a name for each");
  for (int i = 1; i <= subgroups; ++i)
    plan.operators.push_back(
        fmt::format("{:0{}}", i, std::max<std::size_t>(2, std::to_string(subgroups).size())));
  if (plan.operators.empty() &&
      (plan.kind == StudyKind::type1 || plan.kind == StudyKind::bias || plan.kind == StudyKind::linearity))
    plan.operators.emplace_back("cell");
  if (plan.operators.empty())
    throw std::invalid_argument(plan.kind == StudyKind::stability
                                    ? "a stability study needs --subgroups N, or --operators with their names"
                                    : "--operators is required: of a cell load cycles, fixtures or shifts");
}

quality::RunOrder order_of(const std::string& name, StudyKind kind) {
  if (kind == StudyKind::stability) {
    if (!name.empty())
      throw std::invalid_argument("--order: subgroups of a stability study follow each other");
    return quality::RunOrder::listed;
  }
  return name == "operators" ? quality::RunOrder::operators : quality::RunOrder::full;
}

const Component& component_of(const Recipe& recipe, const std::string& reference) {
  for (const Component& c : recipe.components)
    if (c.reference == reference) return c;
  throw StudyRefused(fmt::format("certified value of component '{}', which recipe {} does not have",
                                 reference, recipe.name));
}

/// The recipe measures what is certified, in its unit.
void demand_measured(const quality::CertifiedValue& c, const Recipe& recipe) {
  if (c.component.empty()) return;  // of the board
  const Component& component = component_of(recipe, c.component);
  if (c.characteristic.empty()) return;  // of the component
  for (const Check& check : component.checks) {
    if (name_of(check.characteristic) != c.characteristic) continue;
    if (c.decision.empty() && c.unit != unit_of(check.characteristic))
      throw StudyRefused(fmt::format("{} {} is measured in {}; its certified value is in {}", c.component,
                                     c.characteristic, unit_of(check.characteristic), c.unit));
    return;
  }
  throw StudyRefused(
      fmt::format("recipe {} has no requirement {} of {}", recipe.name, c.characteristic, c.component));
}

void start(const StartOptions& o) {
  quality::StudyPlan plan = o.plan;
  plan.kind = *quality::study_kind_of(o.kind);
  plan.rated = *quality::rated_of(o.rates);
  const Recipe recipe = load_recipe(o.recipe);
  name_operators(plan, o.subgroups);
  plan.order = order_of(o.order, plan.kind);
  if (!o.references.empty())
    plan.references =
        quality::read_certified_values(config::toml_file_bytes(o.references), o.references, o.encoding);
  for (const quality::CertifiedValue& c : plan.references) demand_measured(c, recipe);
  auto store = ResultStore::read_only(o.place.store_file());
  plan.id = o.place.id;
  plan.at = now_iso8601();
  plan.recipe = recipe.name;
  plan.recipe_sha256 = recipe.sha256;
  plan.store_id = store.id();
  plan.after = store.extent().last;
  plan.seed = o.seed ? *o.seed : std::random_device()();
  const auto study = quality::StudyFile::create(o.place.studies(), plan);
  fmt::print("{}: {} study, {} runs{}, recipe {} {}\n", study.path().string(), o.kind, study.runs().size(),
             plan.order == quality::RunOrder::listed ? " in the order of their subgroups"
                                                     : fmt::format(" in random order (seed {})", plan.seed),
             plan.recipe, plan.recipe_sha256.substr(0, 12));
  fmt::print("{}", next_text(study));
}

}  // namespace

void add_study_start(CommandLine& line, CLI::App& study) {
  auto o = std::make_shared<StartOptions>();
  auto* command = line.leaf(study, "start",
                            "plans a study: a board of each part, by each operator, several times, at "
                            "random; or one master over time",
                            [o] { return guarded_study([&] { start(*o); }); });
  command->add_option("id", o->place.id, "of the study")->required();
  command
      ->add_option("--kind", o->kind,
                   "crossed: each part by each operator; nested: parts of one operator each; type1, bias, "
                   "linearity: masters; stability: one master over weeks; attribute: decisions")
      ->transform(CLI::IsMember({"crossed", "nested", "type1", "bias", "linearity", "stability", "attribute"},
                                CLI::ignore_case))
      ->capture_default_str();
  command
      ->add_option("--rates", o->rates,
                   "of an attribute study: board: the verdict that hosts get; component: each component's; "
                   "characteristic: each component's each characteristic")
      ->transform(CLI::IsMember({"board", "component", "characteristic"}, CLI::ignore_case))
      ->capture_default_str();
  line.offer(command->add_option("--recipe", o->recipe, "file of the recipe that measures")->required(),
             Offer::files);
  command->add_option("--parts", o->plan.parts, "serial numbers of the boards: SN1,SN2,...")
      ->delimiter(',')
      ->required();
  command
      ->add_option("--operators", o->plan.operators,
                   "of a cell: load cycles, fixtures, shifts; one: a study of parts alone")
      ->delimiter(',');
  command
      ->add_option("--subgroups", o->subgroups,
                   "of a stability study, such as shifts: so many, in place of --operators with their names")
      ->check(CLI::Range(1, 10'000));
  command
      ->add_option("--trials", o->plan.trials,
                   "measurements of each part by each operator; of a stability study readings of a subgroup")
      ->check(CLI::Range(1, 10'000))
      ->required();
  line.offer(command->add_option(
                 "--references", o->references,
                 "table of certified values: part,component,characteristic,reference_um,u_um; or "
                 "of right decisions: part,decision with --rates board, part,component,decision with "
                 "--rates component, else part,component,characteristic,decision"),
             Offer::files);
  command->add_option("--encoding", o->encoding,
                      "of that table, such as cp1252 (default: UTF-8, or UTF-16 by its mark)");
  command->add_option("--by", o->plan.by, "who starts it")->required();
  command
      ->add_option("--order", o->order,
                   "full (default): all runs at random; operators: in each trial the operators at random, "
                   "each with all "
                   "parts")
      ->transform(CLI::IsMember({"full", "operators"}, CLI::ignore_case));
  command->add_option("--seed", o->seed, "of the order (default: at random; the study records it)");
  command->add_option("--attempts", o->plan.attempts, "of a run whose board is INVALID; all are recorded")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  add_place_options(line, *command, o->place);
}

}  // namespace datum
