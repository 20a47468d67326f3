#include "daemon/plant/amqp_connection.h"

#include <stdexcept>

namespace datum {

AmqpConnection::AmqpConnection(BrokerAccess access, const std::vector<std::string>& senders,
                               const std::string& source)
    : port_(std::move(access.port)), session_(access.who, senders, source) {}

bool AmqpConnection::receive() {
  bool any = false;
  for (pn_rwbytes_t room = session_.room(); room.size > 0; room = session_.room()) {
    const std::size_t size = port_->read(reinterpret_cast<std::uint8_t*>(room.start), room.size);
    if (size == 0) break;
    session_.received(size);
    session_.process();
    any = true;
  }
  session_.process();
  return any;
}

bool AmqpConnection::transmit() {
  bool any = false;
  has_output_ = false;
  for (std::string_view bytes = session_.output(); !bytes.empty(); bytes = session_.output()) {
    const std::size_t size = port_->write(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    if (size == 0) {
      has_output_ = true;
      break;
    }
    session_.sent(size);
    any = true;
  }
  return any;
}

void AmqpConnection::close() {
  try {
    session_.close();
    transmit();
  } catch (const std::runtime_error&) {  // nothing is lost with it
  }
}

}  // namespace datum
