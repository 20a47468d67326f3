#include "drivers/frame/frame_buffers.h"

#include <sys/mman.h>

#include <type_traits>
#include <utility>

namespace datum {
namespace {

constexpr std::uintptr_t large_page =
    2 << 20;  // of x86-64 and of arm64 with pages of 4 KiB; others take what they have

}  // namespace

void ask_for_large_pages(void* memory, std::size_t bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  const std::uintptr_t first = (begin + large_page - 1) / large_page * large_page,
                       last = (begin + bytes) / large_page * large_page;
  if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
}

void FrameBuffers::give(Counts&& given) {
  std::visit(
      [&](auto&& counts) {
        using Kept = std::vector<std::decay_t<decltype(counts)>>;
        keep(std::get<Kept>(counts_), std::forward<decltype(counts)>(counts));
      },
      std::move(given));
}

void FrameBuffers::give(HeightFrame&& frame) {
  frame.early = {};  // nobody reads the vectors any more
  give(std::move(frame.counts));
  keep(classes_, std::move(frame.classes));
}

}  // namespace datum
