// The network of the camera of this process: one interface, and a link that carries so much and no more.
//
// Aravis' fake camera answers only on an address that an interface of the host states, and always on port 3956; the loopback
// answers on all of 127.0.0.0/8 and states one. It sends a frame as fast as it can, which the loopback takes at once and no
// socket's buffer holds; a camera's link is slower than that.
#pragma once

#include <string>

namespace datum {

/// From now on this process has one interface, the loopback with this address, so that several cameras stand side by
/// side on one computer. Throws std::invalid_argument: not within 127.0.0.0/8.
void state_loopback_address(const std::string& address);

/// Packets of this process leave it no faster; 0: as fast as they come.
void set_link_speed(double bytes_per_s);

}  // namespace datum
