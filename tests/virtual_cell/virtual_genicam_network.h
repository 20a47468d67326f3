// Network of this process' camera: one interface, and a link of limited speed.
//
// Aravis' fake camera answers only on an address of one of the host's interfaces, and always on port 3956;
// the loopback answers on all of 127.0.0.0/8 and has one. It sends a frame as fast as it can: the loopback
// accepts it at once, which exceeds any socket's buffer, while a camera's link is slower.
#pragma once

#include <chrono>
#include <string>

namespace datum {

/// From now on this process has one interface, the loopback with this address, so that several cameras can
/// run on one computer. Throws std::invalid_argument for an address outside 127.0.0.0/8.
void state_loopback_address(const std::string& address);

/// Largest rate of this process' packets; 0: unlimited.
void set_link_speed(double bytes_per_s);

/// When the last packet of a frame was sent; the clock's epoch: none was.
std::chrono::steady_clock::time_point last_packet_time();

}  // namespace datum
