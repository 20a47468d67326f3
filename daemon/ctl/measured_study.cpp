// Studies solved from the store's results.
#include "daemon/ctl/measured_study.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

#include "daemon/configuration/daemon_config.h"
#include "daemon/ctl/study_text.h"
#include "daemon/text/table.h"

namespace datum {
namespace {

using quality::CertifiedValue;
using quality::StudyFile;
using quality::StudyKind;
using quality::StudyRefused;
using Json = nlohmann::ordered_json;
using Align = Table::Align;

double number_of(const quality::Decimal& value) { return quality::ratio(value.count, 1, value.digits); }

/// Puts what is certified beside the readings; whether there is any.
bool take_references(StudySeries& series, const quality::StudyPlan& plan) {
  bool any = false;
  for (quality::Reading& reading : series.table.readings) {
    const bool of_board = series.rated == quality::Rated::board,
               of_characteristic = series.rated == quality::Rated::characteristic;
    const CertifiedValue* c = plan.reference_of(reading.part, of_board ? "" : series.reference,
                                                of_characteristic ? name_of(series.characteristic) : "");
    if (!c) continue;
    any = true;
    reading.reference = c->value;
    reading.reference_decision = c->decision;
    series.certified = *c;
  }
  return any;
}

/// One series of each characteristic, with the readings of all masters that are certified.
std::vector<StudySeries> joined_masters(const std::vector<StudySeries>& all) {
  std::vector<StudySeries> joined;
  for (const StudySeries& s : all) {
    const auto same = std::find_if(joined.begin(), joined.end(), [&](const StudySeries& other) {
      return other.characteristic == s.characteristic && other.parameter == s.parameter;
    });
    StudySeries& to = same != joined.end() ? *same : joined.emplace_back(s);
    if (same == joined.end()) {
      to.reference = "all masters,";
      to.package.clear();
      to.table.readings.clear();
    }
    for (const quality::Reading& r : s.table.readings)
      if (r.reference) to.table.readings.push_back(r);
  }
  return joined;
}

std::vector<StudySeries> of_kind(std::vector<StudySeries> all, const quality::StudyPlan& plan) {
  std::vector<StudySeries> certified;
  for (StudySeries& s : all)
    if (take_references(s, plan)) certified.push_back(s);
  switch (plan.kind) {
    case StudyKind::crossed:
    case StudyKind::nested:
    case StudyKind::stability:
      return all;
    case StudyKind::attribute:
      // A board without a value for the component was rated, too.
      for (std::vector<StudySeries>* list : {&all, &certified})
        for (StudySeries& s : *list)
          for (quality::Reading& r : s.table.readings)
            if (r.decision.empty()) r.decision = name_of(Decision::invalid);
      return plan.references.empty() ? all : certified;
    case StudyKind::linearity:
      return joined_masters(certified);
    case StudyKind::type1:
    case StudyKind::bias:
      break;
  }
  return certified;
}

/// A row of several gauge studies in one table.
void add_gauge_row(Table& table, const StudySeries& s, const std::string& what,
                   const quality::GaugeReport& r) {
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
}

Table gauge_table() {
  return Table({{"ref", Align::left},
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
}

void add_refused_row(Table& table, const StudySeries& s, const std::string& what, const std::string& why) {
  constexpr int numbers = 7;
  std::vector<Cell> row{{s.reference}, {what}, {s.table.unit}};
  for (int i = 0; i < numbers; ++i) row.push_back({"-"});
  row.push_back({"refused: " + why});
  table.add(row);
}

}  // namespace

StudyOptions options_of(const StudySeries& series, const StudyOptions& o, const quality::StudyPlan& plan) {
  StudyOptions own = o;
  if (!own.gauge.lower && !own.gauge.upper) {
    own.gauge.lower = series.lower;
    own.gauge.upper = series.upper;
  }
  own.kind = plan.kind == StudyKind::crossed && plan.operators.size() == 1 ? "one-way" : name_of(plan.kind);
  if (series.certified && series.certified->value) {
    if (own.reference) throw std::invalid_argument("--reference: the study has recorded its certified value");
    own.reference = number_of(*series.certified->value);
    own.u_reference = series.certified->u;
  }
  // A stored value is measured: nobody has typed it.
  own.zero_is_a_value = true;
  return own;
}

std::string label_of(const StudySeries& s) {
  if (s.rated != quality::Rated::characteristic) return s.reference + " verdict";
  return fmt::format("{} {}{}", s.reference, name_of(s.characteristic),
                     s.parameter != 0 ? fmt::format(" {:g}", s.parameter) : "");
}

std::vector<StudySeries> chosen_series(const StudyFile& study, ResultStore& store,
                                       const std::string& component, const std::string& characteristic) {
  const quality::Rated rated = study.plan().rated;
  if ((rated == quality::Rated::board && !component.empty()) ||
      (rated != quality::Rated::characteristic && !characteristic.empty()))
    throw StudyRefused(fmt::format("the study rates each {}: leave --{} out", name_of(rated),
                                   characteristic.empty() ? "component" : "characteristic"));
  std::vector<StudySeries> all = series_of(study, store);
  std::erase_if(all, [&](const StudySeries& s) {
    return (!component.empty() && s.reference != component) ||
           (!characteristic.empty() && name_of(s.characteristic) != characteristic);
  });
  all = of_kind(std::move(all), study.plan());
  if (all.empty())
    throw StudyRefused(fmt::format("the study has no {}values{}",
                                   study.plan().references.empty() ? "" : "certified ",
                                   component.empty() ? "" : " of component '" + component + "'"));
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
  SolvedStudy out{status_text(study), {{"study", status_json(study)}, {"series", Json::array()}}, {}, {}};
  if (study.next()) out.text += "! the study is not complete: what is measured so far\n";
  Table table = gauge_table();
  bool has_rows = false;
  for (const StudySeries& s : all) {
    Json row{{"reference", s.reference}, {"package", s.package}};
    if (s.rated == quality::Rated::characteristic)
      row.update({{"characteristic", name_of(s.characteristic)}, {"parameter", s.parameter}});
    else
      row["rated"] = name_of(s.rated);
    const std::string what = label_of(s).substr(s.reference.size() + 1);
    try {
      const SolvedStudy one = solve_study(s.table, options_of(s, o, study.plan()));
      if (whole || all.size() == 1 || !one.gauge) out.text += fmt::format("\n{}\n{}", label_of(s), one.text);
      if (one.gauge) add_gauge_row(table, s, what, *one.gauge);
      has_rows |= one.gauge.has_value();
      row["result"] = one.json;
      if (all.size() == 1) out.gauge = one.gauge;
    } catch (const StudyRefused& error) {
      if (study.plan().kind == StudyKind::crossed || study.plan().kind == StudyKind::nested) {
        add_refused_row(table, s, what, error.what());
        has_rows = true;
      } else {
        out.text += fmt::format("\n{}\nrefused: {}\n", label_of(s), error.what());
      }
      row["refused"] = error.what();
    }
    out.json["series"].push_back(row);
  }
  if (has_rows) out.text += "\n" + table.text(false);
  return out;
}

Reproducibility reproducibility_of(const StudyPlace& place, const StudyOptions& o,
                                   const std::string& component) {
  const StudyFile study = StudyFile::open(place.studies(), place.id);
  const StudyKind kind = study.plan().kind;
  if (kind != StudyKind::crossed && kind != StudyKind::nested)
    throw StudyRefused(
        fmt::format("a {} study has no sigma GRR: a crossed or nested one has", name_of(kind)));
  if (study.next()) throw StudyRefused("the study is not complete: " + run_text(study, *study.next()));
  auto store = ResultStore::read_only(place.store_file());
  Reproducibility worst{place.id, "", -1};
  for (const StudySeries& s : chosen_series(study, store, component, "")) {
    if (s.table.unit != "um") continue;
    StudyOptions own = options_of(s, o, study.plan());
    own.gauge.intervals.draws = 0;
    const SolvedStudy one = solve_study(s.table, own);
    if (one.gauge->reml && !one.gauge->reml->converged)
      throw StudyRefused(label_of(s) + ": REML did not converge");
    if (one.gauge->sigma_gauge() > worst.um) worst = {place.id, label_of(s), one.gauge->sigma_gauge()};
  }
  if (worst.um < 0) throw StudyRefused("the study has no values in um");
  return worst;
}

}  // namespace datum
