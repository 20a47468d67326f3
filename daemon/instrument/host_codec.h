// HostCodec: the language of one host, bytes in and whole lines out. No clock, no descriptor, no thread.
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

  /// Asked before each command is executed; false holds it and all behind it until resume().
  using Pace = std::function<bool()>;
  void on_command(Pace pace) { pace_ = std::move(pace); }

  /// Commands that were executed and not refused. An empty line is none.
  std::uint64_t executed() const { return executed_; }

  /// Executes every command that is complete.
  virtual void receive(std::string_view bytes) = 0;
  /// Commands wait because the pace was exceeded: the caller reads no more until resume() has emptied them.
  virtual bool waits() const = 0;
  virtual void resume() = 0;
  /// A command is still being done, and what follows it stays with the host: the caller reads no more until it has ended, which
  /// instrument_changed() tells.
  virtual bool full() const { return false; }
  /// The host waits for an answer that comes by itself: the end of an operation.
  virtual bool owes() const { return false; }
  /// Lines that are ready, each with its end; the caller sends them in this order and whole.
  virtual std::vector<std::string> take_answers() = 0;
  /// Something changed in the instrument: an operation ended, a condition came or went.
  virtual void instrument_changed() = 0;
  /// The link broke: half a command and unsent answers are forgotten.
  virtual void link_lost() = 0;
  /// An error that no command caused.
  virtual void raise(int number, const std::string& detail) = 0;

  /// Whether a stored result goes out unasked, and as which bytes.
  virtual bool pushes_results() const = 0;
  virtual std::string pushed(const BoardVerdict& verdict) const = 0;
  /// What tells that results are not sent on this link; empty: this language has no such line.
  virtual std::string gap(const std::string& store_id, std::uint64_t from, std::uint64_t to) const = 0;

 protected:
  bool in_pace() { return !pace_ || pace_(); }
  void count_executed() { ++executed_; }

 private:
  std::uint64_t executed_ = 0;
  Pace pace_;
};

}  // namespace datum
