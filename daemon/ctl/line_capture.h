// LineCapture: bytes from a link split into lines, and their readings by presets. No descriptor, no clock; for `datumctl
// listen`.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "drivers/cmm/line_trial.h"

namespace datum {

struct CapturedLine {
  MonotonicNs at_ns = 0;            // time of its first byte
  std::string bytes;                // with its end
  std::vector<TriedLine> readings;  // by the chosen preset, of the lines that ended within it
};

class LineCapture {
 public:
  /// `chosen`: preset or configuration to apply; none: every known preset is tried. Throws RefusedError as LineTrial
  /// does.
  explicit LineCapture(const std::optional<CmmSettings>& chosen);

  void receive(std::string_view bytes, MonotonicNs at);
  /// No byte came until `now`: an incomplete line may end here.
  void pause(MonotonicNs now);
  /// End of the capture.
  void end(MonotonicNs now);
  /// Lines that ended since the last call.
  std::vector<CapturedLine> take();

  std::size_t lines() const { return lines_; }
  std::size_t bytes() const { return bytes_; }
  const LineTrial* chosen() const { return chosen_ ? &*chosen_ : nullptr; }
  /// Every known preset, the one with most readings first.
  std::vector<const LineTrial*> ranked() const { return datum::ranked(trials_); }
  /// True: the chosen preset, or any without a choice, read a position.
  bool understood() const;

 private:
  void cut();

  std::optional<LineTrial> chosen_;
  std::vector<LineTrial> trials_;
  CapturedLine line_;
  MonotonicNs last_byte_ns_ = 0;
  bool ended_ = false;  // the last byte is a line end; any other byte begins the next line
  std::size_t lines_ = 0, bytes_ = 0;
  std::vector<CapturedLine> fresh_;
};

/// Bytes as text: \r \n \t \\ and \xNN for unprintable bytes.
std::string escaped(std::string_view bytes);
/// "X 12.5, Y -3.25, Z 0.125 mm", or why there is no position.
std::string reading_text(const TriedLine& line, const CmmSettings& settings);
/// "   0.250  X= 1.0 mm\r" and one line per reading; times count from `origin_ns`.
std::string heard_text(const CapturedLine& line, const LineCapture& hearing, MonotonicNs origin_ns);
/// Readings by each preset, and missing settings of the chosen one.
std::string summary_text(const LineCapture& hearing);
nlohmann::ordered_json heard_json(const CapturedLine& line, const LineCapture& hearing,
                                  MonotonicNs origin_ns);
nlohmann::ordered_json summary_json(const LineCapture& hearing);

}  // namespace datum
