#include "drivers/sensor/frame_pass.h"

#include <algorithm>
#include <memory>

#include "gpu/core/parallel_for.h"

namespace datum {
namespace {

/// Puts the samples that lie in `bytes`, which begin at `at` in the file. No sample lies across its end.
void put_samples(const StoredImage& image, std::uint64_t at, ByteView bytes, PixelPass& pixels) {
  const std::size_t size = image.as.bytes;
  const std::uint64_t end = at + bytes.size();
  auto run = std::partition_point(image.runs.begin(), image.runs.end(),
                                  [&](const StoredImage::Run& r) { return r.end(size) <= at; });
  for (; run != image.runs.end() && run->at < end; ++run) {
    const std::uint64_t from = std::max(run->at, at), to = std::min(run->end(size), end);
    pixels.put(run->first + (from - run->at) / size, bytes.subspan(from - at, to - from));
  }
}

/// Memory of this thread for a leaf whose bytes are not kept.
std::uint8_t* leaf_memory() {
  static thread_local const std::unique_ptr<std::uint8_t[]> leaf =
      std::make_unique_for_overwrite<std::uint8_t[]>(hash_leaf_bytes);
  return leaf.get();
}

template <class Element>
std::vector<Element> new_or_kept(FrameBuffers* buffers, std::size_t size) {
  if (!buffers) return std::vector<Element>(size);
  if constexpr (std::is_same_v<Element, PixelClass>)
    return buffers->classes(size);
  else if constexpr (std::is_same_v<Element, std::uint8_t>)
    return buffers->bytes(size);
  else
    return buffers->counts<Element>(size);
}

}  // namespace

PassedFile pass_over(const DeliveredFile& file, const RecordedBytes& described, const StoredImage& image,
                     PixelPass& pixels, const ReadSettings& settings, bool keep_bytes) {
  PassedFile passed;
  passed.hash.bytes = file.size();
  passed.hash.leaves.resize(leaves_of(file.size()));
  if (keep_bytes) passed.bytes = new_or_kept<std::uint8_t>(settings.buffers.get(), file.size());
  parallel_for(settings.threads, passed.hash.leaves.size(), [&](std::size_t leaf, unsigned) {
    const std::uint64_t at = leaf * hash_leaf_bytes;
    std::uint8_t* const to = keep_bytes ? passed.bytes.data() + at : leaf_memory();
    const ByteView bytes(to, std::min<std::uint64_t>(hash_leaf_bytes, file.size() - at));
    file.read(at, to, bytes.size());
    if (!described.agrees(at, bytes)) file.refuse_changed();
    passed.hash.leaves[leaf] = LeafHasher::of_this_thread().digest(bytes);
    put_samples(image, at, bytes, pixels);
  });
  return passed;
}

void make_room(HeightFrame& frame, const StoredNumber& as, const ReadSettings& settings, bool with_counts) {
  FrameBuffers* const buffers = settings.buffers.get();
  const std::size_t size = frame.size();
  frame.classes = new_or_kept<PixelClass>(buffers, size);
  const bool is_int16 = as.kind == StoredNumber::Kind::integer && as.bytes == 2;
  if (settings.early)
    frame.early.taken = settings.early->begin(as.kind == StoredNumber::Kind::real ? CountType::float32
                                              : is_int16                          ? CountType::int16
                                                                                  : CountType::int32,
                                              frame.rows, frame.cols);
  if (!with_counts) return;
  if (as.kind == StoredNumber::Kind::real)
    frame.counts = new_or_kept<float>(buffers, size);
  else if (is_int16)
    frame.counts = new_or_kept<std::int16_t>(buffers, size);
  else
    frame.counts = new_or_kept<std::int32_t>(buffers, size);
}

}  // namespace datum
