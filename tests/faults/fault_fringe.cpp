// Damaged sets of fringe images with a running fringe daemon; good sets, decoded by the same process, come in between.
#include <fmt/format.h>
#include <signal.h>

#include <random>

#include "drivers/sensor/file_bytes.h"
#include "tests/damaged_bytes.h"
#include "tests/drivers/sensor/tiny_files.h"
#include "tests/faults/faults.h"
#include "tests/faults/parser_cell.h"

namespace datum::faults {

namespace {

namespace fs = std::filesystem;

class FringeCell {
 public:
  static constexpr int batch = 500;  // damaged sets between two good ones

  FringeCell(const Order& order, Findings& findings) : random_(order.seed), findings_(findings) {
    for (const char* file :
         {"sensors/fringe.toml", "recipes/demo-fringe.toml", "twins/fringe.toml", "twins/fringe-camera.toml"})
      cell_.write(file, scenario::slurp(fs::path(DATUM_SOURCE_DIR) / "config" / file));
    cell_.write("datumd.toml", scenario::slurp(fs::path(DATUM_SOURCE_DIR) / "config/demo-fringe.toml"));
    fs::remove(cell_.path() / "recipes/box.toml");
    fs::create_directory(cell_.path() / "pictures");
    calibrate();
    record_good_sets((order.times + batch - 1) / batch);
    make_samples();
    cell_.start();
    host_ = cell_.connect();
    host_->send("DATA:PUSH ON\n");
  }

  void damaged_set() {
    const std::string set = fmt::format("bad{}", ++sets_);
    const int hit = static_cast<int>(random_() % (periods * steps));
    std::string images;
    for (int i = 0; i < periods * steps; ++i) {
      const std::string name = fmt::format("{}_{}_{:02}.tif", set, 1 + i / steps, 1 + i % steps);
      const std::string& good = samples_[random_() % samples_.size()];
      const std::string bytes = i == hit ? testing::damaged(good, random_) : good;
      cell_.write("drop/" + name, bytes);
      images +=
          fmt::format("{}\"{}\": \"{}\"", i > 0 ? ", " : "", name, sha256_hex({testing::bytes_of(bytes)}));
    }
    deliver(set,
            fmt::format(
                R"({{"schema_version": 1, "sensor_serial": "FP-0001", "job": {{"name": "a", "hash": "b"}}, )"
                R"("frame_id": "{}", "capture_time": {{"ns": 1, "clock": "unknown"}}, )"
                R"("handedness": "left", "images": {{{}}}}})",
                set, images));
    const auto line = host_->result();
    findings_.expect(line.decision == "INVALID", line.frame + ", damaged, is " + line.decision);
    findings_.count("damaged sets");
  }
  void good_set() {
    const std::string set = fmt::format("FP-0001_{:06}", ++good_);
    for (const auto& file : fs::directory_iterator(cell_.path() / "outbox"))
      if (const std::string name = file.path().filename(); name.starts_with(set) && name.ends_with(".tif"))
        fs::rename(file.path(), cell_.drop() / name);
    fs::rename(cell_.path() / "outbox" / (set + ".json"), cell_.drop() / (set + ".json"));
    findings_.count("good sets");
    expect_good(*host_, host_->result(), findings_);
    for (const char* folder : {"drop/done", "drop/failed", "pictures"})
      for (const auto& entry : fs::directory_iterator(cell_.path() / folder)) {
        std::error_code ignored;
        fs::remove_all(entry.path(), ignored);
      }
  }
  void finish() {
    scenario::Program& daemon = cell_.daemon();
    findings_.expect(!daemon.has_ended(), "it ended:\n" + daemon.output());
    findings_.expect(daemon.output().find("did not survive") == std::string::npos,
                     "an image ended datumd-parse; see drop/failed");
    daemon.signal(SIGTERM);
    findings_.expect(daemon.wait() == 0, "it failed:\n" + daemon.output());
  }

 private:
  static constexpr int periods = 3, steps = 4, rows = 20, cols = 18;

  std::string sensor(std::vector<std::string> more) {
    std::vector<std::string> words{"virtual-fringe",     "--recipe", "recipes/demo-fringe.toml", "--twin",
                                   "twins/fringe.toml",  "--camera", "twins/fringe-camera.toml", "--sensor",
                                   "sensors/fringe.toml"};
    words.insert(words.end(), more.begin(), more.end());
    return done(words);
  }
  std::string done(const std::vector<std::string>& words) const {
    const scenario::Outcome outcome = scenario::run(words, cell_.path());
    if (outcome.status != 0) throw std::runtime_error(words[0] + ": " + outcome.output);
    return outcome.output;
  }
  void calibrate() {
    fs::create_directory(cell_.path() / "plate");
    sensor({"--drop", "plate", "--seed", "101", "--plate=-0.75,0,0.75,1.5,2.25,3"});
    std::vector<std::string> words{"datumctl", "fringe", "calibrate"};
    const char* const heights[] = {"-0.75", "0", "0.75", "1.5", "2.25", "3"};
    for (int i = 0; i < 6; ++i) words.push_back(fmt::format("plate/plate_{:06}.json@{}", i + 1, heights[i]));
    for (const char* word :
         {"--sensor", "sensors/fringe.toml", "--id", "fp-0001-demo", "--operator", "faults", "--u-step-um",
          "0.3", "--u-plate-um", "0.3", "--max-residual-um", "10", "--valid-days", "30"})
      words.emplace_back(word);
    done(words);
  }
  void record_good_sets(int n) {
    std::vector<std::string> words{"--drop", "outbox", "--seed", fmt::format("{}", random_() % 10'000)};
    for (int i = 0; i < n; ++i) {
      words.emplace_back("--board");
      words.emplace_back("good");
    }
    sensor(words);
  }
  /// Images of a smaller camera in several encodings, 8 and 16 bits.
  void make_samples() {
    std::vector<std::uint8_t> grey;
    for (int i = 0; i < rows * cols; ++i) grey.push_back(static_cast<std::uint8_t>(7 * i));
    for (const int compression : {1, 5, 8})
      for (const bool big_endian : {false, true}) {
        testing::TiffOptions options;
        options.compression = compression;
        options.big_endian = big_endian;
        testing::write_tiff(cell_.path() / "a.tif", rows, cols, grey, options);
        samples_.push_back(testing::read_file(cell_.path() / "a.tif"));
      }
  }
  void deliver(const std::string& set, const std::string& sidecar) {
    cell_.write("outbox/" + set + ".json", sidecar);
    fs::rename(cell_.path() / "outbox" / (set + ".json"), cell_.drop() / (set + ".json"));
  }

  scenario::Cell cell_;
  std::mt19937 random_;
  Findings& findings_;
  std::vector<std::string> samples_;
  std::unique_ptr<scenario::Host> host_;
  std::uint64_t sets_ = 0;
  int good_ = 0;
};

}  // namespace

void attack_with_fringe_sets(const Order& order, Findings& findings) {
  FringeCell cell(order, findings);
  for (int i = 0; i < order.times; ++i) {
    if (i % FringeCell::batch == 0) cell.good_set();
    cell.damaged_set();
  }
  cell.finish();
}

}  // namespace datum::faults
