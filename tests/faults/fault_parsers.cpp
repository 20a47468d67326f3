// Damaged files in large numbers for every input of a measuring daemon: frames of each format in the drop folder, recipe
// uploads, calibrations beside the one in force. Good boards, parsed by the same process, are timed: alone, after damaged
// frames, during damaged recipes, and directly after a damaged frame. Boards that are compared cost alike: one in a hundred
// has noise that is looked at twice as long, which is the very share that a p99 leaves out.
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <limits>
#include <random>

#include "calib/calibration.h"
#include "config/utc_time.h"
#include "drivers/sensor/file_bytes.h"
#include "tests/damaged_bytes.h"
#include "tests/drivers/sensor/tiny_files.h"
#include "tests/faults/faults.h"
#include "tests/faults/parser_cell.h"

namespace datum::faults {

namespace {

namespace fs = std::filesystem;

constexpr int batch = 20;              // damaged files of a kind between two boards
constexpr std::size_t enough = 1000;   // boards of a kind: a p99 of fewer is determined by outliers
constexpr std::uint32_t noises = 100;  // of them those of the cheaper half are compared

struct Sample {
  std::string extension, bytes;
};

std::string points(int columns, int rows) {
  std::string text;
  for (int row = 0; row < rows; ++row)
    for (int col = 0; col < columns; ++col)
      text += fmt::format("{} {} {}\n", 0.05 * col, 0.05 * row, 0.1 * (row % 3));
  return text;
}

std::vector<Sample> samples(const fs::path& folder) {
  constexpr int rows = 20, cols = 18;
  std::vector<std::int16_t> heights;
  for (int i = 0; i < rows * cols; ++i) heights.push_back(static_cast<std::int16_t>(3 * i));
  testing::TiffOptions lzw, deflate;
  lzw.compression = 5;
  deflate.compression = 8;
  testing::write_tiff(folder / "a.tif", rows, cols, heights, lzw);
  testing::write_tiff(folder / "b.tif", rows, cols, heights, deflate);
  testing::write_png(folder / "a.png", rows, cols,
                     std::vector<std::uint16_t>(heights.begin(), heights.end()));
  const std::string pcd = fmt::format(
      "# .PCD v0.7\nVERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH {0}\nHEIGHT "
      "{1}\nVIEWPOINT 0 0 0 1 0 0 0"
      "\nPOINTS {2}\nDATA ascii\n",
      cols, rows, rows * cols);
  const std::string ply = fmt::format(
      "ply\nformat ascii 1.0\ncomment rows {1}\ncomment cols {0}\nelement vertex {2}\nproperty float "
      "x\nproperty float y\nproperty "
      "float z\nend_header\n",
      cols, rows, rows * cols);
  const std::string csv =
      "Info\nCSV Version,Sensor "
      "Count,XResolution,YResolution,ZResolution\n2,1,0.30000,0.20000,0.00300\nEnd\n\n"
      "DeviceInfo\nID,Model,Transform X\n40959,313109A,0.14133\nEnd\n\n"
      "Part\nFrame,Time,Row Count,Column Count,X Offset,Y Offset,Z Offset\n"
      "12,544820424776,2,3,-0.30000,5.00000,1.69400\n"
      "Y\\X,-0.30000,0.00000,0.30000\n5.00000,1.69400,,1.69700\n5.20000,-1.30600,31.69400,1.69100\nEnd\n";
  return {{".tif", testing::read_file(folder / "a.tif")},
          {".tif", testing::read_file(folder / "b.tif")},
          {".png", testing::read_file(folder / "a.png")},
          {".pcd", pcd + points(cols, rows)},
          {".ply", ply + points(cols, rows)},
          {".csv", csv},
          {".x3p", scenario::slurp(fs::path(DATUM_SOURCE_DIR) / "tests/data/x3p/good.x3p")}};
}

/// Latencies of boards in ms.
class Series {
 public:
  void take(double ms) { took_.push_back(ms); }
  std::size_t size() const { return took_.size(); }
  double at(double share) const {
    std::vector<double> sorted = took_;
    std::sort(sorted.begin(), sorted.end());
    return sorted.empty() ? 0
                          : sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
  }

