// CmmCodec: positions from bytes and their receive times. No I/O, no clock: equal bytes and times give equal
// samples.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>

#include "drivers/cmm/line_framer.h"
#include "drivers/cmm/line_reader.h"
#include "drivers/cmm/position_watch.h"
#include "drivers/cmm/settings.h"

namespace datum {

class CmmCodec {
 public:
  /// Throws RefusedError as check() does.
  explicit CmmCodec(const CmmSettings& settings);

  /// The link was opened. No state is kept, except that a lost reference stays lost. The first line of a
  /// free-running device may be incomplete and is dropped.
  void reset();
  /// Begins a round of polls; earlier bytes do not belong to it. Without polls every axis set is a round.
  void begin_round(MonotonicNs poll_sent);
  void receive(const std::uint8_t* bytes, std::size_t size, MonotonicNs at);
  /// Time at which a pause ends the current line and pause() is due. None: no pause ends a line.
  std::optional<MonotonicNs> ends_by_pause() const { return framer_.ends_by_pause(); }
  /// No byte arrived until `now`.
  void pause(MonotonicNs now);
  /// Positions, or reasons why a line is none, in order. Empty: more bytes are needed.
  std::optional<ProbePoint> next();
  /// Positions that the device latched at a touch, or reasons why one is not usable. next() never returns
  /// them.
  std::optional<ProbePoint> next_touch();
  /// While `on`, no poll is sent: an axis set that arrives was sent by the device's contact, key or button
  /// and is a touch. No effect on GRBL, whose touches have their own lines.
  void listen(bool on);
  /// The answer is missing or incomplete at its deadline: next() returns a partial or stale sample.
  void give_up(MonotonicNs now);

  /// Polled: a sample of this round is outstanding.
  bool in_round() const { return in_round_; }
  /// Answered or accepted strings of this round; the next string may be sent.
  std::size_t answers() const { return answers_; }
  /// settings.setup has to be sent: the device has not reported its unit, or it may have changed.
  bool needs_setup() const { return settings_.device_tells_unit && reader_.grbl().wants_unit(); }
  /// An operator confirms homing since the position was lost.
  void confirm_referenced() {
    reader_.grbl().confirm_referenced();
    watch_.confirm_referenced();
  }
  /// Dropped lines that no poll had requested.
  std::uint64_t unsolicited() const { return unsolicited_; }

 private:
  struct Group {
    std::vector<std::optional<double>> values;  // as displayed, in the configured unit, per settings.axes
    std::size_t filled = 0;
    MonotonicNs first_byte_ns = 0, last_byte_ns = 0;
  };

  void take(const Line& line);
  bool take_acknowledgement(std::uint8_t byte, MonotonicNs at);
  void add(const Line& line, const LineReading& reading);
  bool begins_group(const Line& line, const LineReading& reading);
  std::string wrong_answer(const LineReading& reading) const;
  void add_latched(const Line& line, const LineReading& reading);
  void finish_group();
  void emit(ProbeState state, const std::string& detail, MonotonicNs first, MonotonicNs last,
            const ProbePoint& at = {});
  std::string missing_axes() const;
  bool polled() const { return !settings_.poll.strings.empty() && !listening_; }

  CmmSettings settings_;
  LineFramer framer_;
  LineReader reader_;
  PositionWatch watch_;
  Group group_;
  std::deque<ProbePoint> samples_, touches_;
  bool listening_ = false;
  bool in_round_ = false;
  bool misaligned_ = false;  // free-running: lines are not grouped until the start of a group is certain
  MonotonicNs last_line_ns_ = 0;
  std::size_t answers_ = 0;
  MonotonicNs poll_sent_ns_ = 0;
  std::uint64_t sequence_ = 0, unsolicited_ = 0;
};

}  // namespace datum
