// datumctl metrics, support
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <chrono>
#include <ctime>
#include <nlohmann/json.hpp>

#include "config/utc_time.h"
#include "daemon/configuration/daemon_config.h"
#include "daemon/ctl/command_line.h"
#include "daemon/ctl/doctor_cell.h"
#include "daemon/ctl/exit_status.h"
#include "daemon/ctl/run_program.h"
#include "daemon/ctl/status.h"
#include "daemon/ctl/support_bundle.h"
#include "daemon/metrics/metrics_client.h"
#include "daemon/version/version.h"

namespace datum {
namespace {

namespace fs = std::filesystem;

struct SupportOptions {
  std::string config = "/etc/datumd/datumd.toml", output;
  std::uint64_t results = 50;
  bool no_recipes = false;
};

std::string computer_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

// The journal excerpt may name as many boards as it has lines.
constexpr std::uint64_t most_hidden = 5000;

/// The newest results, one line of JSON each. Board numbers, and frame names that contain them, are hidden here and in
/// later entries.
void add_results(SupportBundle& bundle, const fs::path& store, std::uint64_t last) {
  bundle.try_add("results.jsonl", [&] {
    std::string text;
    std::uint64_t listed = 0;
    for (const StoredResult& r : ResultStore::read_only(store).list({}, std::max(last, most_hidden))) {
      bundle.hide_inside("unit", r.unit_id);
      bundle.hide_inside("frame", r.frame_id);
      if (listed++ < last) text += nlohmann::ordered_json::parse(r.json).dump() + "\n";
    }
    return text;
  });
}

/// Adds the files of one folder with these endings, without subfolders.
void add_folder(SupportBundle& bundle, const std::string& name, const fs::path& folder,
                const std::vector<std::string>& endings) {
  std::error_code error;
  std::vector<fs::path> files;
  for (fs::directory_iterator i(folder, error), end; !error && i != end; i.increment(error))
    for (const std::string& ending : endings)
      if (i->path().extension() == ending) files.push_back(i->path());
  if (error) bundle.add(name, "", folder.string() + ": " + error.message());
  for (const fs::path& file : files) bundle.add_file(name + "/" + file.filename().string(), file);
}

void add_program(SupportBundle& bundle, const std::string& name, const std::vector<std::string>& arguments,
                 SupportBundle::Keep keep = SupportBundle::Keep::beginning) {
  ProgramLimits limits;
  limits.most_bytes = SupportBundle::most_entry_bytes;
  const ProgramOutput said = run_program(arguments, limits);
  bundle.add(name, said.text, said.shortcoming(), keep);
}

void add_system(SupportBundle& bundle) {
  for (const char* file :
       {"/etc/os-release", "/proc/meminfo", "/proc/loadavg", "/proc/mounts", "/proc/version"})
    bundle.add_file("system/" + fs::path(file).filename().string() + ".txt", file);
  bundle.add_file("system/nvidia-driver.txt", "/proc/driver/nvidia/version");
  add_program(bundle, "system/uname.txt", {"uname", "-srvm"});
  add_program(bundle, "system/lscpu.txt", {"lscpu"});
  add_program(bundle, "system/df.txt", {"df", "-hT"});
  add_program(bundle, "system/inodes.txt", {"df", "-i"});
  add_program(bundle, "system/nvidia-smi.txt", {"nvidia-smi"});
  add_program(bundle, "system/network.txt", {"ip", "-brief", "address"});
  add_program(bundle, "system/serial-lines.txt", {"ls", "-l", "/dev/serial/by-id"});
  add_program(bundle, "system/clock.txt", {"timedatectl"});
  add_program(bundle, "system/packages.txt", {"dpkg-query", "-W", "datumd", "libsqlite3-0", "systemd"});
  add_program(bundle, "service.txt", {"systemctl", "status", "--no-pager", "-l", "datumd*"});
  add_program(bundle, "unit.txt", {"systemctl", "cat", "--no-pager", "datumd.service"});
  add_program(bundle, "journal.txt",
              {"journalctl", "--no-pager", "-o", "short-iso-precise", "-n", "5000", "-u", "datumd*"},
              SupportBundle::Keep::end);
  add_program(bundle, "kernel.txt", {"journalctl", "--no-pager", "-k", "-n", "500"},
              SupportBundle::Keep::end);
}

void add_cell(SupportBundle& bundle, const SupportOptions& o, const LinkOptions& link) {
  bundle.add_file("config/datumd.toml", o.config);
  const std::int64_t now_utc_s = std::time(nullptr);
  bundle.try_add("config/check.txt", [&] {
    const auto problems = check_config(o.config, now_utc_s);
    return problems.empty() ? "good\n" : fmt::format("{}\n", fmt::join(problems, "\n"));
  });
  config::Problems told;
  const DaemonConfig config = load_daemon_config(o.config, told);
  if (config.store.empty())
    bundle.add("results.jsonl", "", "the configuration names no store");
  else
    add_results(bundle, config.store, o.results);
  if (!config.sensor_profile.empty()) bundle.add_file("config/sensor.toml", config.sensor_profile);
  if (o.no_recipes)
    bundle.add("recipes", "", "--no-recipes");
  else if (!config.recipes.empty())
    add_folder(bundle, "recipes", config.recipes, {".toml"});
  if (!config.calibrations.empty())
    add_folder(bundle, "calibrations", config.calibrations, {".toml", ".jsonl", ".journal"});
  bundle.try_add("doctor.txt", [&] { return doctor::shown(doctor::examine_cell(o.config, false)); });
  bundle.try_add("status.txt", [&] {
    auto host = connect(link);
    return status_report(host, {});
  });
  bundle.try_add("metrics.txt", [&] {
    if (!config.metrics) throw std::runtime_error("the configuration has no table [metrics]");
    return fetch_metrics(*config.metrics);
  });
}

int make_bundle(const CommandLine& line, const SupportOptions& o) {
  const std::int64_t now_utc_s = std::time(nullptr);
  std::string stamp = iso8601_from_utc(now_utc_s);
  std::erase_if(stamp, [](char c) { return c == ':' || c == '-'; });
  const fs::path file = o.output.empty() ? fs::path("datumd-support-" + stamp + ".zip") : fs::path(o.output);
  SupportBundle bundle{Redaction(computer_name())};
  add_cell(bundle, o, line.link);
  add_system(bundle);
  bundle.add("version.txt", "datumctl " + code_id() + "\n" + features() + "\n");
  const auto entries = bundle.entries("datumctl " + code_id() + " at " + iso8601_from_utc(now_utc_s));
  try {
    write_zip(file, entries, now_utc_s);
  } catch (const std::exception& error) {
    fmt::print(stderr, "datumctl: {}\n", error.what());
    return failed;
  }
  fmt::print("{}: {} files; read MANIFEST.txt in it before you send it\n", file.string(), entries.size());
  return good;
}

int print_metrics(const SupportOptions& o) {
  const DaemonConfig config = load_daemon_config(o.config);
  if (!config.metrics) {
    fmt::print(stderr, "datumctl: {} has no table [metrics]\n", o.config);
    return no_connection;
  }
  fmt::print("{}", fetch_metrics(*config.metrics));
  return good;
}

}  // namespace

void add_support_commands(CommandLine& line) {
  auto o = std::make_shared<SupportOptions>();
  auto* metrics =
      line.leaf(line.app, "metrics", "the metrics of this computer's datumd, as Prometheus reads them",
                [o] { return print_metrics(*o); });
  auto* support = line.link_leaf(
      line.app, "support",
      "a ZIP archive for remote support: versions, configuration, recipes, calibrations, newest "
      "results, log, "
      "state and computer; addresses, names and numbers of boards are replaced; also while datumd is down",
      [&line, o] { return make_bundle(line, *o); });
  for (auto* command : {metrics, support})
    line.offer(command->add_option("--config", o->config, "configuration of the cell")->capture_default_str(),
               Offer::files);
  line.offer(support->add_option("--output", o->output, "the file; without it datumd-support-TIME.zip here"),
             Offer::files);
  support->add_option("--results", o->results, "how many of the newest results")
      ->capture_default_str()
      ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{1000}));
  support->add_flag("--no-recipes", o->no_recipes, "leave out recipes: where they are confidential");
}

}  // namespace datum
