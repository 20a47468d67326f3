// The one network interface that the camera of this program sees. Aravis' fake camera answers only on an address that
// an interface of the host states, and always on port 3956; the loopback answers on all of 127.0.0.0/8 and states one.
#pragma once

#include <string>

namespace datum {

/// From now on this process has one interface, the loopback with this address, so that several cameras stand side by
/// side on one computer. Throws std::invalid_argument: not within 127.0.0.0/8.
void state_loopback_address(const std::string& address);

}  // namespace datum