 private:
  std::vector<double> took_;
};

class Attacked {
 public:
  Attacked(std::uint32_t seed, Findings& findings) : random_(seed), cell_(findings) {
    samples_ = samples(cell_.cell().path());
    measure_in_machine_coordinates();
    cell_.start();
    uploader_ = cell_.cell().connect();
    if (uploader_->ask("DATA:PUSH OFF;:SYST:LOCK:REQ?") != "1")
      throw std::runtime_error("control is not given");
  }

  /// Noises of boards that cost alike: the cheaper half by datumd's processor time, the least of three.
  void choose_noises() {
    std::vector<std::pair<double, std::uint32_t>> costs;
    for (std::uint32_t noise = 0; noise < noises; ++noise) {
      double least_ms = std::numeric_limits<double>::infinity();
      for (int variant = -3; variant < 0; ++variant) {
        const double before_ms = processor_ms();
        cell_.board(noise, variant);
        least_ms = std::min(least_ms, processor_ms() - before_ms);
      }
      costs.emplace_back(least_ms, noise);
      cell_.clean();
    }
    std::sort(costs.begin(), costs.end());
    for (std::size_t i = 0; i < costs.size() / 2; ++i) noises_.push_back(costs[i].second);
  }
  /// No noise comes twice with the same variant.
  double board(std::uint32_t round, int kind, int kinds) {
    if (noises_.empty()) return cell_.board(round, kind);
    const auto n = static_cast<std::uint32_t>(noises_.size());
    return cell_.board(noises_[round % n], kind + kinds * static_cast<int>(round / n));
  }
  void deliver_damaged(int n) {
    for (int i = 0; i < n; ++i) {
      const Sample& sample = samples_[frames_ % samples_.size()];
      const std::string name = fmt::format("bad{}", ++frames_), image = name + sample.extension;
      cell_.cell().write("outbox/" + image, testing::damaged(sample.bytes, random_));
      if (sample.extension != ".csv") {
        cell_.cell().write("outbox/" + name + ".json", sidecar_of(image, 0.05, 1));
        cell_.put(image);
        cell_.put(name + ".json");
      } else {
        cell_.put(image);
      }
      cell_.awaits(1);
    }
  }
  void await_damaged() { cell_.await_damaged(); }
  void upload_damaged(int n) {
    std::string all;
    for (int i = 0; i < n; ++i) {
      const std::string text = testing::damaged(recipe_, random_);
      all += fmt::format("MMEM:DATA \"other\",#6{:06}{},\"{}\"\nSYST:ERR?\n", text.size(), text,
                         sha256_hex({testing::bytes_of(text)}));
    }
    uploader_->send(all);
    texts_ += static_cast<std::uint64_t>(n);
    answers_ += n;
  }
  void await_uploads() {
    for (; answers_ > 0; --answers_) stored_ += uploader_->ask("").rfind("0,", 0) == 0;
  }
  /// Arms with damaged calibrations beside the one in force; arming reads the whole folder.
  void arm_among_damaged_calibrations(int n) {
    for (int i = 0; i < n; ++i)
      cell_.cell().write(fmt::format("calibrations/bad{}.toml", i), testing::damaged(calibration_, random_));
    calibrations_ += static_cast<std::uint64_t>(n);
    const std::string said = uploader_->command("ABOR;:INIT");
    cell_.findings().expect(said.rfind("0,", 0) == 0, "not armed among damaged calibrations: " + said);
    for (int i = 0; i < n; ++i) fs::remove(cell_.cell().path() / fmt::format("calibrations/bad{}.toml", i));
  }
  void clean() { cell_.clean(); }
  void finish() {
    Findings& findings = cell_.findings();
    findings.count("damaged frames", frames_);
    findings.count("damaged recipes", texts_);
    findings.count("of them stored", stored_);
    findings.count("damaged calibrations", calibrations_);
    cell_.finish();
  }
  std::uint64_t inputs() const { return std::min({frames_, texts_, calibrations_}); }

