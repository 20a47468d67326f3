// datumctl backup, restore: copies of the result store.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>

#include "config/utc_time.h"
#include "daemon/configuration/daemon_config.h"
#include "daemon/ctl/command_line.h"
#include "daemon/ctl/exit_status.h"
#include "daemon/store/store_backup.h"

namespace datum {
namespace {

struct BackupOptions {
  std::string file, store, config = "/etc/datumd/datumd.toml";
};

std::filesystem::path store_of(const BackupOptions& o) {
  return o.store.empty() ? load_daemon_config(o.config).store : std::filesystem::path(o.store);
}

std::string now_utc() {
  return iso8601_from_utc(
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch())
          .count());
}

std::string words_of(const ChainReport& report) {
  std::string text = fmt::format("store {}: {} results, {} to {}\n", report.store_id, report.results,
                                 report.first, report.last);
  for (const ChainFault& fault : report.first_faults)
    text += fmt::format("NOT AS WRITTEN: {}{}\n",
                        fault.sequence ? fmt::format("result {} ", fault.sequence) : "", fault.what);
  return text + fmt::format("head {}:{}\n", report.head.link, report.head.sha256);
}

int refused(const BackupError& error) {
  fmt::print(stderr, "datumctl: {}\n", error.what());
  return not_written;
}

int run_backup(const BackupOptions& o) try {
  const Backup backup = back_up(store_of(o), o.file, now_utc());
  fmt::print("{}: a whole copy of this moment, read back and on the disk\n{}", o.file,
             words_of(backup.report));
  if (backup.report.faults == 0) return good;
  fmt::print(stderr, "datumctl: the store itself is not as it was written, and so is its copy\n");
  return failed;
} catch (const BackupError& error) {
  return refused(error);
}

int run_restore(const BackupOptions& o) try {
  const std::filesystem::path store = store_of(o);
  const Restored restored = put_back(o.file, store, now_utc());
  fmt::print("{}: put back from {}\n{}", store.string(), o.file, words_of(restored.backup.report));
  if (!restored.set_aside.empty()) fmt::print("the store that was there: {}\n", restored.set_aside.string());
  fmt::print(
      "datumd gives it another id when it starts and says so in its journal; hosts are sent what they have "
      "not "
      "acknowledged, and new results under that id\n");
  return good;
} catch (const BackupError& error) {
  return refused(error);
}

void add_places(CommandLine& line, CLI::App& command, BackupOptions& o, const char* file) {
  line.offer(command.add_option("file", o.file, file)->required(), Offer::files);
  line.offer(
      command.add_option("--store", o.store, "the store itself (default: what the configuration names)"),
      Offer::files);
  line.offer(command.add_option("--config", o.config, "configuration of the daemon")->capture_default_str(),
             Offer::files);
}

}  // namespace

void add_backup_commands(CommandLine& line) {
  auto o = std::make_shared<BackupOptions>();
  auto* backup =
      line.leaf(line.app, "backup",
                "a whole copy of the result store, also while datumd runs: read back, on the disk, never "
                "over another file",
                [o] { return run_backup(*o); });
  add_places(line, *backup, *o, "the copy, which must not exist; it appears whole or not at all");
  auto* restore =
      line.leaf(line.app, "restore",
                "put a copy in the place of the result store while datumd does not run; what was there is "
                "set aside, and datumd gives the store another id at its next start",
                [o] { return run_restore(*o); });
  add_places(line, *restore, *o, "the backup, or another whole copy");
}

}  // namespace datum
