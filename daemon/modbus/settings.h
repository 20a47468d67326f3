// Settings of the Modbus links, [host.modbus_tcp] and [host.modbus_serial].
#pragma once

#include <cstdint>
#include <string>

#include "daemon/instrument/lock_arbiter.h"
#include "drivers/port/allow_list.h"
#include "drivers/port/port.h"

namespace datum::modbus {

struct TcpSettings {
  std::string address = "127.0.0.1";  // numeric; whoever reaches it can command the cell
  // The standard's 502 needs CAP_NET_BIND_SERVICE, which the service does not have: nothing else of it needs a privilege.
  std::uint16_t port = 1502;  // 0: a free one
  int most_connections = 8;   // one more is closed at once
  int most_per_address = 0;   // daemon/hosts/host_places.h
  AllowList allow;            // of peers
  Role role = Role::operate;
  int idle_s = 60;  // a host that asks nothing for so long and has no control makes room for one more
};

struct SerialLineSettings {
  SerialSettings line{"", 0, 8, Parity::even, 1, FlowControl::none};  // path and baud are given
  int unit = 1;                                                       // 1 to 247
  Role role = Role::operate;
};

}  // namespace datum::modbus
