// A hole that is scanned, then touched by hand, with the real daemon.
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/scenario/scenario_bore.h"
#include "tests/scenario/scenario_cell.h"

namespace datum::scenario {
namespace {

namespace fs = std::filesystem;

const char* const tables = R"([cmm]
preset = "grbl_1_1"
unit = "mm"
[cmm.serial]
path = "FOLDER/cmm"
baud = 115200
[calibration]
artefacts_folder = "artefacts"
probe_radius_mm = 0.5
probe_u_radius_um = 0.5
probe_u_touch_um = 1.0
squareness_rad = [0.001, 0.0, 0.0]
)";

CellOptions options_with(const std::string& holes) {
  CellOptions options;
  options.trigger = "bus";
  options.arm_at_start = false;
  options.more = tables + holes;
  return options;
}

class ScenarioHole : public ::testing::Test {
 protected:
  explicit ScenarioHole(
      const std::string& holes = "[holes]\nlog_folder = \"holes\"\nu_edge_um = 50.0\nspare_mm = 0.2\n")
      : cell(options_with(holes)) {
    std::string config = slurp(cell.path() / "datumd.toml");
    config.replace(config.find("trigger ="), 0,
                   "calibrations_folder = \"calibrations\"\ncalibration = \"x\"\n");
    cell.write("datumd.toml", config);
    fs::create_directories(cell.path() / "artefacts");
    cell.write("calibrations/x.toml", to_toml(made));
    cmm = std::make_unique<Program>(std::vector<std::string>{"virtual-cmm", "--link", "cmm", "--control",
                                                             "machine", "--position", "0,0,0"},
                                    cell.path(), "cmm.log");
    if (!cmm->says("/dev/pts/")) throw std::runtime_error(cmm->output());
    if (!cell.start().says("8N1: open")) throw std::runtime_error(cell.daemon().output());
    host = cell.connect();
    bore_mm = made.at(stage_mm) * Eigen::Vector3d(bore_x_mm, bore_y_mm, top_mm);
  }
  void order(const std::string& word, const Eigen::Vector3d& q) {
    char line[120];
    std::snprintf(line, sizeof line, "%s %.4f %.4f %.4f", word.c_str(), q.x(), q.y(), q.z());
    std::ofstream(cell.path() / "machine") << line << "\n" << std::flush;
    ASSERT_TRUE(cmm->says(word == "move" ? ": at" : ": touched", ++orders[word]));
  }
  void expect_good(const std::string& command) {
    EXPECT_EQ(host->command(command), "0,\"No error\"") << command << "\n" << cell.daemon().output();
  }
  int error_of(const std::string& command) { return std::stoi(host->command(command)); }
  std::string state() { return fields(host->ask("PROB:HOLE:STAT?")).at(0); }
  /// The expected place is off by more than half a pixel.
  std::string start_command() const {
    char line[120];
    std::snprintf(line, sizeof line, "PROB:HOLE:STAR %.3f,%.3f,%.3f,1.45,0.5,0.2", bore_mm.x() + 0.2,
                  bore_mm.y() - 0.1, bore_mm.z());
    return line;
  }
  void scan(const std::string& name, bool hole = true) {
    order("move", stage_mm);
    expect_good("PROB:HOLE:SCAN");
    constexpr int sweeping = 8;
    const Deadline deadline = timeout();
    while ((std::stoi(host->ask("STAT:OPER:COND?")) & sweeping) == 0)
      if (std::chrono::steady_clock::now() > deadline) throw std::runtime_error(host->ask("PROB:HOLE:STAT?"));
    cell.deliver(name, plate(hole, static_cast<float>(++frames)));
    EXPECT_EQ(host->ask("*OPC?"), "1");
  }
  /// The demanded tip positions in scale readings.
  std::vector<Eigen::Vector3d> next() {
    const auto words = fields(host->ask("PROB:HOLE:NEXT?"));
    std::vector<Eigen::Vector3d> places;
    for (std::size_t i = 0; i + 3 < words.size(); i += 4)
      places.emplace_back(std::stod(words[i + 1]), std::stod(words[i + 2]), std::stod(words[i + 3]));
    return places;
  }
  void enter() {
    order("move", next().at(1));
    expect_good("PROB:HOLE:ENT");
    EXPECT_EQ(host->ask("*OPC?"), "1");
  }
  /// The contact on the way from the middle to `to`: the tip's centre in scale readings.
  Eigen::Vector3d contact(const Eigen::Vector3d& to, const Eigen::Vector3d& middle) const {
    const Eigen::Vector3d from = made.stage.a * middle - (bore_mm - depth_mm * Eigen::Vector3d::UnitZ());
    const Eigen::Vector3d way = (made.stage.a * (to - middle)).normalized();
    const double along = from.dot(way), r = bore_radius_mm - probe_radius_mm;
    const double s = -along + std::sqrt(along * along - from.head<2>().squaredNorm() + r * r);
    return middle + made.stage.a.inverse() * (s * way);
  }
  void touch() {
    const auto moves = next();
    expect_good("PROB:HOLE:TOUC");
    order("touch", contact(moves.at(0), moves.at(1)));
    ASSERT_EQ(host->ask("*OPC?"), "1");
  }
  Outcome datumctl(const std::string& words) const {
    std::istringstream in("datumctl hole " + words);
    std::vector<std::string> arguments;
    for (std::string word; in >> word;) arguments.push_back(word);
    return run(arguments, cell.path());
  }
  std::string log_name(std::size_t n) const {
    for (const std::string& name : cell.list("holes"))
      if (name.find(".jsonl") != std::string::npos && n-- == 0) return "holes/" + name;
    return "";
  }

