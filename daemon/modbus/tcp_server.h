// Modbus TCP: a listener on the loop, a thread per connection. A peer that sends incomplete frames, or does not read,
// blocks only its own thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "daemon/hosts/host_places.h"
#include "daemon/modbus/register_server.h"
#include "daemon/modbus/settings.h"
#include "daemon/system/token_bucket.h"
#include "drivers/port/tcp_listener.h"

namespace datum::modbus {

class TcpLink;

class TcpServer final : public Pollable, public LinkStatusProvider {
 public:
  /// Listens, on the inherited socket where one is given (tcp_listener.h). Throws RefusedError where the address is not
  /// numeric, not of this host or in use, and where the inherited socket has another address.
  TcpServer(const TcpSettings& settings, RegisterServer& desk, LogSink log, int inherited = -1);
  ~TcpServer() override;

  std::uint16_t port() const { return listener_.port(); }
  std::size_t connections() const { return links_.size(); }

  int fd() const override { return listener_.fd(); }
  void on_ready(MonotonicNs now) override;
  std::optional<MonotonicNs> deadline() const override;
  void on_deadline(MonotonicNs now) override;
  std::string describe() const override;
  std::optional<LinkReport> report(MonotonicNs now) const override;

 private:
  void accept(std::unique_ptr<Port> port, const std::string& peer, MonotonicNs now);
  PlaceChoice place_for(const std::string& peer) const;
  bool make_room(MonotonicNs now, const std::string* of_peer);
  void tidy();
  void refuse(const std::string& why);

  TcpSettings settings_;
  RegisterServer& desk_;
  LogSink log_;
  TcpListener listener_;
  std::uint64_t accepted_ = 0;
  std::vector<std::unique_ptr<TcpLink>> links_;
  TokenBucket refusals_{1, 10};
};

}  // namespace datum::modbus
