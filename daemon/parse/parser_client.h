// The daemon's end of datumd-parse: starts it, hands it orders, takes answers, and never waits beyond a deadline.
//
// Whatever the process does (ends, is killed, hangs, takes too much memory, speaks nonsense) is a ParserEnded here: the input
// that it did it over is refused, and the next input goes to a second process that stands by, started and confined: no
// input waits for a start. An input whose process ended before it took the order goes to the next process.
#pragma once

#include <chrono>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "daemon/parse/parse_output.h"
#include "daemon/system/child_process.h"

namespace datum {

/// The process did not survive an input, or could not be started: why, in words.
class ParserEnded : public std::runtime_error {
 public:
  ParserEnded(const std::string& what, bool over_input) : std::runtime_error(what), over_input(over_input) {}
  const bool over_input;
};

using ByteParts = std::vector<std::span<const std::uint8_t>>;

struct ParserClientSettings {
  std::filesystem::path program = program_beside_this("datumd-parse");
  std::uint64_t memory_bytes = 0, result_bytes = 0;  // ConfinementLimits
  // A process is started in some ms; a controller that boots has other work.
  std::chrono::milliseconds start_timeout{10'000};
  // An input's deadline: the slowest reader, of printed numbers, takes some 10 ns a byte. Its processor time is over sooner, so
  // that what loops holds the next frame up no longer than a reader could work; the rest is for a computer that is busy.
  std::chrono::milliseconds timeout{5'000}, cpu_timeout{1'000};
  std::chrono::nanoseconds timeout_a_byte{50};
  /// Told of each input over which the process ended, with the process's end in words. From the thread that parses.
  std::function<void(const ParseOrder& order, const ByteParts& parts, const std::string& why)> on_end{};
};

class ParserClient {
 public:
  explicit ParserClient(ParserClientSettings settings) : settings_(std::move(settings)) {}

  /// Starts it and waits for its greeting: whether it is confined. Throws ParserEnded.
  bool start();
  pid_t pid() const;
  /// The process that stands by.
  pid_t spare_pid() const;

  /// Hands the parts over, calls `meanwhile`, and then `take` with the answer. A refusal is text: `refused` is called with it
  /// and with the head. Throws ParserEnded, and what the callbacks throw.
  void parse(ParseOrder order, const ByteParts& parts, const std::function<void()>& meanwhile,
             const std::function<void(ParsedOutput&)>& take,
             const std::function<void(const std::string& text, FlatReader head)>& refused);

 private:
  using Clock = std::chrono::steady_clock;

  struct Parser {
    ChildProcess process;
    ParseBlock input, output;
    std::optional<bool> confined;  // none: not greeted yet
    Clock::time_point started;
  };
  void launch(Parser& parser);
  void replace();
  void make_ready();
  bool greeted(Parser& parser);
  void hand_over(const ParseOrder& order, const ByteParts& parts);
  bool was_taken(const ParseOrder& order) const;
  void parse_once(ParseOrder& order, const ByteParts& parts,
                  const std::function<std::exception_ptr()>& meanwhile,
                  const std::function<void(ParsedOutput&)>& take,
                  const std::function<void(const std::string&, FlatReader)>& refused);
  struct Timeout {
    std::chrono::nanoseconds all, cpu;
  };
  std::optional<std::chrono::nanoseconds> cpu_time() const;
  void limit_cpu(std::chrono::nanoseconds until) const;
  ParseAnswer answered(std::uint32_t number, const Timeout& timeout,
                       std::optional<std::chrono::nanoseconds> cpu_before);
  std::vector<std::uint8_t> head_of(const ParseAnswer& answer) const;
  static std::string end_as_text(ChildProcess& process);

  const ParserClientSettings settings_;
  mutable std::mutex mutex_;
  std::unique_ptr<Parser> active_ = std::make_unique<Parser>(), spare_ = std::make_unique<Parser>();
  ArrayStock stock_;
  std::uint32_t number_ = 0;
};

}  // namespace datum
