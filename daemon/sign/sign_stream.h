// Lines and counted bytes between datumd and datumd-sign over a Unix socket, all of one conversation within one time.
//
//   datumd:       LAST <store id>                      datumd-sign:  NONE  or  HEAD <bytes>, and a signed head of so many bytes
//   datumd:       SIGN <store id> <link> <SHA-256>     the head that was signed last; where none was, the one to be signed
//                 <bytes>, and a link's body           for each link behind it
//                 0                                    datumd-sign:  SIGNED <bytes> ...  or  REFUSED <why>
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace datum {

/// The other side is gone, silent, or says what can't be; what() says which.
class SignStreamError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class SignStream {
 public:
  /// Takes the socket over. After `timeout` every call throws.
  SignStream(int socket, std::chrono::milliseconds timeout);
  ~SignStream();
  SignStream(const SignStream&) = delete;
  SignStream& operator=(const SignStream&) = delete;

  /// Without its line feed. None has more than 512 bytes.
  std::string line();
  /// So many bytes as they come, in parts.
  void take(std::uint64_t bytes, const std::function<void(std::string_view)>& part);
  void send(std::string_view bytes);

  /// A whole number that is all of a text, at most `most`. Throws SignStreamError.
  static std::uint64_t number_of(std::string_view text, std::uint64_t most);

 private:
  void wait(short events) const;
  void fill();

  int socket_;
  std::chrono::steady_clock::time_point end_;
  std::string taken_;
};

}  // namespace datum
