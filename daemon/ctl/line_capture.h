// LineCapture: what came over a link, cut into lines as a person would, beside what presets make of it. Values
// only; for `datumctl listen`.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "drivers/cmm/line_trial.h"

namespace datum {

struct CapturedLine {
  MonotonicNs at_ns = 0;            // of its first byte
  std::string bytes;                // with its end
  std::vector<TriedLine> readings;  // by the chosen preset, of the lines that ended within it
};

class LineCapture {
 public:
  /// `chosen`: the preset or configuration to judge by; none: every known preset is tried and none is chosen.
  /// Throws RefusedError as LineTrial does.
  explicit LineCapture(const std::optional<CmmSettings>& chosen);

  void receive(std::string_view bytes, MonotonicNs at);
  /// Nothing came until `now`: a line that has begun may end by it.
  void pause(MonotonicNs now);
  /// Nothing more comes.
  void end(MonotonicNs now);
  /// Lines that have ended since the last call.
  std::vector<CapturedLine> take();

  std::size_t lines() const { return lines_; }
  std::size_t bytes() const { return bytes_; }
  const LineTrial* chosen() const { return chosen_ ? &*chosen_ : nullptr; }
  /// Every known preset, the one that reads most first.
  std::vector<const LineTrial*> ranked() const { return datum::ranked(trials_); }
  /// A position came: by the chosen preset, or, where none is, by any.
  bool understood() const;

 private:
  void cut();

  std::optional<LineTrial> chosen_;
  std::vector<LineTrial> trials_;
  CapturedLine line_;
  MonotonicNs last_byte_ns_ = 0;
  bool ended_ = false;  // the line's last byte ends lines: what is no such byte begins the next one
  std::size_t lines_ = 0, bytes_ = 0;
  std::vector<CapturedLine> fresh_;
};

/// Bytes as text: \r \n \t \\ and \xNN where they are no printable ASCII.
std::string escaped(std::string_view bytes);
/// "X 12.5, Y -3.25, Z 0.125 mm", or why there is none.
std::string reading_text(const TriedLine& line, const CmmSettings& settings);
/// "   0.250  X= 1.0 mm\r" and a line for each reading; `origin_ns`: what times count from.
std::string heard_text(const CapturedLine& line, const LineCapture& hearing, MonotonicNs origin_ns);
/// What every preset read, and what the chosen one needs.
std::string summary_text(const LineCapture& hearing);
nlohmann::ordered_json heard_json(const CapturedLine& line, const LineCapture& hearing,
                                  MonotonicNs origin_ns);
nlohmann::ordered_json summary_json(const LineCapture& hearing);

}  // namespace datum
