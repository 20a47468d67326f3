// datumctl study: gauge studies, from a table or measured through the cell.
#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <fstream>
#include <memory>
#include <sstream>

#include "config/toml_reader.h"
#include "daemon/ctl/command_line.h"
#include "daemon/ctl/dialogue.h"
#include "daemon/ctl/exit_status.h"
#include "daemon/ctl/measured_study.h"
#include "daemon/ctl/study_live.h"
#include "daemon/ctl/study_solve.h"
#include "daemon/version/version.h"

namespace datum {
namespace {

constexpr std::uintmax_t most_bytes = 256 << 20;

std::string bytes_of(const std::string& file) {
  std::error_code error;
  const auto bytes = std::filesystem::file_size(file, error);
  if (error) throw std::invalid_argument(file + ": " + error.message());
  if (bytes > most_bytes)
    throw std::invalid_argument(fmt::format("{}: {} bytes; at most {} are read", file, bytes, most_bytes));
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

void print_solved(const SolvedStudy& solved, bool json) {
  if (!json) {
    fmt::print("{}", solved.text);
    return;
  }
  nlohmann::ordered_json out = solved.json;
  out["code"] = code_id();
  fmt::print("{}\n", out.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

struct SolveOptions {
  StudyOptions study;
  StudyPlace place;
  std::string component, characteristic;
};

void solve(const SolveOptions& o, bool whole, bool json) {
  if (o.place.id.empty() == o.study.csv.empty())
    throw std::invalid_argument("either the id of a study, or --csv FILE");
  if (!o.place.id.empty()) {
    if (o.study.kind != "crossed")
      throw std::invalid_argument("--kind is of tables: a measured study has the kind of its plan");
    if (!o.study.without.empty())
      throw std::invalid_argument("--without is of tables: a study's results stay as they were measured");
    print_solved(solve_live(o.place, o.study, o.component, o.characteristic, whole), json);
    return;
  }
  print_solved(solve_study(quality::read_study_table(bytes_of(o.study.csv), o.study.csv, o.study.unit,
                                                     o.study.encoding),
                           o.study),
               json);
}

}  // namespace

int guarded_study(const std::function<void()>& run) {
  try {
    run();
    return good;
  } catch (const config::ConfigError&) {
    throw;
  } catch (const StoreError&) {
    throw;
  } catch (const RefusedCommand&) {
    throw;
  } catch (const std::system_error& error) {
    fmt::print(stderr, "datumctl: {}; nothing was recorded\n", error.what());
    return not_written;
  } catch (const quality::StudyRefused& error) {
    fmt::print(stderr, "datumctl: refused: {}\n", error.what());
  } catch (const std::invalid_argument& error) {
    fmt::print(stderr, "datumctl: {}\n", error.what());
  } catch (const std::overflow_error&) {
    fmt::print(
        stderr,
        "datumctl: values are too large for exact sums: at most 1e18 of the last decimal, and 1e9 of them\n");
  }
  return usage;
}

namespace {

void add_solve_options(CLI::App& command, StudyOptions& o) {
  command
      .add_option("--kind", o.kind, "of the study; one-way: parts alone, nested: parts of one operator each")
      ->transform(CLI::IsMember(
          {"crossed", "nested", "one-way", "type1", "bias", "linearity", "stability", "attribute"},
          CLI::ignore_case))
      ->capture_default_str();
  command.add_option("--lower", o.gauge.lower, "specification limit, in the values' unit");
  command.add_option("--upper", o.gauge.upper, "specification limit");
  command
      .add_option("--tolerance-sigmas", o.gauge.tolerance_sigmas,
                  "k of %tolerance = 100 k sigma / (upper - lower)")
      ->check(CLI::Range(1.0, 12.0))
      ->capture_default_str();
  command
      .add_option("--process-sigma", o.gauge.process_sigma,
                  "a known standard deviation of the process: adds %process")
      ->check(CLI::PositiveNumber);
  command
      .add_option("--alpha-pool", o.gauge.alpha_pool,
                  "the interaction is pooled where its p-value is above this; both tables are printed")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  command.add_option("--confidence", o.gauge.intervals.confidence, "of all intervals")
      ->check(CLI::Range(0.5, 0.9999))
      ->capture_default_str();
  command.add_option("--draws", o.gauge.intervals.draws, "of generalised intervals; 0: none")
      ->check(CLI::Range(0, 10'000'000))
      ->capture_default_str();
  command.add_option("--seed", o.gauge.intervals.seed, "of these draws")->capture_default_str();
  command.add_flag("--satterthwaite", o.gauge.satterthwaite,
                   "also prints this interval of GRR, which covers less than it says");
  command.add_option("--good-percent", o.gauge.good_percent, "a gauge below it is good")
      ->check(CLI::Range(0.0, 100.0))
      ->capture_default_str();
  command.add_option("--poor-percent", o.gauge.poor_percent, "a gauge above it is not acceptable")
      ->check(CLI::Range(0.0, 100.0))
      ->capture_default_str();
  command.add_option("--without", o.without,
                     "PART/OPERATOR/N: prints the result without this reading beside the whole one");
  command.add_option("--reference", o.reference,
                     "value of the master, of type1 and bias; target of stability's CUSUM");
  command.add_option("--u-reference", o.u_reference, "its standard uncertainty")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  command.add_option("--resolution", o.resolution, "of the gauge, of type1")->check(CLI::PositiveNumber);
  command.add_option("--percent", o.percent, "K of Cg = K / 100 T / (L s)")
      ->check(CLI::Range(1.0, 100.0))
      ->capture_default_str();
  command.add_option("--sigmas", o.sigmas, "L of Cg")->check(CLI::Range(1.0, 12.0))->capture_default_str();
  command
      .add_option("--baseline", o.baseline,
                  "limits of a stability study from its first so many subgroups; 0: from all")
      ->capture_default_str();
  command.add_flag("--by-range", o.by_range, "its sigma from ranges in place of standard deviations");
  command.add_option("--cusum-k", o.cusum_k, "slack of stability's CUSUM in sigma of a mean")
      ->check(CLI::Range(0.01, 5.0))
      ->capture_default_str();
  command.add_option("--cusum-h", o.cusum_h, "its limit")
      ->check(CLI::Range(0.5, 50.0))
      ->capture_default_str();
  command.add_option("--wanted", o.wanted, "least Cg and Cgk")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command.add_flag("--zero-is-a-value", o.zero_is_a_value,
                   "takes a value 0 that is far from all others, which else is refused");
}

void add_solving(CommandLine& line, CLI::App& study, const char* name, const char* words, bool whole) {
  auto o = std::make_shared<SolveOptions>();
  auto* command = line.leaf(
      study, name, words, [&line, o, whole] { return guarded_study([&] { solve(*o, whole, line.json); }); });
  command->add_option("id", o->place.id, "of a study that the cell measured");
  if (!whole) {
    line.offer(
        command->add_option(
            "--csv", o->study.csv,
            "a table with a head line in its place: part,operator,trial,value_um; attribute studies: "
            "part,appraiser,trial,decision,reference; linearity: reference_um; stability: measured_at"),
        Offer::files);
    command->add_option("--encoding", o->study.encoding,
                        "of the table, such as cp1252 (default: UTF-8, or UTF-16 by its mark)");
    command->add_option("--unit", o->study.unit, "of the table's values, where it does not say it")
        ->transform(CLI::IsMember({"um", "mm", "mdeg", "permille", "percent"}, CLI::ignore_case));
  }
  command->add_option("--component", o->component, "of a measured study, only this one");
  command->add_option("--characteristic", o->characteristic, "only this one, such as median");
  add_solve_options(*command, o->study);
  add_place_options(line, *command, o->place);
  line.add_json(*command);
}

}  // namespace

void add_study_commands(CommandLine& line) {
  auto* all =
      line.app.add_subcommand("study", "gauge studies: repeatability, bias, linearity, stability, agreement");
  all->require_subcommand(1);
  add_live_study_commands(line, *all);
  add_solving(line, *all, "solve",
              "solves a measured study, one component in full or all in a table; or a table of readings",
              false);
  add_solving(line, *all, "report",
              "a measured study in full: its plan, INVALID results, and both tables of each component", true);
}

}  // namespace datum
