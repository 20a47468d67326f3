// Work on a frame's bytes leaf by leaf of its hash (frame_hash.h): each is hashed, and its samples are converted and classed
// while it is in the cache.
#pragma once

#include <utility>
#include <vector>

#include "drivers/sensor/frame_hash.h"
#include "drivers/sensor/pixel_pass.h"

namespace datum {

class LeafPass {
 public:
  /// Samples that lie in one of the pieces.
  struct Samples {
    std::uint64_t at = 0;  // of the first one among all bytes
    ByteView bytes;        // whole samples
    std::size_t sample_bytes = 0;
  };
  /// `pieces` follow each other; together they are one part of the hash. `pixels`: null where they are hashed alone.
  LeafPass(std::vector<ByteView> pieces, const Samples& samples, PixelPass* pixels);

  std::size_t leaves() const { return hash_.leaves.size(); }
  std::uint64_t bytes() const { return hash_.bytes; }
  /// Each leaf once, in any order, by any thread. A sample across two leaves belongs to the second.
  void pass(std::size_t leaf);
  /// After all leaves.
  HashedPart take_hash() { return std::move(hash_); }

 private:
  std::vector<ByteView> pieces_;
  Samples samples_;
  PixelPass* pixels_;
  HashedPart hash_;
};

}  // namespace datum
