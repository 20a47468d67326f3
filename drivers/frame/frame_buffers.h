// Memory of frames, kept from one frame to the next: its pages are faulted in once, and are large where the kernel has such.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <tuple>
#include <utility>
#include <vector>

#include "drivers/frame/height_frame.h"

namespace datum {

/// Of memory that nothing was written to yet: a profile across a frame's rows has a page a pixel or two, more than a processor keeps
/// translations of. Advice: what the kernel makes of it, it makes.
void ask_for_large_pages(void* memory, std::size_t bytes);

/// Vectors of former frames. Callable from any thread. Keeps at most `most_kept` of each kind, so that its
/// memory is that of the largest frames in work at one time.
class FrameBuffers {
 public:
  using Bytes = std::vector<std::uint8_t>;
  explicit FrameBuffers(std::size_t most_kept = 4) : most_kept_(most_kept) {}

  /// `size` elements of any value: the caller writes each.
  template <class Count>
  std::vector<Count> counts(std::size_t size) {
    return take(std::get<std::vector<std::vector<Count>>>(counts_), size);
  }
  std::vector<PixelClass> classes(std::size_t size) { return take(classes_, size); }
  Bytes bytes(std::size_t size) { return take(bytes_, size); }

  /// Takes the vectors of a frame that is no longer needed.
  void give(HeightFrame&& frame);
  void give(Bytes&& bytes) { keep(bytes_, std::move(bytes)); }
  void give(Counts&& counts);

 private:
  template <class Element>
  std::vector<Element> take(std::vector<std::vector<Element>>& kept, std::size_t size) {
    std::vector<Element> taken;
    {
      const std::lock_guard lock(mutex_);
      if (!kept.empty()) {
        taken = std::move(kept.back());
        kept.pop_back();
      }
    }
    if (taken.capacity() < size) {
      taken = {};  // its old elements are not copied
      taken.reserve(size);
      ask_for_large_pages(taken.data(), size * sizeof(Element));
    }
    taken.resize(size);
    return taken;
  }
  template <class Element>
  void keep(std::vector<std::vector<Element>>& kept, std::vector<Element>&& given) {
    const std::lock_guard lock(mutex_);
    if (!given.empty() && kept.size() < most_kept_) kept.push_back(std::move(given));
  }

  const std::size_t most_kept_;
  std::mutex mutex_;
  std::tuple<std::vector<std::vector<std::int16_t>>, std::vector<std::vector<std::int32_t>>,
             std::vector<std::vector<float>>>
      counts_;
  std::vector<std::vector<PixelClass>> classes_;
  std::vector<Bytes> bytes_;
};

}  // namespace datum
