// The calibration of an armed cell is exchanged between and during boards. Its file is replaced, truncated, removed,
// replaced by a symbolic link, sealed for another sensor, or claimed twice; another one is accepted or withdrawn, or its
// journal changed. Each result names its calibration, and no unusable calibration measures.
#include <fmt/format.h>
#include <signal.h>

#include <random>
#include <utility>

#include "tests/faults/calibrated_ledger.h"
#include "tests/faults/faults.h"
#include "tests/faults/load.h"

namespace datum::faults {

namespace {

namespace fs = std::filesystem;

class Swapper {
 public:
  /// `accepted`: the cell uses the current calibration of its journal; else the one of a fixed id.
  Swapper(bool accepted, std::uint32_t seed, Findings& findings)
      : accepted_(accepted), random_(seed), findings_(findings) {
    std::string config = scenario::slurp(cell_.path() / "datumd.toml");
    const std::string table = "[inspection]\n";
    config.insert(config.find(table) + table.size(),
                  fmt::format("calibrations_folder = \"calibrations\"\ncalibration = \"{}\"\n",
                              accepted ? "current" : "mounted"));
    cell_.write("datumd.toml", config);
    cell_.write("recipes/box.toml", CalibratedLedger::recipe_text());
    fs::create_directories(cell_.path() / "calibrations");
    ledger_.may_be_refused = true;  // accepting another calibration disarms: a board in progress is aborted
    ledger_.invalid_is_fine = true;
    ledger_.early_is_fine = true;
    ledger_.tells("");
    ledger_.in_force();
    load_.ahead = 12;
    load_.start();
    install();
  }

  void exchange() {
    work();
    if (random_() % 2 == 0) return install();
    const std::string done = spoil();
    if (random_() % 2 == 0) work();  // without a notification to the cell
    tell("", done);
    work();
    mend();
    install();
  }
  void check() {
    load_.end(SIGKILL);
    ledger_.check(cell_, findings_);
  }

 private:
  /// Waits for some results, and a part of a board.
  void work() {
    const Moment longest = now() + std::chrono::milliseconds(300);
    const std::size_t until = ledger_.announcements() + random_() % 4;
    while (ledger_.announcements() < until && now() < longest) load_.turn(longest);
    load_.turn_until(now() + std::chrono::microseconds(random_() % 8000));
  }
  fs::path file(const std::string& id) const { return cell_.path() / "calibrations" / (id + ".toml"); }
  std::string command(const std::string& text) { return cell_.connect()->command(text); }

  /// By a rename, in place, or as a symbolic link to another file.
  void put(const std::string& id, const std::string& text) {
    const std::string name = "calibrations/" + id + ".toml";
    const auto way = random_() % 3;
    if (way == 2 || fs::is_symlink(file(id))) fs::remove(file(id));
    if (way == 2) {
      cell_.write("elsewhere/" + id + ".toml", text);
      fs::create_symlink(cell_.path() / "elsewhere" / (id + ".toml"), file(id));
    } else if (way == 1) {
      cell_.write(name, text);
    } else {
      replace(cell_, name, text);
    }
  }

  void install() {
    if (accepted_) id_ = fmt::format("c{}", ++number_);
    const Calibration c = ledger_.another(id_, random_() % 4);
    put(id_, to_toml(c));
    if (random_() % 2 == 0) work();
    findings_.count("installed");
    if (accepted_)
      accept(c);
    else
      tell(c.sha256, "another one");
  }

  int accept_by_hand() {
    return scenario::run({"datumctl", "calibrate", "accept", id_, "--operator", "faults", "--tcp",
                          fmt::format("127.0.0.1:{}", cell_.tcp_port())},
                         cell_.path())
        .status;
  }
  /// Accepts as an operator does.
  void accept(const Calibration& c) {
    constexpr int refused = 8;
    if (state() != "IDLE") {
      findings_.expect(accept_by_hand() == refused, "accepted under an armed cell: " + id_);
      command("ABOR");
    }
    ledger_.tells(c.sha256);
    findings_.expect(accept_by_hand() == 0, "not accepted: " + id_);
    arm();
    confirm(c.sha256, "accepted");
  }

