// The stream of an opened camera: blocks that are received into memory of their own, so that nothing is copied on the
// way to a frame. Not for use outside this folder: it shows Aravis' types.
#pragma once

#include <arv.h>

#include <deque>
#include <mutex>

#include "drivers/genicam/camera.h"

namespace datum::genicam {

struct BlockLimits {
  std::size_t payload_bytes = 0;
  int socket_buffer_bytes = 0;
  int retention_us = 0;  // without a packet, then a block is given up
};

class Blocks {
 public:
  /// Begins to receive. Throws as Failure::check does.
  Blocks(ArvDevice* device, const BlockLimits& limits, const CameraTools& tools);
  ~Blocks();
  Blocks(const Blocks&) = delete;
  Blocks& operator=(const Blocks&) = delete;

  /// The next one that is complete or was given up.
  std::optional<Delivery> next();

 private:
  static void told(void* self, ArvStreamCallbackType type, ArvBuffer* buffer);
  void lend_memory();

  BlockLimits limits_;
  const CameraTools& tools_;
  ArvStream* stream_ = nullptr;
  std::mutex mutex_;
  std::deque<MonotonicNs> begun_;  // first packets of blocks under way
  std::deque<std::pair<MonotonicNs, MonotonicNs>>
      ended_;  // first and last of blocks that next() has not given
};

}  // namespace datum::genicam
