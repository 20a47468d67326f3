// Receiver of the data channel: parses each message's fixed part, and receives pixels directly into the
// frame's memory. Pure: no socket, no clock.
//
//   for (;;) { auto room = receiver.room(); receiver.received(port.read(room)); while (auto set = receiver.next()) ... }
#pragma once

#include <deque>

#include "drivers/gocator/data_set.h"

namespace datum::gocator {

/// Who works on a surface while it arrives.
class SurfaceConsumer {
 public:
  virtual ~SurfaceConsumer() = default;
  /// Memory for so many heights, of any value.
  virtual std::vector<std::int16_t> heights(std::size_t pixels) { return std::vector<std::int16_t>(pixels); }
  /// Work on the heights of this set, whose surface begins; null: none.
  virtual std::unique_ptr<SurfaceWork> surface_begins(DataSet&) { return nullptr; }
};

class DataReceiver {
 public:
  /// A larger message is refused. At most one such surface and one such intensity are buffered.
  explicit DataReceiver(std::size_t max_message_bytes, SurfaceConsumer* consumer = nullptr)
      : max_message_bytes_(max_message_bytes), consumer_(consumer) {
    reset();
  }

  /// Buffer for the next bytes; never empty.
  std::span<std::uint8_t> room();
  /// Number of bytes written into room(). Throws ProtocolError; call reset() before continuing.
  void received(std::size_t count);
  std::optional<DataSet> next();
  /// The messages since the last complete data set.
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
  SurfaceConsumer* consumer_;  // null: nobody
  Part part_ = Part::header;
  std::size_t have_ = 0, need_ = 0;  // bytes of the current part
  std::vector<std::uint8_t> head_;   // the message's bytes except its pixels
  MessageHeader header_;
  DataSet set_;
  std::deque<DataSet> complete_;
  std::vector<std::uint8_t> scratch_;  // for skipped bytes
};

}  // namespace datum::gocator
