// Work on a block's bytes while a camera sends them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "drivers/genicam/scan3d.h"

namespace datum::genicam {

/// Its end ends every access to the bytes.
class BlockWork {
 public:
  virtual ~BlockWork() = default;
  /// So many of the first bytes are there by the link's own count; packets that overtook others make it too large. What was
  /// read is therefore compared with the whole block.
  virtual void arrived(std::size_t bytes) = 0;
};

/// Called where a block begins, with the camera's setup and the block's memory; null: no work on it.
using BlockBegins =
    std::function<std::shared_ptr<BlockWork>(const Setup& setup, std::span<const std::uint8_t> memory)>;

}  // namespace datum::genicam
