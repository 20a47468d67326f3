// SocketPort: an outgoing or accepted TCP connection. Internal to this folder.
#pragma once

#include <sys/socket.h>

#include <string>

#include "drivers/port/fd_port.h"

namespace datum {

class SocketPort : public FdPort {
 public:
  std::size_t write(const std::uint8_t* from, std::size_t size) override;
};

/// Sets TCP_NODELAY and keepalive: a peer without power is detected after 5 + 3 x 2 s.
void tune_socket(int socket);
/// "192.168.0.7:5025", "[fe80::1]:5025".
std::string text_of(const sockaddr_storage& address, socklen_t size);

}  // namespace datum
