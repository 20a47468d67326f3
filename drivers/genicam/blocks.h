// Stream of an opened camera: blocks are received into their own memory, without a copy on the way to a
// frame. Internal to this folder because it shows Aravis' types.
#pragma once

#include <arv.h>

#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "drivers/genicam/camera.h"

namespace datum::genicam {

struct BlockLimits {
  std::size_t payload_bytes = 0;
  int socket_buffer_bytes = 0;
  int retention_us = 0;  // silence after which a block is given up
};

class Blocks {
 public:
  /// Starts receiving. Throws as Failure::check does.
  Blocks(ArvDevice* device, const BlockLimits& limits, const CameraTools& tools);
  ~Blocks();
  Blocks(const Blocks&) = delete;
  Blocks& operator=(const Blocks&) = delete;

  /// The next block that is complete or was given up.
  std::optional<Delivery> next();
  bool receiving();
  /// Has the oldest block in progress worked on, as far as it has arrived. On next()'s thread.
  void follow(const BlockBegins& begins, const Setup& setup);

 private:
  using Memory = std::vector<std::uint8_t>;
  struct Lent {
    const ArvBuffer* buffer = nullptr;
    const Memory* memory = nullptr;
  };
  struct Begun {
    MonotonicNs first_packet_ns = 0;
    Lent lent;                           // where its bytes go
    std::uint64_t transferred_then = 0;  // of the stream
  };

  static void told(void* self, ArvStreamCallbackType type, ArvBuffer* buffer);
  void begins(MonotonicNs now);
  void lend_memory();
  void lend(ArvBuffer* buffer, const Memory* memory);
  std::uint64_t transferred() const;

  BlockLimits limits_;
  const CameraTools& tools_;
  ArvStream* stream_ = nullptr;
  std::mutex mutex_;
  std::deque<Lent> lent_;    // Aravis fills them in this order
  std::deque<Begun> begun_;  // blocks in progress
  bool is_order_known_ = true;
  /// First and last packets of blocks not yet returned by next().
  std::map<const ArvBuffer*, std::pair<MonotonicNs, MonotonicNs>> ended_;
  std::set<const ArvBuffer*> taken_before_;  // popped before their callback
  std::optional<guint> transferred_info_;    // of the stream's counters; none: it has no such one
  std::map<const Memory*, std::shared_ptr<BlockWork>> works_;  // of next()'s thread
};

}  // namespace datum::genicam
