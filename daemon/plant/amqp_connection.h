// AmqpConnection: a session over its port. It moves bytes; its user says what is sent, accepted and given up.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "daemon/plant/amqp_session.h"
#include "daemon/plant/broker_access.h"

namespace datum {

class AmqpConnection {
 public:
  /// Arguments as of AmqpSession. Throws std::bad_alloc.
  AmqpConnection(BrokerAccess access, const std::vector<std::string>& senders,
                 const std::string& source = "");
  ~AmqpConnection() { port_->close(); }
  AmqpConnection(const AmqpConnection&) = delete;
  AmqpConnection& operator=(const AmqpConnection&) = delete;

  // They throw LostError or RefusedError of the port.
  void open() { port_->open(); }
  /// What has come, into the session. True: some did.
  bool receive();
  /// What the session has, as far as the port takes it. True: it took some.
  bool transmit();
  /// Takes leave in order where that is possible at once; throws nothing.
  void close();

  AmqpSession& session() { return session_; }
  int fd() const { return port_->fd(); }
  /// A port that is not connected asks for itself: a handshake that waits for input would else spin on a writable socket.
  bool wants_write() const { return port_->wants_write() || (has_output_ && port_->connected()); }

 private:
  std::unique_ptr<Port> port_;
  AmqpSession session_;
  bool has_output_ = false;
};

}  // namespace datum
