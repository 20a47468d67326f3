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

 private:
  static void told(void* self, ArvStreamCallbackType type, ArvBuffer* buffer);
  void lend_memory();

  BlockLimits limits_;
  const CameraTools& tools_;
  ArvStream* stream_ = nullptr;
  std::mutex mutex_;
  std::deque<MonotonicNs> begun_;  // first packets of blocks in progress
  /// First and last packets of blocks not yet returned by next().
  std::map<const ArvBuffer*, std::pair<MonotonicNs, MonotonicNs>> ended_;
  std::set<const ArvBuffer*> taken_before_;  // popped before their callback
};

}  // namespace datum::genicam
