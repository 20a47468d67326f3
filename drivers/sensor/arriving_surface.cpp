#include "drivers/sensor/arriving_surface.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "drivers/frame/frame_error.h"
#include "drivers/sensor/frame_pass.h"

namespace datum {
namespace {

constexpr StoredNumber height_number{StoredNumber::Kind::integer, sizeof(std::int16_t)};
constexpr InvalidMark no_height{InvalidMark::Kind::value, std::numeric_limits<std::int16_t>::min()};

}  // namespace

ArrivingSurface::ArrivingSurface(gocator::DataSet& set, const SensorProfile& profile,
                                 std::shared_ptr<PieceWorkers> workers)
    : profile_(profile),
      height_bytes_(set.heights.size() * sizeof(std::int16_t)),
      in_place_(profile.handedness != Handedness::left),
      pieces_(std::move(workers)) {
  frame_.rows = static_cast<int>(set.surface->rows);
  frame_.cols = static_cast<int>(set.surface->cols);
  frame_.z = gocator::height_axis(*set.surface);
  make_room(frame_, height_number, profile.reading, !in_place_);
  if (in_place_) frame_.counts = std::move(set.heights);
  pixels_ = pixel_pass(frame_, height_number, false, {no_height, &profile, !in_place_}, "a surface");
  if (in_place_) set.heights = std::get<std::vector<std::int16_t>>(std::move(frame_.counts));
  const auto content = set.content();
  const ByteView &stamp = content[0], &head = content[1], &heights = content[2];
  leaves_ = std::make_unique<LeafPass>(
      std::vector<ByteView>{stamp, head, heights},
      LeafPass::Samples{stamp.size() + head.size(), heights, sizeof(std::int16_t)}, pixels_.get());
}

ArrivingSurface::~ArrivingSurface() { pieces_.wait(); }

void ArrivingSurface::arrived(std::size_t bytes) {
  const std::uint64_t there = leaves_->bytes() - height_bytes_ + bytes;
  while (next_ < leaves_->leaves() &&
         std::min<std::uint64_t>((next_ + 1) * hash_leaf_bytes, leaves_->bytes()) <= there)
    pieces_.submit([this, leaf = next_++] { leaves_->pass(leaf); });
}

bool ArrivingSurface::is_for(const SensorProfile& p) const {
  return p.reading.scheme == HashScheme::tree && p.handedness == profile_.handedness &&
         p.z_min_mm == profile_.z_min_mm && p.z_max_mm == profile_.z_max_mm;
}

HashedPart ArrivingSurface::hash() {
  pieces_.finish();
  if (next_ < leaves_->leaves()) throw FrameError("a surface without its last heights");
  return leaves_->take_hash();
}

void ArrivingSurface::give_pixels(std::vector<std::int16_t>&& heights, HeightFrame& frame) {
  frame.classes = std::move(frame_.classes);
  frame.early = std::move(frame_.early);
  if (in_place_) {
    frame.counts = std::move(heights);
    return;
  }
  frame.counts = std::move(frame_.counts);
  if (profile_.reading.buffers) profile_.reading.buffers->give(Counts(std::move(heights)));
}

}  // namespace datum
