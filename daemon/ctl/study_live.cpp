#include "daemon/ctl/study_live.h"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <cmath>
#include <memory>
#include <random>

#include "config/utc_time.h"
#include "daemon/configuration/daemon_config.h"
#include "daemon/ctl/exit_status.h"
#include "daemon/ctl/triggered_result.h"
#include "daemon/inspection/recipe/recipe.h"
#include "daemon/text/table.h"

namespace datum {
namespace {

using quality::StudyFile;
using quality::StudyRefused;
using Align = Table::Align;

struct LiveOptions {
  StudyPlace place;
  quality::StudyPlan plan;
  std::string recipe, order = "full", result;
  std::optional<std::uint64_t> seed;
  bool trigger = false;
};

std::string now_iso8601() {
  return iso8601_from_utc(
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch())
          .count());
}

std::string run_text(const StudyFile& study, std::size_t run) {
  const quality::PlannedRun& r = study.runs()[run];
  return fmt::format("run {} of {}: part {}, operator {}, trial {}", run + 1, study.runs().size(), r.part,
                     r.op, r.trial);
}

void print_next(const StudyFile& study) {
  const auto next = study.next();
  if (!next) {
    fmt::print("the study is complete: datumctl study solve {}\n", study.plan().id);
    return;
  }
  const int attempts = study.attempts_of(*next);
  fmt::print("next: {}{}\n", run_text(study, *next),
             attempts == 0
                 ? ""
                 : fmt::format(" again: {} of {} attempts were INVALID", attempts, study.plan().attempts));
}

void start(const LiveOptions& o) {
  quality::StudyPlan plan = o.plan;
  const Recipe recipe = load_recipe(o.recipe);
  auto store = ResultStore::read_only(o.place.store_file());
  plan.id = o.place.id;
  plan.at = now_iso8601();
  plan.recipe = recipe.name;
  plan.recipe_sha256 = recipe.sha256;
  plan.store_id = store.id();
  plan.after = store.extent().last;
  plan.order = o.order == "full" ? quality::RunOrder::full : quality::RunOrder::operators;
  plan.seed = o.seed ? *o.seed : std::random_device()();
  const StudyFile study = StudyFile::create(o.place.studies(), plan);
  fmt::print("{}: {} runs in random order (seed {}), recipe {} {}\n", study.path().string(),
             study.runs().size(), plan.seed, plan.recipe, plan.recipe_sha256.substr(0, 12));
  print_next(study);
}

std::uint64_t number_of_result(const std::string& text, ResultStore& store) {
  if (text == "last") {
    const auto latest = store.latest();
    if (!latest) throw StudyRefused("the store has no result");
    return latest->sequence;
  }
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size())
    throw std::invalid_argument("--result " + text + ": wanted: a sequence number, or last");
  return number;
}

void take_next(CommandLine& line, const LiveOptions& o) {
  StudyFile study = StudyFile::open(o.place.studies(), o.place.id);
  const auto next = study.next();
  if (next && (o.trigger || !o.result.empty())) {
    std::string result = o.result;
    if (o.trigger) result = fmt::format("{}", triggered_result(line.link, study.runs()[*next].part));
    auto store = ResultStore::read_only(o.place.store_file());
    const auto stored = store.get(number_of_result(result, store));
    if (!stored) throw StudyRefused("the store has no result " + result);
    if (store.id() != study.plan().store_id)
      throw StudyRefused(
          fmt::format("the study is of store {}, this one is {}", study.plan().store_id, store.id()));
    study.add(record_of(*stored, store.chain_sha256(stored->sequence)));
    fmt::print("result {} {}: {}\n", stored->sequence, study.records().back().decision,
               run_text(study, *next));
    if (study.records().back().decision == "INVALID" && study.next() != next)
      fmt::print("! this was the last attempt: the run has no value\n");
  }
  print_next(study);
}

std::string status_text(const StudyFile& study) {
  const quality::StudyPlan& p = study.plan();
  std::string text = fmt::format(
      "study {} by {} at {}: recipe {} {}, {} parts x {} operators x {} trials, order {}, seed {}\n", p.id,
      p.by, p.at, p.recipe, p.recipe_sha256.substr(0, 12), p.parts.size(), p.operators.size(), p.trials,
      name_of(p.order), p.seed);
  const auto next = study.next();
  text += fmt::format("{} of {} runs measured, {} results\n", next ? *next : study.runs().size(),
                      study.runs().size(), study.records().size());
  for (const auto* names : {&p.parts, &p.operators}) {
    for (const std::string& name : *names) {
      std::size_t invalid = 0, all = 0;
      for (const quality::StudyRecord& r : study.records()) {
        const quality::PlannedRun& run = study.runs()[r.run];
        if ((names == &p.parts ? run.part : run.op) != name) continue;
        ++all;
        invalid += r.decision == "INVALID";
      }
      if (invalid > 0)
        text += fmt::format("{} {}: {} of {} results INVALID\n", names == &p.parts ? "part" : "operator",
                            name, invalid, all);
    }
  }
  return text;
}

