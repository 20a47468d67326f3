// Recipes, sensor profile and configuration of an armed cell are rewritten, truncated, removed and replaced by symbolic
// links, with SIGHUP, and the daemon is killed and restarted at times: a result names its inputs by hash.
#include <fmt/format.h>
#include <signal.h>

#include <random>

#include "tests/faults/faults.h"
#include "tests/faults/load.h"

namespace datum::faults {

namespace {

namespace fs = std::filesystem;

constexpr int exit_config = 78;

class Meddler {
 public:
  Meddler(scenario::Cell& cell, Ledger& ledger, std::uint32_t seed)
      : cell_(cell), ledger_(ledger), random_(seed) {
    for (const char* name : {"datumd.toml", "sensor.toml"})
      whole_[name] = scenario::slurp(cell.path() / name);
  }

  /// Changes one file in one way; returns a description.
  std::string meddle() {
    const char* names[] = {"recipes/box.toml", "recipes/box.toml", "sensor.toml", "datumd.toml"};
    const std::string name = names[random_() % 4];
    const fs::path file = cell_.path() / name;
    const std::string whole =
        name[0] == 'r' ? scenario::Cell::recipe_text(ledger_.another_tolerance_um()) : whole_.at(name);
    switch (random_() % 5) {
      case 0:
        fs::remove(file);
        return name + " is gone";
      case 1:
        put(name, whole.substr(0, random_() % whole.size()));
        return name + " is cut";
      case 2:
        put("elsewhere.toml", whole);
        fs::remove(file);
        fs::create_symlink(cell_.path() / "elsewhere.toml", file);
        return name + " is a link";
      case 3:
        fs::remove(file);
        fs::create_symlink(cell_.path() / "nowhere.toml", file);
        return name + " is a link to nothing";
      default:
        put(name, whole);
        return name + " is rewritten";
    }
  }
  /// Restores all files.
  void mend() {
    put("recipes/box.toml", scenario::Cell::recipe_text(ledger_.another_tolerance_um()));
    for (const auto& [name, text] : whole_) put(name, text);
  }
  std::mt19937& random() { return random_; }

 private:
  /// Half of the writes rename, half write in place, as some editors do.
  void put(const std::string& name, const std::string& text) {
    if (random_() % 2 == 0 && !fs::is_symlink(cell_.path() / name))
      cell_.write(name, text);
    else
      replace(cell_, name, text);
  }
  scenario::Cell& cell_;
  Ledger& ledger_;
  std::mt19937 random_;
  std::map<std::string, std::string> whole_;
};

}  // namespace

void change_the_configuration(const Order& order, Findings& findings) {
  scenario::Cell cell;
  Ledger ledger;
  ledger.may_be_refused = true;  // its recipe is gone: a board in progress is aborted
  ledger.early_is_fine = true;
  Load load(cell, ledger);
  Meddler meddler(cell, ledger, order.seed);
  load.start();
  for (int n = 0; n < order.times; ++n) {
    load.turn_until(now() + std::chrono::milliseconds(meddler.random()() % 30));
    const std::string done = meddler.meddle();
    findings.count("changes");
    cell.daemon().signal(SIGHUP);
    load.turn_until(now() + std::chrono::milliseconds(meddler.random()() % 60));
    findings.expect(!cell.daemon().has_ended(), done + ", and it ended:\n" + cell.daemon().output());
    if (cell.daemon().has_ended()) return;
    if (meddler.random()() % 4 == 0) {
      load.end(SIGKILL);
      load.launch();
      load.turn_until(now() + std::chrono::milliseconds(300));
      if (cell.daemon().has_ended()) {
        findings.count("starts refused");
        findings.expect(load.ended() == exit_config, done + ", and it ended by another status than 78");
      }
    }
    meddler.mend();
    if (cell.daemon().has_ended()) load.start();
    while (!load.ready()) load.turn(scenario::timeout());
    cell.daemon().signal(SIGHUP);
    if (scenario::fields(cell.connect()->ask("SYST:STAT?")).at(0) == "IDLE") {
      findings.count("disarmed");
      cell.connect()->command("CONF:REC 'box';:INIT");
    }
  }
  load.end(SIGKILL);
  ledger.check(cell, findings);
}

}  // namespace datum::faults
