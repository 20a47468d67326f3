// Lines and counted bytes between datumd and datumd-sign over a Unix socket, with one timeout per conversation.
//
//   datumd:       LAST <store id>                      datumd-sign:  NONE  or  HEAD <bytes>, and a signed head of that size
//   datumd:       SIGN <store id> <link> <SHA-256>     the last signed head; without one, the head to be signed
//                 <bytes>, and an entry's body         for each entry after it
//                 0                                    datumd-sign:  SIGNED <bytes> ...  or  REFUSED <why>
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace datum {

/// The other side is gone, silent, or violates the protocol; what() says which.
class SignStreamError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class SignStream {
 public:
  /// Owns the socket. After `timeout` every call throws.
  SignStream(int socket, std::chrono::milliseconds timeout);
  ~SignStream();
  SignStream(const SignStream&) = delete;
  SignStream& operator=(const SignStream&) = delete;

  /// One line without its line feed, at most 512 bytes.
  std::string line();
  /// Receives `bytes` bytes, passed on in parts.
  void take(std::uint64_t bytes, const std::function<void(std::string_view)>& part);
  void send(std::string_view bytes);

  /// Parses the whole text as a number, at most `most`. Throws SignStreamError.
  static std::uint64_t number_of(std::string_view text, std::uint64_t most);

 private:
  void wait(short events) const;
  void fill();

  int socket_;
  std::chrono::steady_clock::time_point end_;
  std::string taken_;
};

}  // namespace datum
