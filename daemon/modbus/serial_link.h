// Modbus RTU on a serial line, served by a thread of its own that opens the line again after it was unplugged.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "daemon/modbus/register_server.h"
#include "daemon/modbus/settings.h"

namespace datum::modbus {

/// On the loop only to be described: its descriptor is its thread's.
class SerialLink final : public Pollable, public LinkStatusProvider {
 public:
  /// Throws RefusedError where the settings are none.
  SerialLink(const SerialLineSettings& settings, RegisterServer& desk, LogSink log);
  ~SerialLink() override;

  int fd() const override { return -1; }
  void on_ready(MonotonicNs) override {}
  std::optional<MonotonicNs> deadline() const override { return std::nullopt; }
  void on_deadline(MonotonicNs) override {}
  std::string describe() const override;
  std::optional<LinkReport> report(MonotonicNs now) const override;

 private:
  void serve();
  bool open();
  void opened();
  void lost(const std::string& why);
  bool pause(int ms) const;
  void say(int priority, const std::string& state);

  SerialLineSettings settings_;
  RegisterServer& desk_;
  LogSink log_;
  std::shared_ptr<Mailbox> mailbox_;
  mutable std::mutex mutex_;
  std::string state_ = "waiting to open";
  LinkReport report_;
  int stop_;
  Reconnector link_;  // the thread's
  std::thread thread_;
};

}  // namespace datum::modbus
