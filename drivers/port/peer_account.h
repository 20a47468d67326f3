// Account of the process at the other end of a local TCP connection.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace datum {

/// User id of the socket `peer` ("127.0.0.1:41576", "[::1]:41576", as TcpListener names it) of an established
/// connection to `port`, from the kernel's connection table (Linux,
/// Documentation/networking/proc_net_tcp.rst). None: the table lacks the connection, or is too large to read.
std::optional<std::uint32_t> account_of_peer(const std::string& peer, int port);

/// The same from a table's text.
std::optional<std::uint32_t> account_in(std::string_view table, const std::string& peer, int port);

}  // namespace datum
