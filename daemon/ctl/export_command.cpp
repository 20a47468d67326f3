// datumctl export: stored results for other programs, with or without a running daemon.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <stdexcept>

#include "daemon/configuration/daemon_config.h"
#include "daemon/ctl/command_line.h"
#include "daemon/ctl/exit_status.h"
#include "daemon/ctl/qif_study.h"
#include "daemon/exchange/aqdef.h"
#include "daemon/exchange/qif.h"
#include "daemon/pictures/part_file.h"
#include "daemon/store/result_export.h"

namespace datum {
namespace {

struct ExportOptions {
  std::string store, config = "/etc/datumd/datumd.toml";
  std::string format = "csv", rows = "components", output;
  std::string from, to, recipe, recipe_sha256, unit, board, decision;
  bool statistics = false;
};

ResultFilter filter_of(const ExportOptions& o) {
  ResultFilter filter;
  for (const auto d : {Decision::pass, Decision::inconclusive, Decision::fail, Decision::invalid})
    if (o.decision == name_of(d)) filter.decision = d;
  if (!o.recipe.empty()) filter.recipe = o.recipe;
  if (!o.unit.empty()) filter.unit_id = o.unit;
  if (!o.board.empty()) filter.board_serial = o.board;
  if (!o.from.empty()) filter.from = from_bound(o.from);
  if (!o.to.empty()) filter.before = before_bound(o.to);
  return filter;
}

void to_stdout(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size())
    throw std::runtime_error("stdout: can't be written");
}

/// Results of products that a file of one recipe holds. `last`: those that were stored later are left out; 0: none are.
void each_product(ResultStore& store, const ResultFilter& filter, const std::string& recipe_sha256,
                  std::uint64_t last,
                  const std::function<void(const StoredResult&, const BoardVerdict&)>& see) {
  for_each_result(store, filter, [&](const StoredResult& result) {
    if (last != 0 && result.sequence > last) return false;
    const BoardVerdict verdict = result.verdict();
    if (verdict.recipe_sha256.starts_with(recipe_sha256) && !is_artefact(verdict)) see(result, verdict);
    return last == 0 || result.sequence < last;
  });
}

void count(Exported& done, const BoardVerdict& verdict) {
  if (done.results++ == 0) done.first = verdict.sequence;
  done.last = verdict.sequence;
}

/// Two passes: a file describes its characteristics before their values.
Exported export_aqdef(ResultStore& store, const ResultFilter& filter, const std::string& recipe_sha256,
                      const std::function<void(const std::string&)>& write_description,
                      const std::function<void(const std::string&)>& write_values) {
  AqdefFile file;
  Exported done;
  each_product(store, filter, recipe_sha256, 0, [&](const StoredResult&, const BoardVerdict& verdict) {
    file.describe(verdict);
    count(done, verdict);
  });
  write_description(file.description());
  each_product(store, filter, recipe_sha256, done.last,
               [&](const StoredResult&, const BoardVerdict& verdict) { write_values(file.values(verdict)); });
  return done;
}

/// The description as NAME.dfd and the values as NAME.dfx: a converter that finds the description finds the values, too.
Exported export_apart(ResultStore& store, const ResultFilter& filter, const ExportOptions& o) {
  const std::filesystem::path description = o.output,
                              values = std::filesystem::path(o.output).replace_extension(".dfx");
  PartFile dfd(description), dfx(values);
  const Exported done = export_aqdef(
      store, filter, o.recipe_sha256, [&](const std::string& text) { dfd.write(text); },
      [&](const std::string& text) { dfx.write(text); });
  dfx.finish();
  dfd.finish();
  return done;
}

/// Three passes, for QIF lists the boards behind their measurements, and one for statistics.
Exported export_qif(ResultStore& store, const ResultFilter& filter, const ExportOptions& o,
                    const std::filesystem::path& path, const std::function<void(const std::string&)>& write) {
  const std::string& recipe_sha256 = o.recipe_sha256;
  QifFile file;
  Exported done;
  each_product(store, filter, recipe_sha256, 0, [&](const StoredResult& result, const BoardVerdict& verdict) {
    file.describe(result, verdict);
    count(done, verdict);
  });
  write(file.begin(o.statistics));
  each_product(store, filter, recipe_sha256, done.last,
               [&](const StoredResult&, const BoardVerdict& verdict) { write(file.result(verdict)); });
  write(file.components());
  each_product(store, filter, recipe_sha256, done.last,
               [&](const StoredResult&, const BoardVerdict& verdict) { write(file.component(verdict)); });
  if (o.statistics)
    write_qif_study(
        file,
        [&](const auto& see) {
          each_product(store, filter, recipe_sha256, done.last,
                       [&](const StoredResult&, const BoardVerdict& verdict) { see(verdict); });
        },
        path, store.id(), write);
  write(file.end());
  return done;
}

int run_export(const ExportOptions& o) {
  const ExportRows rows = o.format == "jsonl"  ? ExportRows::json_lines
                          : o.rows == "boards" ? ExportRows::boards
                                               : ExportRows::components;
  try {
    if (!o.recipe_sha256.empty() && o.format != "aqdef" && o.format != "qif")
      throw std::invalid_argument("--recipe-sha256 is of --format aqdef and qif");
    if (o.statistics && o.format != "qif") throw std::invalid_argument("--statistics is of --format qif");
    if (o.statistics && !(o.unit + o.board + o.decision).empty())
      throw std::invalid_argument(
          "--statistics of results chosen by --unit, --board or --decision would not be those of the "
          "process");
    const ResultFilter filter = filter_of(o);
    const std::filesystem::path path =
        o.store.empty() ? load_daemon_config(o.config).store : std::filesystem::path(o.store);
    auto store = ResultStore::read_only(path);
    Exported done;
    const auto export_to = [&](const std::function<void(const std::string&)>& write) {
      done = o.format == "aqdef" ? export_aqdef(store, filter, o.recipe_sha256, write, write)
             : o.format == "qif" ? export_qif(store, filter, o, path, write)
                                 : export_results(store, filter, rows, write);
    };
    if (o.format == "aqdef" && o.output.ends_with(".dfd")) {
      done = export_apart(store, filter, o);
    } else if (o.output.empty()) {
      export_to(to_stdout);
      if (std::fflush(stdout) != 0) throw std::runtime_error("stdout: can't be written");
    } else {
      PartFile file(o.output);
      export_to([&](const std::string& text) { file.write(text); });
      file.finish();
    }
    fmt::print(stderr, "{} results{}\n", done.results,
               done.results == 0 ? "" : fmt::format(", {} to {}", done.first, done.last));
    return good;
  } catch (const std::invalid_argument& error) {
    fmt::print(stderr, "datumctl: {}\n", error.what());
    return usage;
  } catch (const StoreError&) {
    throw;
  } catch (const config::ConfigError&) {
    throw;
  } catch (const std::runtime_error& error) {
    fmt::print(stderr, "datumctl: {}; nothing was exported\n", error.what());
    return not_written;
  }
}

}  // namespace

