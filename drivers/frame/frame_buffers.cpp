#include "drivers/frame/frame_buffers.h"

#include <type_traits>
#include <utility>

namespace datum {

void FrameBuffers::give(Counts&& given) {
  std::visit(
      [&](auto&& counts) {
        using Kept = std::vector<std::decay_t<decltype(counts)>>;
        keep(std::get<Kept>(counts_), std::forward<decltype(counts)>(counts));
      },
      std::move(given));
}

void FrameBuffers::give(HeightFrame&& frame) {
  give(std::move(frame.counts));
  keep(classes_, std::move(frame.classes));
}

}  // namespace datum
