#include "daemon/ctl/doctor_cell.h"

#include <fmt/format.h>

#include <map>
#include <sstream>

#include "daemon/configuration/tls_health.h"
#include "daemon/store/result_store.h"
#include "daemon/store/sqlite.h"

namespace datum::doctor {
namespace {

std::map<std::string, std::string> values_of(const std::string& properties) {
  std::map<std::string, std::string> values;
  std::istringstream lines(properties);
  for (std::string line; std::getline(lines, line);)
    if (const auto at = line.find('='); at != line.npos) values[line.substr(0, at)] = line.substr(at + 1);
  return values;
}

}  // namespace

std::vector<Finding> examine_store(const std::filesystem::path& store) {
  const std::string file = store.string();
  std::error_code ignored;
  if (!std::filesystem::exists(store, ignored))
    return {{"store", file + " is not there yet; the first start makes it", State::good, ""}};
  try {
    const StoreExtent have = ResultStore::read_only(store).extent();
    const auto db = sqlite::open(store, SQLITE_OPEN_READONLY);
    sqlite::Statement check(db.get(), store, "PRAGMA quick_check(1)");
    const std::string found = check.step() ? check.text(0) : "nothing";
    if (found != "ok")
      return {
          {"store", fmt::format("{} is damaged: {}", file, found), State::bad,
           fmt::format("sudo systemctl stop datumd && sudo cp -a {} {}.damaged    # then restore a backup",
                       file, file)}};
    return {{"store",
             fmt::format("{} holds together: {} results, {} to {}", file, have.count, have.first, have.last),
             State::good, ""}};
  } catch (const std::exception& error) {
    return {{"store", error.what(), State::bad, "ls -l " + store.parent_path().string()}};
  }
}

std::vector<Finding> examine_tls(const DaemonConfig& config, std::int64_t now_utc_s) {
  if (!config.tcp || !config.tcp->tls) return {};
  const std::string certificate = config.tcp->tls->files.certificate.string();
  if (const std::string why = config::tls_problem(config); !why.empty())
    return {{"certificates", why, State::bad,
             "ls -l " + std::filesystem::path(certificate).parent_path().string()}};
  std::vector<Finding> findings;
  for (const std::string& ends : config::tls_expiry(config, now_utc_s))
    findings.push_back({"certificates", ends,
                        ends.find("expired") == std::string::npos ? State::doubtful : State::bad,
                        "renew it, then: sudo systemctl reload datumd"});
  if (findings.empty()) findings.push_back({"certificates", certificate + " is good", State::good, ""});
  return findings;
}

std::vector<Finding> examine_unit(const std::string& unit, const std::string& properties) {
  auto value = values_of(properties);
  const std::string active = value["ActiveState"], restarts = value["NRestarts"];
  if (value["LoadState"] != "loaded")
    return {
        {"service", unit + " is not installed", State::doubtful, "./datum package    # or ./datum install"}};
  const std::string look = "journalctl -x -u " + unit + " -n 50";
  Finding f{"service", fmt::format("{} is {} ({})", unit, active, value["SubState"]), State::good, ""};
  if (active == "failed") {
    f.state = State::bad;
    f.found += ", its last end: " + value["Result"];
    f.run = look;
  } else if (active != "active") {
    f.state = State::doubtful;
    f.run = "sudo systemctl start " + unit;
  } else if (!restarts.empty() && restarts != "0") {
    f.state = State::doubtful;
    f.found += fmt::format(", and was started again {} times", restarts);
    f.run = look;
  } else if (value["UnitFileState"] == "disabled") {
    f.state = State::doubtful;
    f.found += ", but is not started with the computer";
    f.run = "sudo systemctl enable " + unit;
  }
  return {f};
}

}  // namespace datum::doctor
