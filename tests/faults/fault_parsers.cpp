// Damaged files by the hundred thousand through the entrances of a daemon that measures: frames of each format in the drop folder,
// recipes uploaded by a host. Good boards, whose frames are parsed by the same process, are timed in turns: with nothing else, after
// damaged frames, while damaged recipes are parsed, and right behind a damaged frame.
#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <random>

#include "drivers/sensor/file_bytes.h"
#include "tests/damaged_bytes.h"
#include "tests/drivers/sensor/tiny_files.h"
#include "tests/faults/faults.h"

namespace datum::faults {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr int batch = 20;  // damaged files of a kind between two boards
constexpr int side = 200;

struct Sample {
  std::string extension, bytes;
};

std::string sidecar(const std::string& image, double pitch_mm, double z_scale_um,
                    const std::string& more = "") {
  return fmt::format(
      R"({{"schema_version":1,"sensor_serial":"S-1","job":{{"name":"a","hash":"b"}},"frame_id":"{0}",)"
      R"("capture_time":{{"ns":1,"clock":"unknown"}},"x":{{"scale":{1},"offset":0,"unit":"mm"}},)"
      R"("y":{{"scale":{1},"offset":0,"unit":"mm"}},"z":{{"scale":{2},"offset":0,"unit":"um"}},)"
      R"("invalid_value":-32768,"handedness":"right","height_file":"{0}"{3}}})",
      image, pitch_mm, z_scale_um, more);
}

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
  Attacked(std::uint32_t seed, Findings& findings) : random_(seed), findings_(findings) {
    samples_ = samples(cell_.path());
    cell_.start();
    reader_ = cell_.connect();
    uploader_ = cell_.connect();
    reader_->send("DATA:PUSH ON\n");
    if (uploader_->ask("DATA:PUSH OFF;:SYST:LOCK:REQ?") != "1")
      throw std::runtime_error("control is not given");
  }

  /// A good board; how long from its delivery to its result.
  double board() {
    findings_.count("good boards");
    const std::string name = fmt::format("good{}", ++boards_);
    const std::string ptr = scenario::frame_of_box(scenario::good_height_um, boards_);
    write_good(name, ptr);
    const auto from = Clock::now();
    put(name + ".json");
    for (;;) {
      const auto line = reader_->result();
      if (line.frame != name + ".tif") {
        expect_refused(line);
        continue;
      }
      const double ms = std::chrono::duration<double, std::milli>(Clock::now() - from).count();
      judge_good(line);
      return ms;
    }
  }
  void deliver_damaged(int n) {
    for (int i = 0; i < n; ++i) {
      const Sample& sample = samples_[frames_ % samples_.size()];
      const std::string name = fmt::format("bad{}", ++frames_), image = name + sample.extension;
      cell_.write("outbox/" + image, testing::damaged(sample.bytes, random_));
      if (sample.extension != ".csv") {
        cell_.write("outbox/" + name + ".json", sidecar(image, 0.05, 1));
        put(image);
        put(name + ".json");
      } else {
        put(image);
      }
      ++waiting_;
    }
  }
  void await_damaged() {
    while (waiting_ > 0) expect_refused(reader_->result());
  }
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
  /// Kept deliveries would fill the disk.
  void clean() {
    for (const char* folder : {"drop/done", "drop/failed"})
      for (const auto& entry : fs::directory_iterator(cell_.path() / folder)) {
        std::error_code ignored;
        fs::remove_all(entry.path(), ignored);
      }
  }
  void finish() {
    findings_.count("damaged frames", frames_);
    findings_.count("damaged recipes", texts_);
    findings_.count("of them stored", stored_);
    findings_.expect(!cell_.daemon().has_ended(), "it ended:\n" + cell_.daemon().output());
    findings_.expect(cell_.daemon().output().find("did not survive") == std::string::npos,
                     "an input ended datumd-parse; see drop/failed");
    cell_.daemon().signal(SIGTERM);
    findings_.expect(cell_.daemon().wait() == 0, "it failed:\n" + cell_.daemon().output());
  }
  std::uint64_t inputs() const { return std::min<std::uint64_t>(frames_, texts_); }

