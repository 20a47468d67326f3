// The data channel as it arrives: each message's fixed part is read by its fields, its pixels are received where
// the frame keeps them. Pure: no socket, no clock.
//
//   for (;;) { auto room = receiver.room(); receiver.received(port.read(room)); while (auto set = receiver.next()) ... }
#pragma once

#include <deque>

#include "drivers/gocator/data_set.h"

namespace datum::gocator {

class DataReceiver {
 public:
  /// A message of more bytes is refused; what is held is at most one such surface and one such intensity.
  explicit DataReceiver(std::size_t max_message_bytes) : max_message_bytes_(max_message_bytes) { reset(); }

  /// Where the next bytes belong; never empty.
  std::span<std::uint8_t> room();
  /// So many of them are there. Throws ProtocolError; reset() before going on.
  void received(std::size_t count);
  /// A complete data set.
  std::optional<DataSet> next();
  /// What came since the last complete data set, as it is.
  DataSet take();
  bool within_message() const { return part_ != Part::header || have_ > 0; }
  bool within_set() const { return within_message() || !set_.empty(); }
  void reset();

 private:
  enum class Part { header, attribute_size, attributes, pixels, body, skipped };

  void expect(Part part, std::size_t bytes);
  void part_ends();
  void header_ends();
  void attributes_end();
  void body_ends();
  void message_ends();
  bool is_grid() const;

  std::size_t max_message_bytes_;
  Part part_ = Part::header;
  std::size_t have_ = 0, need_ = 0;  // bytes of this part
  std::vector<std::uint8_t> head_;   // the message's bytes but its pixels
  MessageHeader header_;
  DataSet set_;
  std::deque<DataSet> complete_;
  std::vector<std::uint8_t> scratch_;  // what is skipped
};

}  // namespace datum::gocator
