// The real datumd beside a bench, measuring the board of bench_board.h from one source of frames.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/scenario/scenario_cell.h"

namespace datum::bench {

using Clock = std::chrono::steady_clock;

inline double ms_between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double, std::milli>(to - from).count();
}

inline constexpr const char* sensor_serial = "67890";

struct PathOptions {
  int boards = 60, warm_up = 5, sustained = 40;
  bool gpu = false;
  unsigned threads = 0;  // of the host's own work; 0: one per core
  bool cold = false;     // the first part comes as soon as the cell is armed
  std::filesystem::path memory = "/dev/shm", disk = "/var/tmp";
};

/// What is measured.
struct PathScene {
  std::string profile;                                                     // of the sensor, as TOML
  std::function<void(const std::filesystem::path& recipes)> write_recipe;  // named bench, with its files
};
/// The board of bench_board.h.
PathScene board_scene(const std::string& handedness = "right");
/// The part of bench_part.h.
PathScene part_scene();

class PathCell {
 public:
  /// `sensor`: the table [sensor] without its profile, and what belongs to it. datumd is beside this program; its folder
  /// and its store are in options.disk.
  PathCell(const PathOptions& options, const PathScene& scene, const std::string& sensor);

  const std::filesystem::path& path() const { return cell_->path(); }
  scenario::Host& host() { return *host_; }
  /// Waits until DIAGnostic:LINK? has these words, then arms.
  void arm_when(const std::string& link);
  /// The next pushed line, which must be a PASS. Throws with the verdict otherwise.
  Clock::time_point await_pass();
  /// "cuda ..." or "avx512 x2", as the verdict names it.
  std::string backend() const;
  /// As the newest stored verdict names it.
  std::string backend_of_verdict() const;
  /// Waits until datumd's log has these words.
  void await_log(const std::string& words);
  /// Of datumd since its start, user and system; of its child processes nothing.
  double cpu_ms() const;
  /// Of stored results, their steps by name in the order of the way.
  std::vector<std::pair<std::string, std::vector<double>>> steps_ms(std::uint64_t first,
                                                                    std::uint64_t last) const;

 private:
  std::unique_ptr<scenario::Cell> cell_;
  std::unique_ptr<scenario::Host> host_;
};

/// How frames come to the cell.
struct Deliverer {
  std::function<void(int n)> deliver;                 // frame `n`; may return before its last byte
  std::function<Clock::time_point()> last_byte_time;  // of the last frame; asked when its line came
};

struct PathTimes {
  std::vector<double> ms;  // from the last byte to the line at the host
  double cpu_ms = 0;       // of datumd for a board
  std::vector<std::pair<std::string, std::vector<double>>> steps_ms;  // by datumd itself
};

/// One board at a time.
PathTimes times_of(PathCell& cell, const PathOptions& options, const Deliverer& deliverer);

}  // namespace datum::bench
