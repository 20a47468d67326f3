// A Modbus TCP connection: pieces with and without a valid MBAP header. The first byte of a piece gives its kind and
// length. Each request gets one answer until the stream is out of step.
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "daemon/modbus/image.h"
#include "daemon/modbus/session.h"
#include "tests/fuzz/fuzz_target.h"

using namespace datum;
using namespace datum::modbus;

namespace {

using Bytes = std::vector<std::uint8_t>;

// MODBUS Messaging on TCP/IP Implementation Guide V1.0b, 3.1.3. A length counts the unit; function code 16 announces at
// most 255 bytes after 6.
constexpr std::size_t header_bytes = 7, least_length = 2, most_length = 1 + 6 + 255;
constexpr int most_pieces = 48;  // a session takes 50 requests without a delay

/// The wire of an input.
Bytes stream_of(std::string_view bytes) {
  Bytes wire;
  std::uint8_t transaction = 0;
  for (int piece = 0; piece < most_pieces && !bytes.empty(); ++piece) {
    const auto head = static_cast<unsigned char>(bytes.front());
    const auto n = std::min<std::size_t>(bytes.size() - 1, head & 0x3F);
    Bytes body(bytes.begin() + 1, bytes.begin() + 1 + static_cast<std::ptrdiff_t>(n));
    if (head & 0x80) body.resize(4 * body.size());  // a long request of few bytes
    if (head & 0x40) {
      const std::size_t length = body.size() + 1;
      const Bytes header{++transaction,
                         0xA5,
                         0,
                         0,
                         static_cast<std::uint8_t>(length >> 8),
                         static_cast<std::uint8_t>(length),
                         17};
      wire.insert(wire.end(), header.begin(), header.end());
    }
    wire.insert(wire.end(), body.begin(), body.end());
    bytes.remove_prefix(1 + n);
  }
  for (const int byte : {0xBE, 0xEF, 0, 0, 0, 6, 1, 3, 0, 0, 0, 1})
    wire.push_back(static_cast<std::uint8_t>(byte));
  return wire;
}

std::size_t length_at(const Bytes& wire, std::size_t at) { return wire[at + 4] << 8 | wire[at + 5]; }

/// False: no complete frame in step begins there.
bool is_frame(const Bytes& wire, std::size_t at) {
  if (wire.size() - at < header_bytes || wire[at + 2] != 0 || wire[at + 3] != 0) return false;
  const std::size_t length = length_at(wire, at);
  return length >= least_length && length <= most_length && wire.size() - at >= header_bytes - 1 + length;
}

/// What a session sends for the bytes.
Bytes answers_to(const Bytes& wire) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return {};
  fuzz::expect(::send(ends[1], wire.data(), wire.size(), 0) == static_cast<ssize_t>(wire.size()),
               "all is sent");
  ::shutdown(ends[1], SHUT_WR);
  Image image;
  image.result = image.fifo = empty_window();
  Mailbox mailbox(-1, std::make_shared<const Image>(image));
  mailbox.close();  // a write is answered at once: modbus_host executes writes
  fuzz::expect(!Session(ends[0], mailbox).run(-1), "a session ends with its peer");
  ::close(ends[0]);
  Bytes heard;
  std::array<std::uint8_t, 4096> some;
  for (ssize_t n; (n = ::read(ends[1], some.data(), some.size())) > 0;)
    heard.insert(heard.end(), some.data(), some.data() + n);
  ::close(ends[1]);
  return heard;
}

}  // namespace

DATUM_FUZZ_TARGET(modbus_tcp) {
  const Bytes wire = stream_of(bytes), heard = answers_to(wire);
  std::size_t answer = 0;
  for (std::size_t at = 0; is_frame(wire, at); at += header_bytes - 1 + length_at(wire, at)) {
    fuzz::expect(is_frame(heard, answer), "each request has an answer");
    const auto request = wire.begin() + static_cast<std::ptrdiff_t>(at);
    const auto begin = heard.begin() + static_cast<std::ptrdiff_t>(answer);
    fuzz::expect(std::equal(begin, begin + 2, request) && begin[6] == request[6],
                 "it names its request and unit");
    const bool is_exception = begin[7] == (request[7] | 0x80) && length_at(heard, answer) == 3;
    fuzz::expect(begin[7] == request[7] || is_exception,
                 "it answers the function, or with an exception's code");
    answer += header_bytes - 1 + length_at(heard, answer);
  }
  fuzz::expect(answer == heard.size(), "nothing but answers is sent");
}
