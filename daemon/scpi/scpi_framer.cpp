#include "daemon/scpi/scpi_framer.h"

#include <fmt/format.h>

#include <utility>

#include "daemon/instrument/scpi_error.h"

namespace datum::scpi {

void Framer::feed(std::string_view bytes, const Sink& sink) {
  for (const char c : bytes) take(c, sink);
}

void Framer::clear() {
  place_ = Place::plain;
  may_begin_block_ = false;
  block_bytes_ = 0;
  current_ = {};
}

void Framer::refuse(int error, std::string detail) {
  place_ = Place::discard;
  current_ = {"", error, std::move(detail)};
}

void Framer::finish(const Sink& sink) {
  place_ = Place::plain;
  may_begin_block_ = false;
  block_bytes_ = 0;
  sink(std::exchange(current_, {}));
}

void Framer::take(char c, const Sink& sink) {
  const bool counted = place_ == Place::block_data;
  if (c == '\n' && !counted) return finish(sink);
  if (place_ == Place::discard) return;
  if (!counted && current_.message.size() - block_bytes_ == longest_message)
    return refuse(input_buffer_overrun,
                  fmt::format("a message may have {} bytes; the rest up to LF is ignored", longest_message));
  current_.message += c;
  switch (place_) {
    case Place::plain:
      return plain(c);
    case Place::quoted:
      if (c == quote_) place_ = Place::plain;
      return;
    case Place::block_digits:
    case Place::block_length:
      return length_digit(c);
    case Place::block_data:
      ++block_bytes_;
      if (--block_left_ == 0) place_ = Place::plain;
      return;
    case Place::discard:
      return;
  }
}

void Framer::plain(char c) {
  const bool blank = static_cast<unsigned char>(c) <= ' ';
  if (c == '"' || c == '\'') {
    place_ = Place::quoted;
    quote_ = c;
  } else if (c == '#' && may_begin_block_) {
    place_ = Place::block_digits;
  }
  may_begin_block_ = c == ',' || blank;
}

void Framer::length_digit(char c) {
  if (place_ == Place::block_digits) {
    place_ = c >= '1' && c <= '9' ? Place::block_length
                                  : Place::plain;  // #H, #Q, #B: a number; #0: the parser refuses it
    digits_left_ = c - '0';
    block_left_ = 0;
    return;
  }
  if (c < '0' || c > '9')
    return refuse(invalid_block_data, "the length of a block is written in decimal digits");
  block_left_ = block_left_ * 10 + static_cast<std::size_t>(c - '0');
  if (--digits_left_ > 0) return;
  if (block_left_ > longest_block - block_bytes_)
    return refuse(too_much_data, fmt::format("a block of {} bytes; at most {}", block_left_, longest_block));
  place_ = block_left_ == 0 ? Place::plain : Place::block_data;
}

}  // namespace datum::scpi
