#include "drivers/port/peer_account.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstring>
#include <fstream>
#include <sstream>

#include "drivers/port/allow_list.h"

namespace datum {
namespace {

constexpr std::size_t most_table_bytes = 1 << 20;  // some 7000 connections

/// "0100007F:A2BF": each word of the address in this machine's byte order.
std::string in_table(const std::string& peer) {
  const std::string address = address_of(peer);
  std::array<std::uint32_t, 4> words{};
  const bool v6 = address.find(':') != std::string::npos;
  const auto colon = peer.rfind(':');
  unsigned port = 0;
  if (colon == std::string::npos ||
      std::from_chars(peer.data() + colon + 1, peer.data() + peer.size(), port).ec != std::errc() ||
      ::inet_pton(v6 ? AF_INET6 : AF_INET, address.c_str(), words.data()) != 1)
    return "";
  std::string text;
  for (std::size_t i = 0; i < (v6 ? 4u : 1u); ++i) text += fmt::format("{:08X}", words[i]);
  return fmt::format("{}:{:04X}", text, port);
}

}  // namespace

std::optional<std::uint32_t> account_in(std::string_view table, const std::string& peer, int port) {
  const std::string wanted = in_table(peer), to = fmt::format(":{:04X}", port);
  if (wanted.empty()) return std::nullopt;
  std::istringstream lines{std::string(table)};
  for (std::string line; std::getline(lines, line);) {
    // sl, local, remote, state, queues, timer, retransmissions, uid; a socket without process has uid 0.
    std::istringstream fields(line);
    std::string number, local, remote, state, queues, timer, retransmissions;
    std::uint32_t account = 0;
    if (fields >> number >> local >> remote >> state >> queues >> timer >> retransmissions >> account &&
        local == wanted && remote.ends_with(to) && state == "01")
      return account;
  }
  return std::nullopt;
}

std::optional<std::uint32_t> account_of_peer(const std::string& peer, int port) {
  const bool v6 = peer.starts_with('[');
  std::ifstream in(v6 ? "/proc/net/tcp6" : "/proc/net/tcp");
  std::string table(most_table_bytes, '\0');
  in.read(table.data(), static_cast<std::streamsize>(table.size()));
  table.resize(static_cast<std::size_t>(in.gcount()));
  return account_in(table, peer, port);
}

}  // namespace datum