void add_export_command(CommandLine& line) {
  auto o = std::make_shared<ExportOptions>();
  auto* command =
      line.leaf(line.app, "export", "stored results as CSV, JSON lines, AQDEF or QIF, oldest first",
                [o] { return run_export(*o); });
  command
      ->add_option(
          "--format", o->format,
          "csv; jsonl: the verdicts as stored, with their chain's hashes; aqdef: a DFQ file (Q-DAS), or with "
          "--output "
          "NAME.dfd its description there and its values in NAME.dfx; qif: a "
          "QIFDocument (QIF 3.0), each of one recipe's results, where a byte beyond printable ASCII is %XX")
      ->transform(CLI::IsMember({"csv", "jsonl", "aqdef", "qif"}, CLI::ignore_case))
      ->capture_default_str();
  command
      ->add_option("--rows", o->rows,
                   "of csv: components, one for each and each of its characteristics, or boards")
      ->transform(CLI::IsMember({"components", "boards"}, CLI::ignore_case))
      ->capture_default_str();
  command->add_option("--from", o->from, "measured at this time or later: 2026-01-31, 2026-01-31T10:00:00Z");
  command->add_option("--to", o->to, "measured before this time, or on this date");
  command->add_option("--recipe", o->recipe, "only this recipe's");
  command->add_option("--recipe-sha256", o->recipe_sha256,
                      "of aqdef and qif: only of the recipe text with this SHA-256, or its first digits");
  command->add_flag(
      "--statistics", o->statistics,
      "of qif: capability of each characteristic behind the results, as datumctl spc computes it");
  command->add_option("--unit", o->unit, "only this board's");
  command->add_option("--board", o->board, "only this board's, and panels that hold it");
  command->add_option("--decision", o->decision, "only these")
      ->transform(CLI::IsMember({"PASS", "INCONCLUSIVE", "FAIL", "INVALID"}, CLI::ignore_case));
  line.offer(
      command->add_option("--output", o->output, "file, which appears whole or not at all (default: stdout)"),
      Offer::files);
  line.offer(
      command->add_option("--store", o->store, "the store itself (default: what the configuration names)"),
      Offer::files);
  line.offer(command->add_option("--config", o->config, "configuration of the daemon")->capture_default_str(),
             Offer::files);
}

}  // namespace datum
