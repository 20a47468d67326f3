// datumctl chart freeze: control limits from results of phase 1.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <chrono>
#include <memory>
#include <system_error>

#include "config/utc_time.h"
#include "daemon/configuration/daemon_config.h"
#include "daemon/ctl/command_line.h"
#include "daemon/ctl/exit_status.h"
#include "daemon/ctl/study_files.h"
#include "daemon/inspection/recipe/recipe_store.h"
#include "daemon/quality/spc/frozen.h"
#include "daemon/quality/spc/run_rules.h"
#include "daemon/quality/spc/stored_series.h"

namespace datum {
namespace {

struct FreezeOptions {
  std::string recipe, by, store, config = "/etc/datumd/datumd.toml", studies, recipes;
  std::vector<std::string> without;
  quality::FreezeOrder order;
};

constexpr std::size_t most_lines = 20;

/// "312=wrong nozzle".
quality::RemovedResult removed_of(const std::string& text) {
  const std::size_t at = text.find('=');
  quality::RemovedResult r;
  const auto [end, error] = std::from_chars(text.data(), text.data() + std::min(at, text.size()), r.sequence);
  if (at == std::string::npos || error != std::errc() || end != text.data() + at)
    throw std::invalid_argument("--without " + text +
                                ": wanted: a result and its cause, such as 312=\"wrong nozzle\"");
  r.cause = text.substr(at + 1);
  return r;
}

ChartRules rules_of(const FreezeOptions& o, const DaemonConfig* config, std::string& sha256) {
  const RecipeStore recipes(o.recipes.empty() ? config->recipes : std::filesystem::path(o.recipes));
  const Recipe* recipe = recipes.find(o.recipe);
  if (!recipe)
    throw std::invalid_argument("no usable recipe '" + o.recipe + "'; datumctl recipe check says why");
  if (!recipe->charts)
    throw std::invalid_argument("recipe '" + o.recipe +
                                "' has no table [control_charts], whose rules watch the limits");
  sha256 = recipe->sha256;
  return *recipe->charts;
}

/// Nelson's rules together, EWMA and CUSUM each by itself.
void print_false_alarms(const quality::FrozenLimits& l) {
  const auto each = [&](const std::string& what, double length) {
    fmt::print("{}: a false alarm each {:.0f} points of a series, each {:.1f} boards of all\n", what, length,
               length / static_cast<double>(l.series.size()));
  };
  quality::RuleSet nelson = quality::chart_rule_set_of(l.rules);
  nelson.rules.erase(quality::ewma_rule);
  nelson.rules.erase(quality::cusum_rule);
  if (!nelson.rules.empty())
    each(fmt::format("rules {}", fmt::join(nelson.rules, ",")), quality::run_length_of_rules(nelson, 5'000));
  if (const auto& e = l.drift.ewma)
    each(fmt::format("EWMA lambda {:g}, width {:g}", e->lambda, e->width),
         quality::run_length_of_ewma(e->lambda, e->width));
  if (const auto& c = l.drift.cusum)
    each(fmt::format("CUSUM k {:g}, h {:g}{}", c->k, c->h, c->head_start ? ", head start" : ""),
         quality::run_length_of_cusum(c->k, c->h, 0, c->head_start));
  if (!l.disarm.empty()) fmt::print("rules {} disarm the cell\n", l.disarm);
}

void print(const quality::Frozen& f, const std::filesystem::path& file) {
  const quality::FrozenLimits& l = f.limits;
  fmt::print("{}: limits {} of {} series, results {} to {} ({}), {} left out\n", file.string(), l.id,
             l.series.size(), l.first, l.last, l.results, l.removed.size());
  print_false_alarms(l);
  std::size_t lines = 0;
  for (const auto& r : f.refused)
    if (lines++ < most_lines) fmt::print("! {}: no limits: {}\n", text_of(r.key), r.why);
  for (const auto& h : f.hits)
    if (lines++ < most_lines)
      fmt::print(
          "! {}: rule {} is hit within phase 1, results {} to {}: find the cause, then --without "
          "RESULT=CAUSE\n",
          text_of(h.key), quality::rule_name(h.rule), h.first, h.last);
  if (lines > most_lines) fmt::print("! {} more such lines\n", lines - most_lines);
}

int run_freeze(FreezeOptions& o) {
  try {
    std::optional<DaemonConfig> config;
    if (o.store.empty() || o.recipes.empty()) config = load_daemon_config(o.config);
    const std::filesystem::path store_file = o.store.empty() ? config->store : std::filesystem::path(o.store);
    std::string sha256;
    o.order.recipe = o.recipe;
    o.order.by = o.by;
    o.order.rules = rules_of(o, config ? &*config : nullptr, sha256);
    o.order.removed.clear();
    for (const std::string& text : o.without) o.order.removed.push_back(removed_of(text));
    const auto now =
        std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch())
            .count();
    o.order.at = iso8601_from_utc(now);
    auto store = ResultStore::read_only(store_file);
    ResultFilter results;
    results.recipe = o.recipe;
    quality::SeriesFilter filter;
    filter.keep_points = true;
    filter.excluded = results_of_studies(studies_folder(store_file, o.studies), store.id());
    quality::Frozen frozen = freeze(read_series(store, results, filter), o.order);
    quality::FrozenLimits& limits = frozen.limits;
    if (limits.recipe_sha256 != sha256)
      throw quality::LimitsRefused("results " + std::to_string(limits.first) + " to " +
                                   std::to_string(limits.last) +
                                   " were made by another text of the recipe than that in the folder");
    limits.id = limits.at;
    std::erase_if(limits.id, [](char c) { return c == '-' || c == ':'; });
    if (const auto newest = store.get(limits.last)) limits.calibration = newest->verdict().calibration;
    const auto file = quality::limits_file(store_file, o.recipe);
    write_limits(file, limits);
    print(frozen, file);
    return good;
  } catch (const std::invalid_argument& error) {
    fmt::print(stderr, "datumctl: {}\n", error.what());
    return usage;
  } catch (const quality::LimitsRefused& error) {
    fmt::print(stderr, "datumctl: refused: {}\n", error.what());
    return usage;
  } catch (const std::system_error& error) {
    fmt::print(stderr, "datumctl: {}; the former limits stay\n", error.what());
    return not_written;
  }
}

}  // namespace

void add_chart_freeze(CommandLine& line, CLI::App& chart) {
  auto o = std::make_shared<FreezeOptions>();
  auto* command = line.leaf(
      chart, "freeze",
      "control limits of a recipe from its results (phase 1), which its rules watch from the next one on",
      [o] { return run_freeze(*o); });
  line.offer(command->add_option("recipe", o->recipe, "whose [control_charts] name the rules")->required(),
             Offer::recipes);
  command->add_option("--by", o->by, "who freezes them")->required();
  command->add_option("--first", o->order.first,
                      "result with which phase 1 begins (default: of the newest segment)");
  command->add_option("--last", o->order.last, "result with which it ends (default: the newest)");
  command->add_option("--without", o->without, "RESULT=CAUSE: left out of phase 1, and why");
  command->add_option("--least", o->order.least, "values that a series must have")
      ->check(CLI::Range(2, 1'000'000))
      ->capture_default_str();
  line.offer(command->add_option("--recipes", o->recipes,
                                 "folder of the recipes (default: what the configuration names)"),
             Offer::files);
  line.offer(command->add_option("--studies", o->studies,
                                 "folder of studies, whose results are left out (default: beside the store)"),
             Offer::files);
  line.offer(
      command->add_option("--store", o->store, "the store itself (default: what the configuration names)"),
      Offer::files);
  line.offer(command->add_option("--config", o->config, "configuration of the daemon")->capture_default_str(),
             Offer::files);
}

}  // namespace datum
