#include "drivers/scanner/scanner_link.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace datum {
namespace {

// A line that never ends must not keep the loop: 16 KiB a round are beyond what a line brings meanwhile.
constexpr int reads_per_event = 16;

LinkLimits limits() {
  LinkLimits limits;
  limits.last_back_off_ms = 2000;  // a board waits for its number
  return limits;
}

}  // namespace

ScannerLink::ScannerLink(std::unique_ptr<Port> port, ScannerSettings settings, OnScan on_scan,
                         OnState on_state)
    : settings_(std::move(settings)),
      on_scan_(std::move(on_scan)),
      on_state_(std::move(on_state)),
      framer_(settings_.prefix, settings_.suffix, settings_.silence_ms * ns_per_ms),
      link_(
          std::move(port), limits(),
          [this](MonotonicNs) {
            was_open_ = true;
            on_state_(true, false, describe());
          },
          [this](const std::string& why, MonotonicNs now) { lost(why, now); }) {
  link_.start_at(0);
}

void ScannerLink::on_ready(MonotonicNs now) {
  std::array<std::uint8_t, 1024> bytes{};
  link_.run(now, [&] {
    for (int i = 0; i < reads_per_event; ++i) {
      const std::size_t n = link_.read(bytes.data(), bytes.size(), now);
      if (n == 0) break;
      link_.good();
      for (const Scan& scan : framer_.receive({reinterpret_cast<const char*>(bytes.data()), n}, now))
        pass_on(scan, now);
    }
  });
}

std::optional<MonotonicNs> ScannerLink::deadline() const {
  return earliest({link_.deadline(), framer_.deadline()});
}

void ScannerLink::on_deadline(MonotonicNs now) {
  if (const auto unfinished = framer_.on_deadline(now)) pass_on(*unfinished, now);
  link_.on_deadline(now);
}

void ScannerLink::pass_on(const Scan& scan, MonotonicNs now) {
  ScannedSerial read = scan.fault.empty() ? serial_of(scan.bytes, settings_) : ScannedSerial{"", scan.fault};
  ++(read.fault.empty() ? scans_ : refused_);
  on_scan_(read, hex_of(scan.bytes), now);
}

void ScannerLink::lost(const std::string& why, MonotonicNs now) {
  const bool was_open = std::exchange(was_open_, false);
  if (was_open) {
    const auto cut = framer_.cut();
    on_scan_({"", cut ? cut->fault : "the scanner's line was lost: " + why}, "", now);
  }
  if (was_open || link_.refused() || link_.record().attempts == 1) on_state_(false, link_.refused(), why);
}

std::string ScannerLink::describe() const {
  return fmt::format("scanner, {}: {}, {} scans, {} refused", link_.port().describe(), link_.describe(),
                     scans_, refused_);
}

}  // namespace datum
