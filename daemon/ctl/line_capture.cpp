#include "daemon/ctl/line_capture.h"

#include <algorithm>
#include <utility>

#include "drivers/cmm/presets.h"

namespace datum {
namespace {

constexpr MonotonicNs pause_ns = 50 * ns_per_ms;  // longer than any gap within a line at 1200 baud
constexpr std::size_t longest = 256;

bool ends_lines(char c) { return c == '\r' || c == '\n' || c == '\x03'; }

}  // namespace

LineCapture::LineCapture(const std::optional<CmmSettings>& chosen) {
  if (chosen) chosen_.emplace(*chosen);
  for (const std::string& name : line_preset_names()) trials_.emplace_back(preset_by_name(name));
}

void LineCapture::cut() {
  ended_ = false;
  if (line_.bytes.empty()) return;
  if (chosen_) line_.readings = chosen_->take_lines();
  for (LineTrial& trial : trials_) trial.take_lines();  // only counted
  ++lines_;
  fresh_.push_back(std::exchange(line_, {}));
}

void LineCapture::receive(std::string_view bytes, MonotonicNs at) {
  pause(at);
  last_byte_ns_ = at;
  bytes_ += bytes.size();
  for (const char c : bytes) {
    const bool ends = ends_lines(c);
    if ((ended_ && !ends) || line_.bytes.size() == longest) cut();
    if (line_.bytes.empty()) line_.at_ns = at;
    line_.bytes += c;
    ended_ = ends;
    if (chosen_) chosen_->receive({&c, 1}, at);
    for (LineTrial& trial : trials_) trial.receive({&c, 1}, at);
  }
}

void LineCapture::pause(MonotonicNs now) {
  if (chosen_) chosen_->pause(now);
  for (LineTrial& trial : trials_) trial.pause(now);
  if (now - last_byte_ns_ >= pause_ns) cut();
}

void LineCapture::end(MonotonicNs now) {
  pause(now);
  cut();
}

std::vector<CapturedLine> LineCapture::take() { return std::exchange(fresh_, {}); }

bool LineCapture::understood() const {
  if (chosen_) return chosen_->positions() > 0;
  return std::any_of(trials_.begin(), trials_.end(), [](const LineTrial& t) { return t.positions() > 0; });
}

}  // namespace datum
