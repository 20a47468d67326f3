// A small cell in a fresh folder: one recipe of one box, frames of 200 x 200 pixels, the real datumd.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tests/fresh_folder.h"
#include "tests/scenario/scenario_host.h"
#include "tests/scenario/scenario_program.h"

namespace datum::scenario {

/// The notification socket of a service manager, read all the time: a full socket would block the daemon.
class Notify {
 public:
  explicit Notify(const std::filesystem::path& path);
  ~Notify();
  Notify(const Notify&) = delete;
  Notify& operator=(const Notify&) = delete;

  /// Readable when a message waits.
  int fd() const { return arrived_; }
  /// The next message that begins with `text`; others are skipped. "": the program ended, or timeout.
  std::string await(const std::string& text, const Program& sender);
  /// The next waiting message; "": none.
  std::string next();
  /// Drops all that was sent until now, also what the kernel still holds: a program that has ended says nothing more.
  void forget();

 private:
  void collect();
  /// Under the mutex, so that no message is between the socket and the list. False: none was there.
  bool take_one();

  int socket_, arrived_, stop_;
  std::mutex mutex_;
  std::deque<std::string> messages_;
  std::thread reader_;
};

struct CellOptions {
  std::string trigger = "on_frame";
  bool arm_at_start = true;
  bool push_results = true;
  int frame_timeout_ms = 30'000;
  std::string role = "configure";  // of TCP hosts; empty: key absent
  std::string daemon = "datumd";   // name or path
  std::string more = "";  // further tables of the configuration; FOLDER is replaced by the cell's folder
};

constexpr double good_height_um = 500, bad_height_um = 700;  // limits: 460 and 540

class Cell {
 public:
  explicit Cell(const CellOptions& options = {});

  const std::filesystem::path& path() const { return folder_.path(); }
  std::filesystem::path drop() const { return path() / "drop"; }
  /// Writes a file in the cell's folder.
  void write(const std::string& name, const std::string& text) const { folder_.write(name, text); }
  /// The text of the recipe; only the tolerance varies.
  static std::string recipe_text(double tolerance_um = 40);

  /// Starts datumd without waiting.
  Program& launch(const std::map<std::string, std::string>& environment = {});
  /// Starts datumd and waits until it is ready. Throws otherwise.
  Program& start(const std::map<std::string, std::string>& environment = {});
  Program& daemon() { return *daemon_; }
  Notify& notify() { return notify_; }
  /// Port of the last started daemon, which must be ready.
  int tcp_port() const;
  std::unique_ptr<Host> connect() const { return std::make_unique<Host>(connect_tcp(tcp_port())); }

  /// Moves NAME.ptr into the drop folder in one step.
  void deliver(const std::string& name, const std::string& bytes) const;
  /// Bus mode: triggers, and waits until the sensor may expose.
  void trigger(Host& host) const;
  /// The same, then delivers a good board.
  void trigger_and_deliver(Host& host, const std::string& name) const;

  /// All stored verdicts as datumctl prints them, oldest first.
  nlohmann::json results() const;
  /// Sorted names in a folder.
  std::vector<std::string> list(const std::string& folder) const;

 private:
  datum::testing::FreshFolder folder_;
  Notify notify_;
  std::unique_ptr<Program> daemon_;
  const std::string program_;
  int starts_ = 0;
  mutable std::uint32_t delivered_ = 0;  // by trigger_and_deliver: each frame has another noise
};

/// A .ptr file: a tilted plane of 10 x 10 mm with a box of 3 x 2 mm in the middle, noise of 3 um.
std::string frame_of_box(double height_um, std::uint32_t seed);

/// Comma-separated fields of an answer.
inline std::vector<std::string> fields(const std::string& answer) { return plc::split(answer); }

}  // namespace datum::scenario
