// 100,000 boards through the real daemon, with faults at random; it can be cut off at any moment and goes on.
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
  /// Until `boards` have their result. Throws std::runtime_error where the daemon does not do what it must.
  void run();
  /// The results as a host that comes later gets them: how many differ from what this one got.
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
  /// Until every board up to this number has its result.
  void await(int number, Mark mark);
  int burst(int number);
  void commit(const Board& board);
  void strangers() const;
  void rewrite_recipe(const Board& board) const;
  /// All guests leave, the folders are emptied, and what the daemon takes is written down.
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
  std::map<int, Clock::time_point> delivered_;  // whose result is awaited
  scenario::Usage before_;
  Mark next_mark_ = Mark::plain;
};

}  // namespace datum::soak
