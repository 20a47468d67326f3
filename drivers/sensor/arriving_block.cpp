#include "drivers/sensor/arriving_block.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "drivers/frame/frame_error.h"
#include "drivers/sensor/frame_pass.h"
#include "gpu/core/parallel_for.h"

namespace datum {
namespace {

std::vector<std::uint8_t> memory_of(const ReadSettings& settings, std::size_t bytes) {
  return settings.buffers ? settings.buffers->bytes(bytes) : std::vector<std::uint8_t>(bytes);
}

/// The receiver may write these bytes meanwhile: each word is an old or a new one, and who copies compares later.
#if defined(__GNUC__)
__attribute__((no_sanitize("thread")))
#endif
void copy_unfinished(const std::uint8_t* from, std::size_t bytes, std::uint8_t* to) {
  using Word = std::uint64_t;
  std::size_t at = 0;
  if (reinterpret_cast<std::uintptr_t>(from) % alignof(Word) == 0)
    for (; at + sizeof(Word) <= bytes; at += sizeof(Word)) {
      const Word word = __atomic_load_n(reinterpret_cast<const Word*>(from + at), __ATOMIC_RELAXED);
      std::memcpy(to + at, &word, sizeof word);
    }
  for (; at < bytes; ++at) to[at] = __atomic_load_n(from + at, __ATOMIC_RELAXED);
}

}  // namespace

StoredNumber number_of(const genicam::PlainHeights& heights) {
  if (heights.floats) return {StoredNumber::Kind::real, sizeof(float)};
  return {StoredNumber::Kind::natural, sizeof(std::uint16_t)};
}

std::unique_ptr<PixelPass> pixel_pass_of(const genicam::PlainHeights& heights, HeightFrame& frame,
                                         const SensorProfile& profile, const std::string& name) {
  InvalidMark mark;
  if (heights.floats) mark.kind = InvalidMark::Kind::nan;
  if (heights.mark) mark = {InvalidMark::Kind::value, *heights.mark};
  const bool reversed = heights.reversed != (profile.handedness == Handedness::left);
  return pixel_pass(frame, number_of(heights), false, {mark, &profile, reversed}, name);
}

ArrivingBlock::ArrivingBlock(ByteView memory, const genicam::Setup& setup, const SensorProfile& profile,
                             std::shared_ptr<PieceWorkers> workers)
    : memory_(memory),
      profile_(profile),
      expected_(genicam::expected_heights(setup, memory.size(), frame_)),
      copy_(memory_of(profile.reading, memory.size())),
      pieces_(std::move(workers)) {
  LeafPass::Samples samples{0, {}, 1};
  if (expected_) {
    const StoredNumber number = number_of(*expected_);
    make_room(frame_, number, profile.reading);
    pixels_ = pixel_pass_of(*expected_, frame_, profile, "a block");
    samples = {0, ByteView(copy_).first(frame_.size() * number.bytes), number.bytes};
  }
  leaves_ = std::make_unique<LeafPass>(std::vector<ByteView>{copy_}, samples, pixels_.get());
  passed_.resize(leaves_->leaves());
}

ArrivingBlock::~ArrivingBlock() {
  pieces_.wait();
  FrameBuffers* const buffers = profile_.reading.buffers.get();
  if (!buffers) return;
  buffers->give(std::move(copy_));
  buffers->give(std::move(frame_));
}

ByteView ArrivingBlock::leaf_of(ByteView bytes, std::size_t leaf) const {
  const std::size_t at = leaf * hash_leaf_bytes;
  return bytes.subspan(at, std::min<std::size_t>(hash_leaf_bytes, bytes.size() - at));
}

void ArrivingBlock::arrived(std::size_t bytes) {
  for (; next_ < passed_.size() && (next_ + 1) * hash_leaf_bytes <= bytes; ++next_)
    pieces_.submit([this, leaf = next_] {
      const ByteView from = leaf_of(memory_, leaf);
      copy_unfinished(from.data(), from.size(), copy_.data() + leaf * hash_leaf_bytes);
      leaves_->pass(leaf);
      passed_[leaf] = 1;
    });
}

HashedPart ArrivingBlock::take_hash(ByteView bytes) {
  pieces_.finish();
  if (bytes.size() != memory_.size()) throw FrameError("a block of another size than its memory");
  parallel_for(profile_.reading.threads, passed_.size(), [&](std::size_t i, unsigned) {
    const std::size_t leaf = passed_.size() - 1 - i;  // the last ones did not come early: they take longest
    const ByteView whole = leaf_of(bytes, leaf);
    std::uint8_t* const copy = copy_.data() + leaf * hash_leaf_bytes;
    if (passed_[leaf] && std::memcmp(copy, whole.data(), whole.size()) == 0) return;
    if (passed_[leaf] && frame_.early.taken) frame_.early.taken->withdraw();
    std::memcpy(copy, whole.data(), whole.size());
    leaves_->pass(leaf);
  });
  return leaves_->take_hash();
}

bool ArrivingBlock::has_pixels(const genicam::PlainHeights& heights, const HeightFrame& frame,
                               const SensorProfile& p) const {
  return expected_ == heights && frame.rows == frame_.rows && frame.cols == frame_.cols &&
         frame.z.scale_mm == frame_.z.scale_mm && frame.z.offset_mm == frame_.z.offset_mm &&
         p.handedness == profile_.handedness && p.z_min_mm == profile_.z_min_mm &&
         p.z_max_mm == profile_.z_max_mm;
}

void ArrivingBlock::give_pixels(HeightFrame& frame) {
  pixels_->finish();
  frame.counts = std::move(frame_.counts);
  frame.classes = std::move(frame_.classes);
  frame.early = std::move(frame_.early);
}

}  // namespace datum
