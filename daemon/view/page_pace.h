// Bounds the share of a processor's time that pages take, whoever asks for them and however often: inspections on the same computer come first. Pages are made
// one at a time. A request that finds the time used up waits; waiting addresses take turns, so that one of them that asks without a pause
// delays a page of another by one of its own. The clock is the caller's.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <list>
#include <optional>
#include <set>
#include <string>

namespace datum {

struct PaceSettings {
  double share = 0.05;  // of time, in the long run; 0 to 1
  std::chrono::steady_clock::duration burst = std::chrono::milliseconds(500);  // of pages after a rest
  std::size_t most_waiting = 32;                                               // further requests are refused
  std::set<std::string> free_paths{"/style.css"};  // cost next to nothing, and pages wait for them
};

/// A token bucket of working time and a fair queue. Not thread-safe.
class PagePace {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Duration = std::chrono::steady_clock::duration;
  using Request = void*;  // whatever names it
  enum class Turn : std::uint8_t { now, later, refused };

  PagePace(const PaceSettings& settings, Time now);

  /// now: its page is under way until done(). later: next() will give it.
  Turn ask(const std::string& address, Request request, Time now);
  /// The page under way took `work`, of a processor.
  void done(Duration work, Time now);
  /// The request has gone, whether it waits or is under way.
  void forget(Request request);
  /// The request whose turn it is, and which is under way from now on; none: nothing waits, or it is too early.
  std::optional<Request> next(Time now);
  /// When next() will give one; none: nothing waits, or a page is under way.
  std::optional<Time> due() const;
  /// From `now` until a page may begin, without those that wait.
  Duration pause(Time now);

 private:
  struct Address {
    std::string name;
    std::deque<Request> requests;
  };
  void refill(Time now);
  std::size_t waiting() const;

  PaceSettings settings_;
  std::chrono::duration<double> left_;  // at `at_`; negative: owed
  Time at_;
  std::optional<Request> under_way_;
  std::list<Address> addresses_;  // that wait, by their turns
};

}  // namespace datum
