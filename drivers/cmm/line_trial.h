// LineTrial: interprets a device's bytes with one preset, line by line, and lists the missing settings. For
// setting up a device; the daemon uses CmmReader.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "drivers/cmm/codec.h"
#include "drivers/cmm/line_reader.h"

namespace datum {

struct TriedLine {
  std::string text;
  LineReading reading;
  MonotonicNs at_ns = 0;  // of its last byte
};

class LineTrial {
 public:
  /// Settings that a preset leaves to the cell (implied decimals, positions of other axes) are set to zero
  /// and listed by needs(). Throws RefusedError as check() does.
  explicit LineTrial(CmmSettings settings);

  void receive(std::string_view bytes, MonotonicNs at);
  void pause(MonotonicNs now);
  /// Lines since the last call.
  std::vector<TriedLine> take_lines();

  const std::string& preset() const { return settings_.preset; }
  const CmmSettings& settings() const { return settings_; }
  std::size_t lines() const { return lines_; }          // complete lines, good or bad
  std::size_t read() const { return read_; }            // lines that carry an axis
  std::size_t positions() const { return positions_; }  // complete positions within their limits
  /// Faults of lines or positions by state: their number and the first one.
  struct Fault {
    std::size_t count = 0;
    std::string first;
  };
  const std::map<ProbeState, Fault>& faults() const { return faults_; }
  /// Necessary changes, as text; empty where every position is good.
  std::vector<std::string> needs() const;

 private:
  void take(const Line& line);
  void note(ProbeState state, const std::string& detail);
  std::vector<std::string> axis_needs() const;

  CmmSettings settings_;
  std::vector<std::string> left_to_the_cell_;
  LineFramer framer_;
  LineReader reader_;
  CmmCodec codec_;
  std::vector<TriedLine> fresh_;
  std::size_t bytes_ = 0, lines_ = 0, read_ = 0, positions_ = 0;
  std::set<std::size_t> axes_seen_;
  std::set<std::string> unknown_labels_;
  std::map<ProbeState, Fault> faults_;
};

/// Presets ranked by the positions, then the lines, that they read. Those that read nothing are last, in the
/// order of line_preset_names().
std::vector<const LineTrial*> ranked(const std::vector<LineTrial>& trials);

}  // namespace datum