nlohmann::ordered_json status_json(const StudyFile& study) {
  const quality::StudyPlan& p = study.plan();
  nlohmann::ordered_json out{{"study", p.id},
                             {"by", p.by},
                             {"at", p.at},
                             {"recipe", p.recipe},
                             {"recipe_sha256", p.recipe_sha256},
                             {"parts", p.parts},
                             {"operators", p.operators},
                             {"trials", p.trials},
                             {"order", name_of(p.order)},
                             {"seed", p.seed},
                             {"runs", study.runs().size()},
                             {"records", nlohmann::ordered_json::array()}};
  out["next"] = study.next() ? nlohmann::ordered_json(*study.next() + 1) : nlohmann::ordered_json(nullptr);
  for (const quality::StudyRecord& r : study.records()) {
    const quality::PlannedRun& run = study.runs()[r.run];
    out["records"].push_back({{"run", r.run + 1},
                              {"part", run.part},
                              {"operator", run.op},
                              {"trial", run.trial},
                              {"attempt", r.attempt},
                              {"result", r.result},
                              {"chain_sha256", r.chain_sha256},
                              {"decision", r.decision},
                              {"measured_at", r.measured_at}});
  }
  return out;
}

void print_status(const LiveOptions& o, bool json) {
  const auto folder = o.place.studies();
  if (o.place.id.empty()) {
    for (const std::string& id : quality::studies_in(folder)) {
      const StudyFile study = StudyFile::open(folder, id);
      if (json)
        fmt::print("{}\n", status_json(study).dump());
      else
        fmt::print("{}", status_text(study));
    }
    return;
  }
  const StudyFile study = StudyFile::open(folder, o.place.id);
  if (json) {
    fmt::print("{}\n", status_json(study).dump(2));
    return;
  }
  fmt::print("{}", status_text(study));
  print_next(study);
}

}  // namespace

StudyOptions options_of(const StudySeries& series, const StudyOptions& o, std::size_t operators) {
  StudyOptions own = o;
  if (!own.gauge.lower && !own.gauge.upper) {
    own.gauge.lower = series.lower;
    own.gauge.upper = series.upper;
  }
  own.kind = operators > 1 ? "crossed" : "one-way";
  // A stored value is measured: nobody has typed it.
  own.zero_is_a_value = true;
  return own;
}

std::string label_of(const StudySeries& s) {
  return fmt::format("{} {}{}", s.reference, name_of(s.characteristic),
                     s.parameter != 0 ? fmt::format(" {:g}", s.parameter) : "");
}

std::vector<StudySeries> chosen_series(const StudyFile& study, ResultStore& store,
                                       const std::string& component, const std::string& characteristic) {
  std::vector<StudySeries> all = series_of(study, store);
  std::erase_if(all, [&](const StudySeries& s) {
    return (!component.empty() && s.reference != component) ||
           (!characteristic.empty() && name_of(s.characteristic) != characteristic);
  });
  if (all.empty())
    throw StudyRefused("the study has no values" +
                       (component.empty() ? "" : " of component '" + component + "'"));
  return all;
}

std::filesystem::path StudyPlace::store_file() const {
  return store.empty() ? load_daemon_config(config).store : std::filesystem::path(store);
}

void add_place_options(CommandLine& line, CLI::App& command, StudyPlace& place) {
  line.offer(command.add_option("--studies", place.folder,
                                "folder of the studies (default: studies, beside the store)"),
             Offer::files);
  line.offer(
      command.add_option("--store", place.store, "the store itself (default: what the configuration names)"),
      Offer::files);
  line.offer(
      command.add_option("--config", place.config, "configuration of the daemon")->capture_default_str(),
      Offer::files);
}

