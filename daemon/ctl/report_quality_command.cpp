// datumctl report spc, study: pages of charts and of gauge studies.
#include "daemon/ctl/report_quality_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "daemon/configuration/daemon_config.h"
#include "daemon/ctl/exit_status.h"
#include "daemon/ctl/measured_study.h"
#include "daemon/ctl/report_file.h"
#include "daemon/ctl/study_text.h"
#include "daemon/quality/spc/stored_series.h"
#include "daemon/report/page_template.h"
#include "daemon/report/plot.h"
#include "daemon/report/spc_page.h"
#include "daemon/report/stability_page.h"
#include "daemon/report/study_page.h"
#include "daemon/store/result_export.h"
#include "daemon/version/version.h"

namespace datum {
namespace {

constexpr std::size_t most_sections = 20;  // of one page: each has several charts

struct QualityReport {
  StudyPlace place;  // store, configuration, studies, and the id of a study
  std::string output, component, characteristic, from, to, distribution = "auto";
  std::string recipe;
  quality::SpcSettings settings;
  StudyOptions study;
};

void write_page(const QualityReport& o, const std::string& title, const std::string& body,
                const std::string& footer) {
  PageFrame frame;
  frame.title = title;
  frame.footer = footer + "; " + code_id();
  write_report(o.output, whole_page(frame, heading(1, title) + body));
}

void write_spc(QualityReport& o) {
  for (const auto d :
       {quality::Distribution::normal, quality::Distribution::lognormal, quality::Distribution::empirical})
    if (o.distribution == quality::name_of(d)) o.settings.distribution = d;
  quality::rule_set_of(o.settings.rules);
  ResultFilter results;
  results.recipe = o.recipe;
  if (!o.from.empty()) results.from = from_bound(o.from);
  if (!o.to.empty()) results.before = before_bound(o.to);
  const auto file = o.place.store_file();
  auto store = ResultStore::read_only(file);
  const bool with_charts = !o.component.empty();
  quality::SeriesFilter filter{o.component, "", o.characteristic, with_charts};
  filter.excluded = results_of_studies(o.place.studies(), store.id());
  const quality::SeriesBook book = read_series(store, results, filter);
  if (book.series().empty())
    throw std::invalid_argument("no value of these in the store; nothing was written");
  if (with_charts && book.series().size() > most_sections)
    throw std::invalid_argument(fmt::format("{} series: a page has at most {}; choose by --characteristic",
                                            book.series().size(), most_sections));
  std::string body = paragraph("Recipe " + o.recipe + (o.from.empty() ? "" : ", from " + o.from) +
                                   (o.to.empty() ? "" : ", to " + o.to),
                               "choice");
  body += spc_overview(spc_summary(book, o.settings));
  if (!with_charts)
    body +=
        paragraph("Charts of a component: datumctl report spc RECIPE --component REFERENCE --output FILE.");
  std::size_t n = 0;
  if (with_charts)
    for (const auto& [key, series] : book.series())
      body += spc_section(spc_chart(book, key, o.settings), fmt::format("s{}", ++n));
  write_page(o, "Charts and capability of " + o.recipe, body, "Store " + store.id());
}

std::string solved_section(const std::string& title, const SolvedStudy& solved, const std::string& unit,
                           const std::string& id) {
  if (solved.gauge) return study_section(title, *solved.gauge, id);
  if (solved.stability) return stability_section(title, *solved.stability, unit, solved.text, id);
  return told_section(title, solved.text);
}

void write_study(QualityReport& o) {
  const auto study = quality::StudyFile::open(o.place.studies(), o.place.id);
  auto store = ResultStore::read_only(o.place.store_file());
  const auto all = chosen_series(study, store, o.component, o.characteristic);
  if (all.size() > most_sections)
    throw std::invalid_argument(
        fmt::format("{} series: a page has at most {}; choose by --component or --characteristic", all.size(),
                    most_sections));
  const quality::StudyPlan& p = study.plan();
  std::string body = paragraph(fmt::format("Plan: {}; {} results for {} runs.", plan_text(p),
                                           study.records().size(), study.runs().size()),
                               "plan");
  if (study.next())
    body += paragraph("The study is not complete: this is what is measured so far.", "incomplete");
  std::size_t n = 0;
  for (const StudySeries& s : all) {
    const std::string id = fmt::format("s{}", ++n);
    try {
      body += solved_section(label_of(s), solve_study(s.table, options_of(s, o.study, p)), s.table.unit, id);
    } catch (const quality::StudyRefused& error) {
      body += heading(2, label_of(s)) + paragraph(fmt::format("Refused: {}", error.what()));
    }
  }
  NumberTable records(
      "records", "Results in the order of measurement, INVALID ones too.",
      {"run", "part", "operator", "trial", "attempt", "result", "decision", "entry of the chain"});
  for (const quality::StudyRecord& r : study.records()) {
    const quality::PlannedRun& run = study.runs()[r.run];
    records.row(std::to_string(r.run + 1))
        .text(run.part)
        .text(run.op)
        .text(std::to_string(run.trial))
        .text(std::to_string(r.attempt));
    records.text(std::to_string(r.result)).text(r.decision).text(r.chain_sha256);
  }
  write_page(o, "Gauge study " + p.id, body + heading(2, "Results") + records.html(), "Store " + store.id());
}

void add_common(CommandLine& line, CLI::App& command, QualityReport& o) {
  line.offer(
      command
          .add_option("-o,--output", o.output,
                      "the file, .html or .pdf, which appears whole or not at all; a PDF needs Chromium")
          ->required(),
      Offer::files);
  command.add_option("--characteristic", o.characteristic, "only this one, such as median");
  add_place_options(line, command, o.place);
}

}  // namespace

void add_quality_report_commands(CommandLine& line, CLI::App& report) {
  auto s = std::make_shared<QualityReport>();
  auto* spc = line.leaf(
      report, "spc",
      "charts and capability of a recipe's values: all series in a table, or the charts of one component",
      [s] { return guarded_study([&] { write_spc(*s); }); });
  spc->add_option("recipe", s->recipe, "name of the recipe")->required();
  spc->add_option("--component", s->component, "charts of this component");
  spc->add_option("--from", s->from, "measured at this time or later: 2026-01-31, 2026-01-31T10:00:00Z");
  spc->add_option("--to", s->to, "measured before this time, or on this date");
  spc->add_option("--rules", s->settings.rules,
                  "numbers of Nelson's rules such as 1,2,5; nelson: all; western-electric")
      ->capture_default_str();
  spc->add_option("--baseline", s->settings.baseline,
                  "limits from the first so many values of a segment; 0: from all")
      ->capture_default_str();
  spc->add_option("--confidence", s->settings.confidence, "of intervals")
      ->check(CLI::Range(0.5, 0.9999))
      ->capture_default_str();
  spc->add_option("--distribution", s->distribution,
                  "of the indices; auto: lognormal of tilt, forms and bow, else normal")
      ->transform(CLI::IsMember({"auto", "normal", "lognormal", "empirical"}, CLI::ignore_case))
      ->capture_default_str();
  spc->add_flag("--all-segments", s->settings.all_segments,
                "also the segments before the newest change of recipe, calibration or code");
  add_common(line, *spc, *s);
  auto t = std::make_shared<QualityReport>();
  auto* study = line.leaf(report, "study",
                          "a measured gauge study in its six panels, or a stability study in its charts",
                          [t] { return guarded_study([&] { write_study(*t); }); });
  study->add_option("id", t->place.id, "of the study")->required();
  study->add_option("--component", t->component, "only this component");
  study
      ->add_option("--baseline", t->study.baseline,
                   "limits of a stability study from its first so many subgroups; 0: from all")
      ->capture_default_str();
  add_common(line, *study, *t);
}

}  // namespace datum
