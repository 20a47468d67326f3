// 100,000 boards with random faults through the real daemon; it can be interrupted at any moment and continues.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <random>

#include "tests/scenario/hostile_peers.h"
#include "tests/scenario/scenario_cell.h"
#include "tests/scenario/soak/soak_frames.h"
#include "tests/scenario/soak/soak_host.h"
#include "tests/scenario/soak/soak_record.h"

namespace datum::soak {

struct Settings {
  std::filesystem::path folder;
  int boards = 100'000;
  std::uint64_t seed = 1;
  Rhythm rhythm;
};

class Soak {
 public:
  explicit Soak(const Settings& settings);
  /// Runs until `boards` have their result. Throws std::runtime_error for wrong behaviour of the daemon.
  void run();
  /// Reads the results as a new host; returns the number of differences from those received before.
  std::uint64_t compare_with_store();
  const Record& record() const { return record_; }
  std::filesystem::path store() const { return cell_ / "results.db"; }

 private:
  using Clock = std::chrono::steady_clock;
  void write_cell() const;
  void start();
  void restart(int signal);
  void connect();
  void choose(const std::string& recipe);
  void deliver(const Board& board);
  bool is_delivered(const Board& board) const;
  void take(const ResultLine& line);
  /// Waits until every board up to this number has its result.
  void await(int number, Mark mark);
  int burst(int number);
  void commit(const Board& board);
  void strangers() const;
  void rewrite_recipe(const Board& board) const;
  /// All peers disconnect, the folders are emptied, and the daemon's resources are recorded.
  void look(int number);
  std::string log_end() const;

  Settings settings_;
  std::filesystem::path cell_, drop_;
  Record record_;
  Frames frames_;
  scenario::Notify notify_;
  std::unique_ptr<scenario::Program> daemon_;
  std::unique_ptr<SoakHost> host_;
  std::unique_ptr<scenario::HostilePeers> peers_;
  int port_ = 0, life_ = 0, next_ = 1;
  std::string recipe_;
  std::map<int, Clock::time_point> delivered_;  // boards whose result is outstanding
  scenario::Usage before_;
  Mark next_mark_ = Mark::plain;
};

}  // namespace datum::soak