 private:
  /// One in some hundred has noise that looks like a second level: INVALID by itself.
  void judge_good(const plc::ResultLine& line) {
    if (line.decision == "PASS") return;
    const std::string verdict = reader_->ask("FETC:JSON?");
    if (verdict.find("FLOOR_SECOND_LEVEL") == std::string::npos)
      findings_.expect(false, line.frame + " is " + line.decision + ": " + verdict);
    else
      findings_.count("of them INVALID by their noise");
  }
  /// The .ptr's heights as an LZW TIFF, which datumd has parsed apart.
  void write_good(const std::string& name, const std::string& ptr) {
    constexpr double count_um = 0.05;
    std::vector<std::int16_t> counts(std::size_t{side} * side);
    for (std::size_t i = 0; i < counts.size(); ++i) {
      float um = 0;
      std::memcpy(&um, ptr.data() + 32 + i * sizeof um, sizeof um);
      counts[i] = static_cast<std::int16_t>(std::lround(um / count_um));
    }
    testing::TiffOptions lzw;
    lzw.compression = 5;
    testing::write_tiff(cell_.path() / "outbox" / (name + ".tif"), side, side, counts, lzw);
    cell_.write("outbox/" + name + ".json", sidecar(name + ".tif", 0.05, count_um));
    put(name + ".tif");
  }
  void put(const std::string& name) { fs::rename(cell_.path() / "outbox" / name, cell_.drop() / name); }
  void expect_refused(const plc::ResultLine& line) {
    findings_.expect(line.decision != "PASS", line.frame + ", damaged, is PASS");
    --waiting_;
  }

  scenario::Cell cell_{[] {
    scenario::CellOptions options;
    options.push_results = false;
    return options;
  }()};
  std::mt19937 random_;
  Findings& findings_;
  std::vector<Sample> samples_;
  std::string recipe_ = [] {
    std::string text = scenario::Cell::recipe_text();
    return text.replace(text.find("\"box\""), 5, "\"other\"");
  }();
  std::unique_ptr<scenario::Host> reader_, uploader_;
  std::uint32_t boards_ = 0;
  std::uint64_t frames_ = 0, texts_ = 0, stored_ = 0;
  int waiting_ = 0, answers_ = 0;
};

enum Kind { quiet, quiet_again, after, during, behind, kinds };
constexpr std::array<const char*, kinds> names{"alone", "alone again", "after damaged frames",
                                               "during damaged recipes", "right behind a damaged frame"};

double timed(Attacked& cell, Kind kind) {
  if (kind == after) {
    cell.deliver_damaged(batch - 1);
    cell.await_damaged();
  }
  if (kind == during) cell.upload_damaged(batch);
  if (kind == behind) cell.deliver_damaged(1);
  const double ms = cell.board();
  cell.await_uploads();
  return ms;
}

}  // namespace

void attack_the_parsers(const Order& order, Findings& findings) {
  Attacked cell(order.seed, findings);
  std::array<Series, kinds> series;
  for (unsigned round = 0; cell.inputs() < static_cast<std::uint64_t>(order.times); ++round) {
    // In another order each time, so that what comes before is no one's alone.
    for (unsigned i = 0; i < kinds; ++i) {
      const auto kind = static_cast<Kind>((round + i) % kinds);
      series[kind].take(timed(cell, kind));
    }
    cell.clean();
  }
  cell.finish();
  for (unsigned kind = 0; kind < kinds; ++kind)
    fmt::print("    board {:<29} median {:7.2f} ms, p99 {:7.2f} ms of {}\n", names[kind],
               series[kind].at(0.5), series[kind].at(0.99), series[kind].size());
  if (series[quiet].size() < 1000) return;  // a p99 of fewer boards is a few worst ones
  // What else runs here shows between the two quiet series. Recipes in flight take processor time, and up to five turns of the
  // loop of 1 ms each (command_link.cpp).
  const auto judge = [&](Kind kind, double more_ms) {
    const double base = std::max(series[quiet].at(0.99), series[quiet_again].at(0.99));
    const double ms = series[kind].at(0.99);
    findings.expect(ms <= 1.1 * base + more_ms,
                    fmt::format("p99 of a board {} is {:.2f} ms, alone {:.2f} ms", names[kind], ms, base));
  };
  judge(after, 0);
  judge(during, 5);
}

}  // namespace datum::faults
