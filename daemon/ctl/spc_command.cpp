// datumctl spc: charts and capability of what the store holds.
#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <memory>

#include "daemon/configuration/daemon_config.h"
#include "daemon/ctl/command_line.h"
#include "daemon/ctl/exit_status.h"
#include "daemon/ctl/study_files.h"
#include "daemon/quality/spc/spc_report.h"
#include "daemon/quality/spc/stored_series.h"
#include "daemon/store/result_export.h"
#include "daemon/version/version.h"

namespace datum {
namespace {

struct SpcOptions {
  std::string store, config = "/etc/datumd/datumd.toml", studies;
  std::string recipe, component, package, characteristic, from, to, distribution = "auto";
  bool frozen = false;
  quality::SpcSettings settings;
};

std::string named(const quality::SeriesBook& book) {
  std::string names;
  for (const auto& [key, series] : book.series())
    names += (names.empty() ? "" : "; ") + key.recipe + ": " + text_of(key);
  return names.empty() ? "nothing" : names.substr(0, 400);
}

quality::SpcReport report_of(const SpcOptions& o, const quality::SeriesBook& book,
                             const std::filesystem::path& store) {
  if (o.frozen && o.component.empty())
    throw std::invalid_argument(
        "--frozen is of one series: --component; datumctl chart history lists all hits");
  if (o.component.empty() && o.package.empty()) return spc_summary(book, o.settings);
  if (book.series().empty())
    throw std::invalid_argument(
        "no value of these in the store; datumctl spc without --component and --package lists what is there");
  if (o.component.empty()) {
    const auto& first = book.series().begin()->first;
    for (const auto& [key, series] : book.series())
      if (key.characteristic != first.characteristic || key.recipe != first.recipe ||
          key.parameter != first.parameter)
        throw std::invalid_argument("several recipes or characteristics: " + named(book) +
                                    "; choose by --recipe and --characteristic");
    return spc_package(book, first.recipe, o.package, first.characteristic, o.settings);
  }
  if (book.series().size() > 1)
    throw std::invalid_argument("several series: " + named(book) +
                                "; choose by --recipe and --characteristic");
  quality::SpcSettings settings = o.settings;
  const quality::SeriesKey& key = book.series().begin()->first;
  if (o.frozen) {
    settings.frozen = std::make_shared<const quality::FrozenLimits>(
        quality::read_limits(quality::limits_file(store, key.recipe)));
    settings.acknowledged = acknowledged_charts(store)[key.recipe];
  }
  return spc_chart(book, key, settings);
}

int run_spc(SpcOptions& o, bool json) {
  try {
    for (const auto d :
         {quality::Distribution::normal, quality::Distribution::lognormal, quality::Distribution::empirical})
      if (o.distribution == quality::name_of(d)) o.settings.distribution = d;
    quality::rule_set_of(o.settings.rules);
    ResultFilter results;
    if (!o.recipe.empty()) results.recipe = o.recipe;
    if (!o.from.empty()) results.from = from_bound(o.from);
    if (!o.to.empty()) results.before = before_bound(o.to);
    const std::filesystem::path file =
        o.store.empty() ? load_daemon_config(o.config).store : std::filesystem::path(o.store);
    auto store = ResultStore::read_only(file);
    quality::SeriesFilter filter{o.component, o.package, o.characteristic,
                                 !o.component.empty() || !o.package.empty()};
    filter.excluded = results_of_studies(studies_folder(file, o.studies), store.id());
    quality::SpcReport report = report_of(o, read_series(store, results, filter), file);
    report.json["code"] = code_id();
    report.json["confidence"] = o.settings.confidence;
    report.json["guard_k"] = o.settings.guard_k;
    if (json)
      fmt::print("{}\n", report.json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
    else
      fmt::print("{}", report.text);
    return good;
  } catch (const std::invalid_argument& error) {
    fmt::print(stderr, "datumctl: {}\n", error.what());
    return usage;
  } catch (const quality::LimitsRefused& error) {
    fmt::print(stderr, "datumctl: refused: {}\n", error.what());
    return usage;
  }
}

}  // namespace

void add_spc_command(CommandLine& line) {
  auto o = std::make_shared<SpcOptions>();
  auto* command = line.leaf(line.app, "spc",
                            "control charts and capability of stored values: a line for each component and "
                            "characteristic, or with --component or "
                            "--package its charts, rules that are hit and intervals",
                            [&line, o] { return run_spc(*o, line.json); });
  auto& s = o->settings;
  command->add_option("--recipe", o->recipe, "only this recipe's results");
  command->add_option("--component", o->component, "charts of this component");
  command->add_option(
      "--package", o->package,
      "charts of boards' means and of the spread within a board, of components with this package");
  command->add_option("--characteristic", o->characteristic, "only this one, such as median");
  command->add_option("--from", o->from, "measured at this time or later: 2026-01-31, 2026-01-31T10:00:00Z");
  command->add_option("--to", o->to, "measured before this time, or on this date");
  command->add_flag("--all-segments", s.all_segments,
                    "also the segments before the newest change of recipe, calibration or code");
  command
      ->add_option("--rules", s.rules,
                   "numbers of Nelson's rules such as 1,2,5; nelson: all; western-electric")
      ->capture_default_str();
  command->add_flag(
      "--frozen", o->frozen,
      "with --component: also the hits of the recipe's frozen limits (datumctl chart freeze), as the running "
      "cell finds them");
  command
      ->add_option("--baseline", s.baseline, "limits from the first so many values of a segment; 0: from all")
      ->capture_default_str();
  command
      ->add_option("--subgroup", s.subgroup,
                   "so many successive boards form a subgroup; 1: individuals alone")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_flag("--ranges", s.by_range, "subgroups by ranges in place of standard deviations");
  command->add_option("--lambda", s.lambda, "weight of EWMA")
      ->check(CLI::Range(0.01, 1.0))
      ->capture_default_str();
  command->add_option("--width", s.width, "of EWMA's limits, in its standard deviations")
      ->check(CLI::Range(0.5, 10.0))
      ->capture_default_str();
  command->add_option("--cusum-k", s.k, "slack of CUSUM in sigma")
      ->check(CLI::Range(0.01, 5.0))
      ->capture_default_str();
  command->add_option("--cusum-h", s.h, "limit of CUSUM in sigma")
      ->check(CLI::Range(0.5, 50.0))
      ->capture_default_str();
  command->add_flag("--head-start", s.head_start, "CUSUM begins at half its limit");
  command->add_option("--confidence", s.confidence, "of intervals")
      ->check(CLI::Range(0.5, 0.9999))
      ->capture_default_str();
  command
      ->add_option("--guard-k", s.guard_k,
                   "of the guard band k u of Ppk_gb, u the largest stated one of a segment")
      ->check(CLI::Range(0.1, 10.0))
      ->capture_default_str();
  command
      ->add_option("--distribution", o->distribution,
                   "of the indices; auto: lognormal of tilt, forms and bow, else normal")
      ->transform(CLI::IsMember({"auto", "normal", "lognormal", "empirical"}, CLI::ignore_case))
      ->capture_default_str();
  command->add_option("--largest-invalid-share", s.largest_invalid_share, "above it an index is refused")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  line.offer(command->add_option("--studies", o->studies,
                                 "folder of studies, whose results are left out (default: beside the store)"),
             Offer::files);
  line.offer(
      command->add_option("--store", o->store, "the store itself (default: what the configuration names)"),
      Offer::files);
  line.offer(command->add_option("--config", o->config, "configuration of the daemon")->capture_default_str(),
             Offer::files);
  line.add_json(*command, "all as JSON, with the points of a chart");
}

}  // namespace datum