  const Calibration made = calibration();
  Cell cell;
  std::unique_ptr<Program> cmm;
  std::unique_ptr<Host> host;
  Eigen::Vector3d bore_mm;
  std::map<std::string, int> orders;
  int frames = 0;
};

std::string holes_with_gauge(double diameter_mm) {
  const Eigen::Vector3d at = calibration().at(stage_mm) * Eigen::Vector3d(bore_x_mm, bore_y_mm, top_mm);
  char text[320];
  std::snprintf(text, sizeof text,
                "[holes]\nlog_folder = \"holes\"\nu_edge_um = 50.0\nspare_mm = 0.2\n[holes.ring_gauge]\n"
                "centre_mm = [%.3f, %.3f, %.3f]\ndiameter_mm = %.4f\nu_diameter_um = 0.4\n",
                at.x(), at.y(), at.z(), diameter_mm);
  return text;
}

/// The bore of the plate is the ring gauge.
class ScenarioHoleGauge : public ScenarioHole {
 protected:
  explicit ScenarioHoleGauge(double diameter_mm = 2 * bore_radius_mm)
      : ScenarioHole(holes_with_gauge(diameter_mm)) {}
  std::string elsewhere() const {
    char line[120];
    std::snprintf(line, sizeof line, "PROB:HOLE:STAR %.3f,%.3f,%.3f,1.5,0.5,0.2", bore_mm.x() + 5,
                  bore_mm.y(), bore_mm.z());
    return line;
  }
  void measure_gauge() {
    expect_good(start_command());
    scan("bored");
    ASSERT_EQ(state(), "APPROACH") << host->ask("PROB:HOLE:STAT?");
    enter();
    for (int touches = 0; state() == "TOUCHING" && touches < 50; ++touches) touch();
    ASSERT_EQ(state(), "DONE") << host->ask("PROB:HOLE:STAT?");
  }
};

/// The readings of a tip 20 um smaller than its stated radius.
class ScenarioHoleWrongTip : public ScenarioHoleGauge {
 protected:
  ScenarioHoleWrongTip() : ScenarioHoleGauge(2 * (bore_radius_mm - 0.02)) {}
};

class ScenarioHoleWithoutFolder : public ScenarioHole {
 protected:
  ScenarioHoleWithoutFolder() : ScenarioHole("") {}
};

// Each touch is reported to 1 um, with an error of at most 0.71 um in the plane. A circle's centre has the error 2/n
// sum(e_i d_i), at most 0.71 * 4/pi = 0.9 um, its radius 0.71 um.
constexpr double reported_mm = 0.001;

TEST_F(ScenarioHole, IsFoundEnteredAndMeasured) {
  EXPECT_EQ(error_of("PROB:HOLE:SCAN"), -221) << "not started";
  expect_good(start_command());
  EXPECT_EQ(error_of("CONF:REC 'box';:INIT"), -221) << "a hole is in progress";
  EXPECT_EQ(error_of("CAL:STAR 'AS','J. M.',20"), -221);
  EXPECT_EQ(error_of(start_command()), -221);
  EXPECT_EQ(error_of("PROB:HOLE:TOUC"), -221);
  scan("none", false);
  EXPECT_NE(host->ask("SYST:ERR?").find("no gap"), std::string::npos) << "a plate without a hole";
  EXPECT_EQ(state(), "STARTED");
  scan("bored");
  ASSERT_EQ(state(), "APPROACH") << host->ask("PROB:HOLE:STAT?");
  enter();
  int touches = 0;
  while (state() == "TOUCHING" && ++touches < 50) touch();
  ASSERT_EQ(state(), "DONE") << host->ask("PROB:HOLE:STAT?");
  const auto result = fields(host->ask("PROB:HOLE:RES?"));
  ASSERT_EQ(result.size(), 16u);
  EXPECT_NEAR(std::stod(result[1]), bore_mm.x(), reported_mm);
  EXPECT_NEAR(std::stod(result[2]), bore_mm.y(), reported_mm);
  EXPECT_NEAR(std::stod(result[4]), bore_radius_mm, reported_mm);
  EXPECT_GT(std::stod(result[7]), 0.001) << "U of the radius: the probe's own 0.5 um, k = 2";
  EXPECT_EQ(result[9], "8");
  EXPECT_EQ(result[11], "x");
  EXPECT_EQ(result[12], made.sha256);
  EXPECT_NE(host->ask("PROB:HOLE:STAT?").find("no ring gauge checks it"), std::string::npos);
  const std::string sources = slurp(fs::path(cell.path() / log_name(0)).replace_extension(".sources"));
  const auto source = nlohmann::json::parse(sources);
  EXPECT_EQ(source["frame_sha256"], result[14]) << sources;
  EXPECT_EQ(source["calibration_sha256"], made.sha256);
  expect_good("INIT;:ABOR");

  Outcome again = datumctl("replay " + log_name(0));
  EXPECT_EQ(again.status, 0) << again.output;
  EXPECT_NE(again.output.find("the same as then"), std::string::npos) << again.output;
  std::string log = slurp(cell.path() / log_name(0));
  const auto tip = log.find("\"tip_mm\":[", log.find("\"in\":\"touched\""));
  ASSERT_NE(tip, std::string::npos) << log;
  const auto digit = log.find('.', tip) + 1;
  log[digit] = log[digit] == '1' ? '2' : '1';
  cell.write("changed.jsonl", log);
  const Outcome changed = datumctl("replay changed.jsonl");
  EXPECT_EQ(changed.status, 8) << changed.output;
  EXPECT_EQ(datumctl("replay nowhere.jsonl").status, 4);
}

TEST_F(ScenarioHoleGauge, IsMeasuredBeforeAnyHole) {
  const std::string refused = host->command(elsewhere());
  EXPECT_EQ(refused.substr(0, 5), "-221,");
  EXPECT_NE(refused.find("was not measured since datumd started"), std::string::npos) << refused;
  EXPECT_NE(refused.find("measure the gauge first"), std::string::npos) << refused;
  measure_gauge();
  EXPECT_NE(host->ask("PROB:HOLE:STAT?").find("the ring gauge reads"), std::string::npos);
  const std::string sources = slurp(fs::path(cell.path() / log_name(0)).replace_extension(".sources"));
  EXPECT_NE(sources.find("\"ring_gauge_held\":true"), std::string::npos) << sources;
  expect_good(elsewhere());
}

// While no datumd ran, the tip may have been exchanged.
TEST_F(ScenarioHoleGauge, IsMeasuredAnewAfterARestart) {
  measure_gauge();
  expect_good(elsewhere());
  host.reset();
  cell.daemon().signal(SIGTERM);
  EXPECT_EQ(cell.daemon().wait(), 0) << cell.daemon().output();
  if (!cell.start().says("8N1: open")) throw std::runtime_error(cell.daemon().output());
  host = cell.connect();
  const std::string refused = host->command(elsewhere());
  EXPECT_EQ(refused.substr(0, 5), "-221,");
  EXPECT_NE(refused.find("was not measured since datumd started"), std::string::npos) << refused;
}

TEST_F(ScenarioHoleGauge, ThatCouldNotBeMeasuredHoldsNoMore) {
  measure_gauge();
  expect_good(start_command());
  scan("again");
  order("move", next().at(1) + Eigen::Vector3d(0.3, 0, 0));
  EXPECT_EQ(error_of("PROB:HOLE:ENT"), 0);
  EXPECT_EQ(host->ask("*OPC?"), "1");
  ASSERT_EQ(state(), "GUARD") << host->ask("PROB:HOLE:STAT?");
  EXPECT_NE(host->ask("SYST:ERR?").find("GUARD"), std::string::npos);
  const std::string refused = host->command(elsewhere());
  EXPECT_NE(refused.find("the ring gauge did not hold on"), std::string::npos) << refused;
}

TEST_F(ScenarioHoleGauge, IsMeasuredAnewUnderAnotherCalibration) {
  measure_gauge();
  Calibration other = made;
  other.operator_name += " again";
  other.sha256 = checksum_of(other);
  cell.write("calibrations/x.toml", to_toml(other));
  const std::string refused = host->command(elsewhere());
  EXPECT_NE(refused.find("under another calibration"), std::string::npos) << refused;
}

TEST_F(ScenarioHoleWrongTip, IsToldByTheRingGaugeAndTouchesNoHole) {
  measure_gauge();
  EXPECT_NE(host->ask("SYST:ERR?").find("the tip's radius is not the stated one"), std::string::npos);
  EXPECT_NE(host->ask("PROB:HOLE:STAT?").find("reads +20"), std::string::npos)
      << host->ask("PROB:HOLE:STAT?");
  EXPECT_EQ(error_of(elsewhere()), -221);
}

TEST_F(ScenarioHole, AProbeInAnotherPlaceIsGuarded) {
  const std::string link = " --tcp 127.0.0.1:" + std::to_string(cell.tcp_port());
  char place[120];
  std::snprintf(place, sizeof place, "start %.3f %.3f %.3f 1.5 --search 0.5 --tolerance 0.2", bore_mm.x(),
                bore_mm.y(), bore_mm.z());
  const Outcome began = datumctl(place + link);
  EXPECT_EQ(began.status, 0) << began.output;
  EXPECT_NE(began.output.find("STARTED"), std::string::npos) << began.output;
  scan("bored");
  order("move", next().at(1) + Eigen::Vector3d(0.3, 0, 0));
  const Outcome entered = datumctl("enter" + link);
  EXPECT_EQ(entered.status, 8) << entered.output;
  EXPECT_NE(entered.output.find("GUARD"), std::string::npos) << entered.output;
  EXPECT_NE(entered.output.find("from where it was led"), std::string::npos) << entered.output;
  const auto result = fields(host->ask("PROB:HOLE:RES?"));
  EXPECT_EQ(result.at(0), "GUARD");
  EXPECT_EQ(result.at(1), "9.91E37") << "no number where nothing was measured";
  EXPECT_EQ(datumctl("touch" + link).status, 8);
  EXPECT_EQ(datumctl("abort" + link).status, 0);
  EXPECT_EQ(state(), "IDLE");
  EXPECT_EQ(datumctl("replay " + log_name(0)).status, 0);
}

TEST_F(ScenarioHole, NoHoleIsProbedByADoubtfulCalibration) {
  Calibration old = made;
  old.expires_utc_s = old.made_utc_s + 1;
  old.sha256 = checksum_of(old);
  cell.write("calibrations/x.toml", to_toml(old));
  const std::string error = host->command(start_command());
  EXPECT_EQ(error.substr(0, 5), "-340,");
  EXPECT_NE(error.find("expired"), std::string::npos) << error;
  EXPECT_FALSE(fs::exists(cell.path() / "holes"));
  EXPECT_EQ(state(), "IDLE");
}

TEST_F(ScenarioHoleWithoutFolder, IsRefusedWithTheRemedy) {
  const std::string error = host->command(start_command());
  EXPECT_EQ(error.substr(0, 5), "-241,");
  EXPECT_NE(error.find("[holes]"), std::string::npos) << error;
}

}  // namespace
}  // namespace datum::scenario
