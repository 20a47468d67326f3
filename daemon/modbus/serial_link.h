// Modbus RTU on a serial line, in a thread of its own that reopens the line after a disconnection.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "daemon/modbus/register_server.h"
#include "daemon/modbus/settings.h"

namespace datum::modbus {

/// The loop only reads its description; the descriptor belongs to its thread.
class SerialLink final : public Pollable, public LinkStatusProvider {
 public:
  /// Throws RefusedError for invalid settings.
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
  Reconnector link_;  // used by the thread
  std::thread thread_;
};

}  // namespace datum::modbus
