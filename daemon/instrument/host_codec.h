// HostCodec: the protocol of one host, bytes in and whole lines out. No clock, no descriptor, no thread of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/inspection/verdict/verdict.h"

namespace datum {

class HostCodec {
 public:
  virtual ~HostCodec() = default;

  /// Called before each command; false holds it and all commands after it until resume().
  using Pace = std::function<bool()>;
  void on_command(Pace pace) { pace_ = std::move(pace); }

  /// Number of executed commands without refused ones. An empty line is no command.
  std::uint64_t executed() const { return executed_; }

  /// Executes every complete command.
  virtual void receive(std::string_view bytes) = 0;
  /// The rate limit holds commands: the caller stops reading until resume() has executed them.
  virtual bool waits() const = 0;
  virtual void resume() = 0;
  /// An operation holds the commands after it: the caller stops reading until instrument_changed() ends it.
  virtual bool full() const { return false; }
  /// The host waits for an answer at the end of an operation.
  virtual bool owes() const { return false; }
  /// Complete lines with their ends; the caller sends them in this order and never splits them.
  virtual std::vector<std::string> take_answers() = 0;
  /// An operation ended, or a condition of the instrument changed.
  virtual void instrument_changed() = 0;
  /// The link broke: discards an incomplete command and unsent answers.
  virtual void link_lost() = 0;
  /// Enqueues an error that no command caused.
  virtual void raise(int number, const std::string& detail) = 0;

  /// True: stored results are sent unasked; pushed() gives the bytes.
  virtual bool pushes_results() const = 0;
  virtual std::string pushed(const BoardVerdict& verdict) const = 0;
  /// The line that names results omitted on this link; empty: the protocol has none.
  virtual std::string gap(const std::string& store_id, std::uint64_t from, std::uint64_t to) const = 0;

 protected:
  bool in_pace() { return !pace_ || pace_(); }
  void count_executed() { ++executed_; }

 private:
  std::uint64_t executed_ = 0;
  Pace pace_;
};

}  // namespace datum
