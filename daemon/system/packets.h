// Packets between datumd and its child processes over a SOCK_SEQPACKET socket.
#pragma once

#include <cstddef>
#include <string>

namespace datum {

/// Copies a text into an array of a message, truncated to fit, always with a terminating NUL.
template <std::size_t n>
void put_text(char (&to)[n], const std::string& text) {
  const std::size_t length = text.size() < n - 1 ? text.size() : n - 1;
  for (std::size_t i = 0; i < n; ++i) to[i] = i < length ? text[i] : '\0';
}
/// The text in an array that another process wrote, up to its NUL or its end; unprintable characters become '?'.
template <std::size_t n>
std::string get_text(const char (&from)[n]) {
  std::string text;
  for (std::size_t i = 0; i < n && from[i] != '\0'; ++i)
    text += from[i] >= ' ' && from[i] != 0x7f ? from[i] : '?';
  return text;
}

/// Sends one packet, with a descriptor where fd >= 0. False: the other side is gone. Throws std::runtime_error for any
/// other failure.
bool send_packet(int socket, const void* data, std::size_t size, int fd = -1);
/// Receives one packet. Returns its size (larger than `capacity` where it was truncated), 0 where the other side is gone,
/// -1 where no packet waits. The caller owns a received descriptor.
long receive_packet(int socket, void* data, std::size_t capacity, int* fd, bool wait);

}  // namespace datum
