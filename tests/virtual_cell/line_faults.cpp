#include "tests/virtual_cell/line_faults.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace datum {

LineFaults::LineFaults(const LineFaultSettings& settings) : settings_(settings), engine_(settings.seed) {
  for (const double p :
       {settings.drop, settings.duplicate, settings.flip, settings.stall, settings.hang_up}) {
    if (!(p >= 0)) throw std::invalid_argument("line faults: a probability is 0 to 1");
    rate_ += p;
  }
  if (rate_ > 1) throw std::invalid_argument("line faults: the probabilities are together more than 1");
  if (settings.stall_ns < 0 || settings.delay_ns < 0 || settings.jitter_ns < 0)
    throw std::invalid_argument("line faults: a time is negative");
  draw_distance();
}

/// Uniform in (0, 1), without its bounds.
double LineFaults::uniform() { return (static_cast<double>(engine_() >> 11) + 0.5) * 0x1p-53; }

/// The number of bytes until a fault of constant probability per byte is geometrically distributed.
void LineFaults::draw_distance() {
  clean_ = std::numeric_limits<std::uint64_t>::max();
  if (rate_ <= 0) return;
  const double distance = rate_ >= 1 ? 0 : std::floor(std::log(uniform()) / std::log1p(-rate_));
  if (distance < 1e18) clean_ = static_cast<std::uint64_t>(distance);
}

LineFaults::Fault LineFaults::draw_fault() {
  double at = uniform() * rate_;
  if ((at -= settings_.drop) < 0) return Fault::drop;
  if ((at -= settings_.duplicate) < 0) return Fault::duplicate;
  if ((at -= settings_.flip) < 0) return Fault::flip;
  return at - settings_.stall < 0 || settings_.hang_up == 0 ? Fault::stall : Fault::hang_up;
}

void LineFaults::put(std::string_view bytes, MonotonicNs now) {
  while (!bytes.empty() && !broken_) {
    const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(clean_, bytes.size()));
    pass(std::string(bytes.substr(0, n)), now);
    count_.bytes += n;
    clean_ -= n;
    bytes.remove_prefix(n);
    if (bytes.empty()) return;
    ++count_.bytes;
    if (!meet(bytes.front(), now)) return;
    bytes.remove_prefix(1);
    draw_distance();
  }
}

/// False: the connection ends with this byte.
bool LineFaults::meet(char c, MonotonicNs now) {
  switch (draw_fault()) {
    case Fault::drop:
      ++count_.dropped;
      return true;
    case Fault::duplicate:
      ++count_.duplicated;
      pass(std::string(2, c), now);
      return true;
    case Fault::flip:
      ++count_.flipped;
      pass(std::string(1, static_cast<char>(c ^ (1 << engine_() % 8))), now);
      return true;
    case Fault::stall:
      ++count_.stalls;
      stalled_until_ = std::max(stalled_until_, now + settings_.stall_ns);
      pass(std::string(1, c), now);
      return true;
    case Fault::hang_up:
      ++count_.hang_ups;
      broken_ = true;
      pieces_.push_back({"", std::max(now, pieces_.empty() ? now : pieces_.back().due)});
      draw_distance();
      return false;
  }
  return true;
}

void LineFaults::pass(std::string bytes, MonotonicNs now) {
  if (bytes.empty()) return;
  MonotonicNs due = std::max(now, stalled_until_) + settings_.delay_ns;
  if (settings_.jitter_ns > 0)
    due += static_cast<MonotonicNs>(uniform() * static_cast<double>(settings_.jitter_ns));
  held_ += bytes.size();
  if (!pieces_.empty() && pieces_.back().due == due) {
    pieces_.back().bytes += bytes;
  } else {
    pieces_.push_back({std::move(bytes), due});
  }
}

std::string LineFaults::take(MonotonicNs now) {
  if (pieces_.empty() || pieces_.front().due > now || pieces_.front().bytes.empty()) return {};
  std::string& first = pieces_.front().bytes;
  std::string out = settings_.split ? first.substr(0, 1) : first;
  first.erase(0, out.size());
  held_ -= out.size();
  if (first.empty()) pieces_.pop_front();
  return out;
}

bool LineFaults::hung_up(MonotonicNs now) const {
  return !pieces_.empty() && pieces_.front().bytes.empty() && pieces_.front().due <= now;
}

void LineFaults::reopen() {
  pieces_.clear();
  held_ = 0;
  stalled_until_ = 0;
  broken_ = false;
}

std::optional<MonotonicNs> LineFaults::deadline() const {
  if (pieces_.empty()) return std::nullopt;
  return pieces_.front().due;
}

}  // namespace datum
