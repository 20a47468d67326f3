#include "drivers/sensor/leaf_pass.h"

#include <algorithm>

namespace datum {

LeafPass::LeafPass(std::vector<ByteView> pieces, const Samples& samples, PixelPass* pixels)
    : pieces_(std::move(pieces)), samples_(samples), pixels_(pixels) {
  for (const ByteView piece : pieces_) hash_.bytes += piece.size();
  hash_.leaves.resize(leaves_of(hash_.bytes));
}

void LeafPass::pass(std::size_t leaf) {
  const std::uint64_t from = leaf * hash_leaf_bytes, end = std::min(from + hash_leaf_bytes, hash_.bytes);
  hash_.leaves[leaf] = LeafHasher::of_this_thread().digest(cut_of(pieces_, from, end - from));
  if (!pixels_) return;
  const auto first_from = [&](std::uint64_t at) {
    return (std::clamp(at, samples_.at, samples_.at + samples_.bytes.size()) - samples_.at) /
           samples_.sample_bytes;
  };
  const std::uint64_t first = first_from(from), after = first_from(end);
  if (first < after)
    pixels_->put(first, samples_.bytes.subspan(first * samples_.sample_bytes,
                                               (after - first) * samples_.sample_bytes));
}

}  // namespace datum
