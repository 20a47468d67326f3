// datumctl report calibration: pages of the calibrations of a folder.
#include "daemon/ctl/report_calibration_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <ctime>
#include <memory>
#include <set>
#include <stdexcept>

#include "calib/calibration_store.h"
#include "config/utc_time.h"
#include "daemon/configuration/daemon_config.h"
#include "daemon/ctl/exit_status.h"
#include "daemon/ctl/report_file.h"
#include "daemon/report/calibration_section.h"
#include "daemon/report/page_template.h"
#include "daemon/report/plot.h"
#include "daemon/version/version.h"

namespace datum {
namespace {

struct CalibrationReport {
  std::string which;  // an id, or "current"
  std::string config = "/etc/datumd/datumd.toml", folder, output;
};

std::filesystem::path folder_of(const CalibrationReport& o) {
  if (!o.folder.empty()) return o.folder;
  const DaemonConfig config = load_daemon_config(o.config);
  if (config.calibrations.empty())
    throw std::invalid_argument(o.config +
                                " names no inspection.calibrations_folder; wanted: --folder with the folder");
  return config.calibrations;
}

/// The chosen one, or the current one of each sensor and each position of its head.
std::vector<const Calibration*> chosen(const CalibrationStore& store, const std::string& which) {
  if (which != "current") return {&store.find(which)};
  if (!store.journal_problem().empty()) throw CalibrationError(store.journal_problem());
  std::set<std::pair<std::string, std::string>> places;
  for (const JournalEntry& e : store.journal().entries()) places.emplace(e.sensor_serial, e.from);
  std::vector<const Calibration*> all;
  for (const auto& [sensor, from] : places)
    if (const auto current = store.journal().current("machine", from, sensor))
      all.push_back(&store.find(current->calibration));
  return all;
}

int write_calibrations(const CalibrationReport& o) {
  const std::filesystem::path folder = folder_of(o);
  const CalibrationStore store(folder);
  const auto all = chosen(store, o.which);
  if (all.empty()) {
    fmt::print(stderr, "datumctl: no calibration is current in {}; nothing was written. Wanted: an id\n",
               folder.string());
    return no_result;
  }
  const std::int64_t now_utc_s = std::time(nullptr);
  PageFrame frame;
  frame.title = o.which == "current" ? "Current calibrations" : "Calibration " + o.which;
  frame.footer =
      fmt::format("Folder {} at {} (UTC); {}", folder.string(), iso8601_from_utc(now_utc_s), code_id());
  std::string body = heading(1, frame.title), histories;
  std::set<std::pair<std::string, std::string>> seen;
  for (std::size_t i = 0; i < all.size(); ++i) {
    body += calibration_section(store, *all[i], now_utc_s, fmt::format("c{}", i + 1));
    if (seen.emplace(all[i]->sensor_serial, journal_from(*all[i])).second)
      histories += calibration_history(store, all[i]->sensor_serial, journal_from(*all[i]),
                                       fmt::format("h{}", seen.size()));
  }
  write_report(o.output, whole_page(frame, body + histories + calibration_problems(store)));
  return good;
}

int run_report(const CalibrationReport& o) {
  try {
    return write_calibrations(o);
  } catch (const config::ConfigError&) {
    throw;
  } catch (const std::invalid_argument& error) {
    fmt::print(stderr, "datumctl: {}\n", error.what());
    return usage;
  } catch (const CalibrationError& error) {
    fmt::print(stderr, "datumctl: {}; nothing was written\n", error.what());
    return no_result;
  } catch (const std::runtime_error& error) {
    fmt::print(stderr, "datumctl: {}\n", error.what());
    return not_written;
  }
}

}  // namespace

void add_calibration_report_command(CommandLine& line, CLI::App& report) {
  auto o = std::make_shared<CalibrationReport>();
  auto* command =
      line.leaf(report, "calibration",
                "a calibration: residuals, uncertainty, validity, who accepted it, and those before",
                [o] { return run_report(*o); });
  command
      ->add_option("id", o->which,
                   "of the calibration; current: the current one of each sensor and position of a head")
      ->required();
  line.offer(
      command
          ->add_option("-o,--output", o->output,
                       "the file, .html or .pdf, which appears whole or not at all; a PDF needs Chromium")
          ->required(),
      Offer::files);
  line.offer(command->add_option("--folder", o->folder,
                                 "folder of calibrations (default: what the configuration names)"),
             Offer::files);
  line.offer(command->add_option("--config", o->config, "configuration of the daemon")->capture_default_str(),
             Offer::files);
}

}  // namespace datum