SolvedStudy solve_live(const StudyPlace& place, const StudyOptions& o, const std::string& component,
                       const std::string& characteristic, bool whole) {
  const StudyFile study = StudyFile::open(place.studies(), place.id);
  auto store = ResultStore::read_only(place.store_file());
  const auto all = chosen_series(study, store, component, characteristic);
  SolvedStudy out{status_text(study),
                  {{"study", status_json(study)}, {"series", nlohmann::ordered_json::array()}},
                  std::nullopt};
  if (study.next()) out.text += "! the study is not complete: what is measured so far\n";
  Table table({{"ref", Align::left},
               {"what", Align::left},
               {"unit", Align::left},
               {"n", Align::right},
               {"missing", Align::right},
               {"sigma EV", Align::right},
               {"sigma GRR", Align::right},
               {"%study", Align::right},
               {"%tolerance", Align::right},
               {"ndc", Align::right},
               {"method", Align::left}});
  for (const StudySeries& s : all) {
    nlohmann::ordered_json row{{"reference", s.reference},
                               {"package", s.package},
                               {"characteristic", name_of(s.characteristic)},
                               {"parameter", s.parameter}};
    const std::string what = label_of(s).substr(s.reference.size() + 1);
    try {
      const SolvedStudy one = solve_study(s.table, options_of(s, o, study.plan().operators.size()));
      const quality::GaugeReport& r = *one.gauge;
      if (whole || all.size() == 1) out.text += fmt::format("\n{}\n{}", label_of(s), one.text);
      const auto tolerance = r.percent_tolerance(r.sigma_gauge());
      table.add({{s.reference},
                 {what},
                 {s.table.unit},
                 {fmt::format("{}", r.readings - r.missing)},
                 {fmt::format("{}", r.missing)},
                 {fmt::format("{:.4f}", std::sqrt(r.components.repeatability))},
                 {fmt::format("{:.4f}", r.sigma_gauge())},
                 {fmt::format("{:.2f}", 100 * r.sigma_gauge() / r.sigma_total())},
                 {tolerance ? fmt::format("{:.2f}", *tolerance) : "-"},
                 {r.categories() ? fmt::format("{}", *r.categories()) : "-"},
                 {r.reml                                  ? "REML"
                  : r.crossed && r.crossed->pooled_chosen ? "ANOVA, pooled"
                                                          : "ANOVA"}});
      row["result"] = one.json;
      if (all.size() == 1) out.gauge = r;
    } catch (const StudyRefused& error) {
      table.add({{s.reference},
                 {what},
                 {s.table.unit},
                 {"-"},
                 {"-"},
                 {"-"},
                 {"-"},
                 {"-"},
                 {"-"},
                 {"-"},
                 {fmt::format("refused: {}", error.what())}});
      row["refused"] = error.what();
    }
    out.json["series"].push_back(row);
  }
  out.text += "\n" + table.text(false);
  return out;
}

Reproducibility reproducibility_of(const StudyPlace& place, const StudyOptions& o,
                                   const std::string& component) {
  const StudyFile study = StudyFile::open(place.studies(), place.id);
  if (study.next()) throw StudyRefused("the study is not complete: " + run_text(study, *study.next()));
  auto store = ResultStore::read_only(place.store_file());
  Reproducibility worst{place.id, "", -1};
  for (const StudySeries& s : chosen_series(study, store, component, "")) {
    if (s.table.unit != "um") continue;
    StudyOptions own = options_of(s, o, study.plan().operators.size());
    own.gauge.intervals.draws = 0;
    const SolvedStudy one = solve_study(s.table, own);
    if (one.gauge->reml && !one.gauge->reml->converged)
      throw StudyRefused(label_of(s) + ": REML did not converge");
    if (one.gauge->sigma_gauge() > worst.um) worst = {place.id, label_of(s), one.gauge->sigma_gauge()};
  }
  if (worst.um < 0) throw StudyRefused("the study has no values in um");
  return worst;
}

void add_live_study_commands(CommandLine& line, CLI::App& study) {
  auto o = std::make_shared<LiveOptions>();
  auto* begin = line.leaf(
      study, "start", "plans a study in random order: a board of each part, by each operator, several times",
      [o] { return guarded_study([&] { start(*o); }); });
  begin->add_option("id", o->place.id, "of the study")->required();
  line.offer(begin->add_option("--recipe", o->recipe, "file of the recipe that measures")->required(),
             Offer::files);
  begin->add_option("--parts", o->plan.parts, "serial numbers of the boards: SN1,SN2,...")
      ->delimiter(',')
      ->required();
  begin
      ->add_option("--operators", o->plan.operators,
                   "of a cell: load cycles, fixtures, shifts; one: a study of parts alone")
      ->delimiter(',')
      ->required();
  begin->add_option("--trials", o->plan.trials, "measurements of each part by each operator")
      ->check(CLI::Range(1, 100))
      ->required();
  begin->add_option("--by", o->plan.by, "who starts it")->required();
  begin
      ->add_option(
          "--order", o->order,
          "full: all runs at random; operators: in each trial the operators at random, each with all parts")
      ->transform(CLI::IsMember({"full", "operators"}, CLI::ignore_case))
      ->capture_default_str();
  begin->add_option("--seed", o->seed, "of the order (default: at random; the study records it)");
  begin->add_option("--attempts", o->plan.attempts, "of a run whose board is INVALID; all are recorded")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  add_place_options(line, *begin, o->place);

  auto* next = line.link_leaf(
      study, "next",
      "the run to be measured now; with --trigger or --result takes its result, and shows the one after it",
      [&line, o] { return guarded_study([&] { take_next(line, *o); }); });
  next->add_option("id", o->place.id, "of the study")->required();
  auto* trigger = next->add_flag("--trigger", o->trigger,
                                 "triggers the armed cell with the part as unit, and takes that result");
  next->add_option("--result", o->result, "takes this result of the store: a sequence number, or last")
      ->excludes(trigger);
  add_place_options(line, *next, o->place);

  auto* status = line.leaf(study, "status", "progress of a study with its INVALID results, or of all studies",
                           [&line, o] { return guarded_study([&] { print_status(*o, line.json); }); });
  status->add_option("id", o->place.id, "of the study");
  add_place_options(line, *status, o->place);
  line.add_json(*status, "with the records as JSON");
}

}  // namespace datum