  /// Makes the calibration in force unusable; returns a description.
  std::string spoil() {
    const std::string whole = scenario::slurp(file(id_));
    findings_.count("spoilt");
    switch (random_() % (accepted_ ? 7 : 6)) {
      case 0:
        fs::remove(file(id_));
        return "it is gone";
      case 1:
        put(id_, whole.substr(0, random_() % (whole.size() / 2)));
        return "it is cut";
      case 2:
        fs::remove(file(id_));
        fs::create_symlink(cell_.path() / "nowhere.toml", file(id_));
        return "it is a link to nothing";
      case 3: {
        std::string changed = whole;
        const auto at = changed.find("2099-");
        put(id_, changed.replace(at, 4, "2098"));
        return "it is changed and not sealed";
      }
      case 4: {
        Calibration other = ledger_.another(id_, random_() % 4);
        other.sensor_serial = "S-2";
        put(id_, to_toml(other));
        return "it is another sensor's";
      }
      case 5:
        cell_.write("calibrations/twin.toml", to_toml(ledger_.another(id_, random_() % 4)));
        return "two claim its id";
      default:
        return spoil_journal();
    }
  }
  std::string spoil_journal() {
    if (random_() % 2 == 0) {
      ledger_.tells("");  // the command itself is the notification
      command("CAL:WITH 'faults','bumped'");
      return "it is withdrawn";
    }
    journal_ = scenario::slurp(cell_.path() / "calibrations/journal");
    std::string changed = journal_;
    const auto at = changed.find("faults");
    cell_.write("calibrations/journal", changed.replace(at, 6, "nobody"));
    return "its journal is changed";
  }
  void mend() {
    fs::remove(cell_.path() / "calibrations/twin.toml");
    if (!journal_.empty()) cell_.write("calibrations/journal", std::exchange(journal_, ""));
    if (accepted_) fs::remove(file(id_));
  }

  /// Notifies the cell by SIGHUP, new arming, or a restart.
  void tell(const std::string& sha256, const std::string& what) {
    ledger_.tells(sha256);
    const auto way = random_() % 8;
    if (way == 0) {
      load_.end(SIGKILL);
      load_.start();
    } else if (way <= 2) {
      command("ABOR");
      const std::string said = command("INIT");
      findings_.expect(said.rfind(sha256.empty() ? "-340," : "0,", 0) == 0,
                       what + ", and arming says " + said);
    } else {
      cell_.daemon().signal(SIGHUP);
    }
    confirm(sha256, what);
    if (!sha256.empty() && state() == "IDLE") arm();
  }
  void confirm(const std::string& sha256, const std::string& what) {
    const auto host = cell_.connect();
    const Moment deadline = scenario::timeout();
    for (;;) {
      const auto said = scenario::fields(host->ask("CAL:CURR?"));
      if (sha256.empty() ? said.at(4) == "0" : said.at(4) == "1" && said.at(1) == sha256) break;
      if (now() > deadline) throw std::runtime_error(what + ", and it is not in force: " + said.at(5));
      load_.turn(now() + std::chrono::milliseconds(1));
    }
    ledger_.in_force();
  }
  std::string state() { return scenario::fields(cell_.connect()->ask("SYST:STAT?")).at(0); }
  void arm() {
    const std::string said = command("INIT");
    findings_.expect(said.rfind("0,", 0) == 0, "not armed: " + said);
  }

  const bool accepted_;
  std::mt19937 random_;
  Findings& findings_;
  scenario::Cell cell_;
  CalibratedLedger ledger_;
  Load load_{cell_, ledger_};
  std::string id_ = "mounted", journal_;
  int number_ = 0;
};

}  // namespace

void swap_the_calibration(const Order& order, Findings& findings) {
  for (const bool accepted : {false, true}) {
    Swapper swapper(accepted, order.seed, findings);
    for (int n = 0; n < (order.times + 1) / 2; ++n) swapper.exchange();
    swapper.check();
  }
}

}  // namespace datum::faults
