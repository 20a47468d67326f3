// Framer: bytes in, whole program messages out, independent of the split of the bytes.
//
// A message ends at LF. An LF inside a definite length block (#<n><length><bytes>) is data. An LF inside a quoted string
// ends the message (the string is then refused), so that one lost quote does not join all further messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace datum::scpi {

/// One message without its LF, or the error that replaces it (then `message` is empty).
struct Framed {
  std::string message;
  int error = 0;
  std::string detail;
};

class Framer {
 public:
  static constexpr std::size_t longest_message = 65536;  // bytes, without those of blocks
  static constexpr std::size_t longest_block = 262144;   // bytes of all blocks in a message
  using Sink = std::function<void(Framed)>;

  void feed(std::string_view bytes, const Sink& sink);
  /// Discards an incomplete message after the link broke.
  void clear();

 private:
  enum class Place : std::uint8_t { plain, quoted, block_digits, block_length, block_data, discard };
  void take(char c, const Sink& sink);
  void plain(char c);
  void refuse(int error, std::string detail);
  void finish(const Sink& sink);
  void length_digit(char c);

  Place place_ = Place::plain;
  char quote_ = 0;
  bool may_begin_block_ = false;  // '#' begins a block only where a parameter may begin
  int digits_left_ = 0;
  std::size_t block_left_ = 0, block_bytes_ = 0;
  Framed current_;
};

}  // namespace datum::scpi
