// The reader and the virtual server on one wire, in injected time.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "drivers/cmm/presets.h"
#include "drivers/ipp/ipp_reader.h"
#include "tests/virtual_cell/virtual_ipp_server.h"

namespace datum::testing {

/// The server answers the reader's output at once; its bytes wait until they are read.
class IppWire final : public Port {
 public:
  IppWire(VirtualIppServer& server, MonotonicNs& now) : server_(server), now_(now) {}

  bool reachable = true, cut = false;
  std::string queued;
  std::function<void(const std::string& line)> on_line;  // an output line of the reader

  void open() override {
    if (!reachable) throw LostError("wire: nobody there");
    open_ = true;
    cut = false;
    queued.clear();
    server_.hung_up();
  }
  void close() noexcept override { open_ = false; }
  bool is_open() const override { return open_; }
  int fd() const override { return -1; }
  std::size_t read(std::uint8_t* to, std::size_t room) override {
    if (cut) throw LostError("wire: reset by peer");
    const std::size_t size = std::min(room, queued.size());
    std::copy_n(queued.begin(), size, to);
    queued.erase(0, size);
    return size;
  }
  std::size_t write(const std::uint8_t* from, std::size_t size) override {
    const std::string bytes(reinterpret_cast<const char*>(from), size);
    if (on_line) on_line(bytes.substr(0, bytes.find('\r')));
    queued += server_.receive(bytes, now_);
    return size;
  }
  std::string describe() const override { return "wire"; }

 private:
  VirtualIppServer& server_;
  MonotonicNs& now_;
  bool open_ = false;
};

struct IppRig {
  MonotonicNs now = 1000 * ns_per_ms;
  VirtualIppServer server;
  IppWire* wire;
  IppReader reader;
  std::vector<ProbePoint> samples, touches;

  explicit IppRig(const CmmSettings& settings)
      : wire(new IppWire(server, now)), reader(settings, std::unique_ptr<Port>(wire)) {
    server.machine.place({10, 20, 30});
    reader.on_sample([this](const ProbePoint& p, MonotonicNs) { samples.push_back(p); });
    reader.on_touch([this](const ProbePoint& p, MonotonicNs) { touches.push_back(p); });
    reader.start(now);
  }
  /// Action of an operator at the machine.
  void order(const std::string& line) {
    if (line == "reset" || line == "leave") wire->cut = true;
    if (line == "leave" || line == "return") wire->reachable = line == "return";
    if (line == "reset" || line == "leave" || line == "return") return;
    wire->queued += server.order(line, now);
  }
  void attend() {
    for (int i = 0;
         i < 1000 && (wire->cut || !wire->queued.empty() || reader.wants_write()) && wire->is_open(); ++i)
      reader.on_ready(now);
  }
  /// Advances the time from deadline to deadline.
  void pass(int ms) {
    const MonotonicNs end = now + ms * ns_per_ms;
    attend();
    while (now < end) {
      MonotonicNs next = end;
      if (const auto due = reader.deadline()) next = std::min(next, *due);
      if (const auto due = server.deadline()) next = std::min(next, *due);
      now = std::max(now, next);
      wire->queued += server.advance(now);
      reader.on_deadline(now);
      attend();
    }
  }
  /// Time in ms until a good position; -1 if none came within a minute.
  int until_good() {
    const std::size_t seen = samples.size();
    for (int ms = 0; ms <= 60'000; ms += 10) {
      const auto good = [](const ProbePoint& p) { return p.state == ProbeState::ok; };
      if (std::any_of(samples.begin() + static_cast<std::ptrdiff_t>(seen), samples.end(), good)) return ms;
      pass(10);
    }
    return -1;
  }
};

inline CmmSettings ipp_cell() {
  CmmSettings settings = ipp_dme();
  settings.link = TcpSettings{"127.0.0.1", 1294};
  settings.ipp.tool = "Probe1";
  return settings;
}

}  // namespace datum::testing
