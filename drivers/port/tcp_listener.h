// TcpListener: creates a Port for every connection.
#pragma once

#include <functional>
#include <memory>

#include "drivers/port/pollable.h"
#include "drivers/port/port.h"

namespace datum {

class TcpListener final : public Pollable {
 public:
  /// The new connection (non-blocking, open) and its peer's numeric address.
  using Accept = std::function<void(std::unique_ptr<Port>, const std::string& peer, MonotonicNs now)>;

  /// Listens on a numeric address ("127.0.0.1", "::", "0.0.0.0"); port 0 selects a free one, see port().
  /// Throws RefusedError where the address is not numeric, not of this host, in use or not permitted.
  /// `inherited`: an already listening socket, such as the service manager's, or -1; owned from here on. It
  /// is refused where it does not listen on the configured address and port.
  TcpListener(const std::string& address, std::uint16_t port, Accept accept, int inherited = -1);
  ~TcpListener() override;
  TcpListener(const TcpListener&) = delete;
  TcpListener& operator=(const TcpListener&) = delete;

  std::uint16_t port() const { return port_; }

  /// -1 for a second after the process ran out of descriptors; a pending connection would otherwise wake the
  /// loop continuously.
  int fd() const override { return paused_until_ ? -1 : fd_; }
  void on_ready(MonotonicNs now) override;
  std::optional<MonotonicNs> deadline() const override { return paused_until_; }
  void on_deadline(MonotonicNs now) override;
  std::string describe() const override;

 private:
  int fd_ = -1;
  std::string address_;
  std::uint16_t port_ = 0;
  Accept accept_;
  std::optional<MonotonicNs> paused_until_;
};

}  // namespace datum
