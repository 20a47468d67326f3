#include "drivers/scanner/scan_framer.h"

#include <fmt/format.h>

#include <utility>

namespace datum {

std::vector<Scan> ScanFramer::receive(std::string_view bytes, MonotonicNs now) {
  std::vector<Scan> scans;
  // The loop may be late: a silence counts although its deadline was not served.
  if (auto unfinished = on_deadline(now)) scans.push_back(std::move(*unfinished));
  heard_ns_ = now;
  for (const char c : bytes) {
    if (bytes_.empty() && !passes_over_ && (c == '\r' || c == '\n')) continue;
    bytes_ += c;
    if (bytes_.ends_with(suffix_)) {
      std::string scan = std::exchange(bytes_, "");
      scan.resize(scan.size() - suffix_.size());
      if (std::exchange(passes_over_, false)) continue;
      if (!scan.starts_with(prefix_))
        scans.push_back({"", fmt::format("{} bytes came without the prefix", scan.size())});
      else if (scan.size() > prefix_.size())
        scans.push_back({scan.substr(prefix_.size()), ""});
    } else if (passes_over_ && bytes_.size() > suffix_.size()) {
      bytes_.erase(0, 1);
    } else if (bytes_.size() > most_bytes) {
      scans.push_back({"", fmt::format("more than {} bytes came without the suffix", most_bytes)});
      bytes_.clear();
      passes_over_ = true;
    }
  }
  return scans;
}

std::optional<MonotonicNs> ScanFramer::deadline() const {
  return bytes_.empty() && !passes_over_ ? std::nullopt : std::optional(heard_ns_ + silence_);
}

std::optional<Scan> ScanFramer::on_deadline(MonotonicNs now) {
  const auto due = deadline();
  if (!due || now < *due) return std::nullopt;
  const bool was_said = std::exchange(passes_over_, false);
  const std::size_t count = std::exchange(bytes_, "").size();
  if (was_said) return std::nullopt;
  return Scan{"", fmt::format("{} bytes came without the suffix", count)};
}

std::optional<Scan> ScanFramer::cut() {
  const std::size_t count = std::exchange(bytes_, "").size();
  if (std::exchange(passes_over_, false) || count == 0) return std::nullopt;
  return Scan{"", fmt::format("the line was lost after {} bytes of a scan", count)};
}

}  // namespace datum