 private:
  /// So that calibrations are read; sensor and machine coordinates are equal.
  void measure_in_machine_coordinates() {
    const scenario::Cell& cell = cell_.cell();
    Calibration c;
    c.sensor_serial = "S-1";
    c.made_utc_s = *utc_from_iso8601("2026-01-15T08:00:00Z");
    c.expires_utc_s = *utc_from_iso8601("2099-01-01T00:00:00Z");
    c.operator_name = c.software = "faults";
    c.covariance.diagonal() << 1e-10, 1e-10, 1e-10, 1e-6, 1e-6, 1e-6;
    c.machine_from_sensor = Htm<Machine, Sensor>(Eigen::Matrix4d::Identity());
    for (const char* id : {"mounted", "other"}) {
      c.id = id;
      c.sha256 = checksum_of(c);
      calibration_ = to_toml(c);
      cell.write(fmt::format("calibrations/{}.toml", id), calibration_);
    }
    std::string text = scenario::slurp(cell.path() / "datumd.toml");
    const std::string table = "[inspection]\n";
    cell.write("datumd.toml",
               text.insert(text.find(table) + table.size(),
                           "calibrations_folder = \"calibrations\"\ncalibration = \"mounted\"\n"));
    std::string recipe = scenario::Cell::recipe_text();
    const std::string old = "coordinates = \"sensor\"";
    cell.write("recipes/box.toml", recipe.replace(recipe.find(old), old.size(), "coordinates = \"machine\""));
  }

  double processor_ms() {
    clockid_t clock{};
    timespec used{};
    if (::clock_getcpuclockid(cell_.cell().daemon().pid(), &clock) != 0 || ::clock_gettime(clock, &used) != 0)
      throw std::runtime_error("datumd's processor time can't be read");
    return 1e3 * static_cast<double>(used.tv_sec) + 1e-6 * static_cast<double>(used.tv_nsec);
  }

  std::mt19937 random_;
  ParserCell cell_;
  std::vector<std::uint32_t> noises_;
  std::vector<Sample> samples_;
  std::string recipe_ = [] {
    std::string text = scenario::Cell::recipe_text();
    return text.replace(text.find("\"box\""), 5, "\"other\"");
  }();
  std::string calibration_;  // "other"
  std::unique_ptr<scenario::Host> uploader_;
  std::uint64_t frames_ = 0, texts_ = 0, stored_ = 0, calibrations_ = 0;
  int answers_ = 0;
};

enum Kind { quiet, quiet_again, after, during, behind, armed, kinds };
constexpr std::array<const char*, kinds> names{"alone",
                                               "alone again",
                                               "after damaged frames",
                                               "during damaged recipes",
                                               "right behind a damaged frame",
                                               "armed among damaged calibrations"};

double timed(Attacked& cell, Kind kind, std::uint32_t round) {
  if (kind == after) {
    cell.deliver_damaged(batch - 1);
    cell.await_damaged();
  }
  if (kind == during) cell.upload_damaged(batch);
  if (kind == behind) cell.deliver_damaged(1);
  if (kind == armed) cell.arm_among_damaged_calibrations(batch);
  const double ms = cell.board(round, kind, kinds);
  cell.await_uploads();
  return ms;
}

}  // namespace

void attack_the_parsers(const Order& order, Findings& findings) {
  Attacked cell(order.seed, findings);
  if (static_cast<std::size_t>(order.times) >= enough * batch) cell.choose_noises();
  std::array<Series, kinds> series;
  for (unsigned round = 0; cell.inputs() < static_cast<std::uint64_t>(order.times); ++round) {
    // The order rotates, so that each kind has varying predecessors.
    for (unsigned i = 0; i < kinds; ++i) {
      const auto kind = static_cast<Kind>((round + i) % kinds);
      series[kind].take(timed(cell, kind, round));
    }
    cell.clean();
  }
  cell.finish();
  for (unsigned kind = 0; kind < kinds; ++kind)
    fmt::print("    board {:<32} median {:7.2f} ms, p99 {:7.2f} ms of {}\n", names[kind],
               series[kind].at(0.5), series[kind].at(0.99), series[kind].size());
  if (series[quiet].size() < enough) return;
  // Other load of this machine shows between the two quiet series.
  const double base = std::max(series[quiet].at(0.99), series[quiet_again].at(0.99));
  // Arming itself takes its time, whatever lies beside the calibration.
  for (const Kind kind : {after, during, behind})
    findings.expect(series[kind].at(0.99) <= 1.1 * base,
                    fmt::format("p99 of a board {} is {:.2f} ms, alone {:.2f} ms", names[kind],
                                series[kind].at(0.99), base));
}

}  // namespace datum::faults
