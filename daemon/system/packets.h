// Packets between datumd and a process of its own, over a socket that keeps them whole (SOCK_SEQPACKET).
#pragma once

#include <cstddef>
#include <string>

namespace datum {

/// Copies a text into an array of a message, cut where it is too long, always ended by a zero.
template <std::size_t n>
void put_text(char (&to)[n], const std::string& text) {
  const std::size_t length = text.size() < n - 1 ? text.size() : n - 1;
  for (std::size_t i = 0; i < n; ++i) to[i] = i < length ? text[i] : '\0';
}
/// The text of an array that another process wrote: up to its zero or its end, unprintable characters as '?'.
template <std::size_t n>
std::string get_text(const char (&from)[n]) {
  std::string text;
  for (std::size_t i = 0; i < n && from[i] != '\0'; ++i)
    text += from[i] >= ' ' && from[i] != 0x7f ? from[i] : '?';
  return text;
}

/// Sends one packet, with a descriptor where fd >= 0. False: nobody is there any more. Throws
/// std::runtime_error for all else.
bool send_packet(int socket, const void* data, std::size_t size, int fd = -1);
/// Takes one packet if there is one. Returns its size (larger than `capacity` where it was cut), 0 where the
/// other side is gone, -1 where none is there. A descriptor that came with it is the caller's.
long receive_packet(int socket, void* data, std::size_t capacity, int* fd, bool wait);

}  // namespace datum
