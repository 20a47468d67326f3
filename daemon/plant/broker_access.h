// The way to the broker that the settings name: TCP, TLS over it, and who goes there. Files are read anew for each connection, so
// that renewed certificates, lists and passwords count without a restart.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "daemon/plant/amqp_session.h"
#include "daemon/store/broker_settings.h"
#include "drivers/port/port.h"

namespace datum {

/// A port that is not open yet, and who goes there.
struct BrokerAccess {
  std::unique_ptr<Port> port;
  AmqpIdentity who;
};

/// `container`: the id of this client. `table`: of the settings, for messages ("plant"). `utc_s`: s since 1970-01-01, for the validity of
/// certificates. Throws RefusedError that names a file that is missing, damaged, or open to others.
BrokerAccess broker_access(const BrokerSettings& settings, const std::string& container,
                           const std::string& table, const std::function<std::int64_t()>& utc_s);

}  // namespace datum
