// How a frame's bytes are read; the frame is the same whatever they say.
#pragma once

#include <memory>

#include "drivers/frame/frame_buffers.h"
#include "drivers/frame/hash_scheme.h"
#include "gpu/core/early_frame.h"

namespace datum {

struct ReadSettings {
  unsigned threads = 1;
  HashScheme scheme = HashScheme::tree;             // of the frame's identity
  std::shared_ptr<FrameBuffers> buffers = nullptr;  // null: none are kept
  std::shared_ptr<EarlyPixels> early = nullptr;     // takes pixels while they are read; null: nobody
};

}  // namespace datum
