#include "daemon/system/packets.h"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace datum {

bool send_packet(int socket, const void* data, std::size_t size, int fd) {
  iovec part{const_cast<void*>(data), size};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  if (fd >= 0) {
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(header), &fd, sizeof fd);
  }
  for (;;) {
    // The socket is full where the other side does not read; this side must not wait.
    const auto sent = ::sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) return true;
    if (errno == EINTR) continue;
    if (errno == EPIPE || errno == ECONNRESET) return false;
    throw std::runtime_error(std::string("a message can't be sent: ") + std::strerror(errno));
  }
}

long receive_packet(int socket, void* data, std::size_t capacity, int* fd, bool wait) {
  iovec part{data, capacity};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  if (fd) {
    *fd = -1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
  }
  for (;;) {
    const auto got = ::recvmsg(socket, &message, MSG_TRUNC | MSG_CMSG_CLOEXEC | (wait ? 0 : MSG_DONTWAIT));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return -1;
    if (got < 0) return 0;
    for (cmsghdr* h = CMSG_FIRSTHDR(&message); fd && h; h = CMSG_NXTHDR(&message, h)) {
      if (h->cmsg_level == SOL_SOCKET && h->cmsg_type == SCM_RIGHTS)
        std::memcpy(fd, CMSG_DATA(h), sizeof *fd);
    }
    return got;
  }
}

}  // namespace datum
