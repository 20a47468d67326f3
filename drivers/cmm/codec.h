// CmmCodec: bytes with their receive time -> positions. No I/O, no clock: the same bytes and times give the
// same samples.
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

  /// The link was opened: nothing is carried over, except that a lost reference stays lost. The first line of
  /// a free-running device may have begun before and is dropped.
  void reset();
  /// A round of polls begins; what has come before does not belong to it. Without polls every axis set is a
  /// round.
  void begin_round(MonotonicNs poll_sent);
  void receive(const std::uint8_t* bytes, std::size_t size, MonotonicNs at);
  /// When a pause ends the line that has begun: pause() must be called then. None: no pause ends a line.
  std::optional<MonotonicNs> ends_by_pause() const { return framer_.ends_by_pause(); }
  /// Nothing has come until `now`.
  void pause(MonotonicNs now);
  /// Positions and reasons why there is none, in order; nothing: more bytes are needed.
  std::optional<ProbePoint> next();
  /// Positions that the device latched at a touch, and reasons why one can't be used. They are never among
  /// next().
  std::optional<ProbePoint> next_touch();
  /// No poll is sent while `on`: an axis set that comes now was sent by the device's contact, key or button
  /// and is a touch. No effect on GRBL, whose touches have a line of their own.
  void listen(bool on);
  /// No answer, or not the whole of it, came in time: leaves a partial or stale sample to next().
  void give_up(MonotonicNs now);

  /// Polled: a sample of this round is still to come.
  bool in_round() const { return in_round_; }
  /// Strings of this round that were answered or accepted: the next one may go out.
  std::size_t answers() const { return answers_; }
  /// The device is to tell what settings.setup asks for: it has not yet, or it may have changed.
  bool needs_setup() const { return settings_.device_tells_unit && reader_.grbl().wants_unit(); }
  /// An operator states that the machine was homed since its position was lost.
  void confirm_referenced() {
    reader_.grbl().confirm_referenced();
    watch_.confirm_referenced();
  }
  /// Lines that no poll had asked for, dropped.
  std::uint64_t unsolicited() const { return unsolicited_; }

 private:
  struct Group {
    std::vector<std::optional<double>> values;  // as shown, in the configured unit, per settings.axes
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
            const std::array<double, 3>& position_mm = {});
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
  bool misaligned_ = false;  // free-running: lines belong to no group until one surely begins
  MonotonicNs last_line_ns_ = 0;
  std::size_t answers_ = 0;
  MonotonicNs poll_sent_ns_ = 0;
  std::uint64_t sequence_ = 0, unsolicited_ = 0;
};

}  // namespace datum
