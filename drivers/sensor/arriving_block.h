// A camera's block while it arrives: its leaves are copied, the copies hashed and, where heights lie plainly, converted and
// classed. The camera's packets may overtake each other, and their receiver counts bytes alone, so that a leaf may be copied too
// early. When the block is whole, each copy is compared with it, and what differs is done again: then the hash and the pixels
// are those of the block's bytes, whatever was read before.
#pragma once

#include <memory>
#include <vector>

#include "drivers/genicam/block_work.h"
#include "drivers/genicam/payload.h"
#include "drivers/sensor/leaf_pass.h"
#include "gpu/core/piece_workers.h"

namespace datum {

class ArrivingBlock final : public genicam::BlockWork {
 public:
  /// `memory` is the block's; both it and `profile` outlive this object, or the block's memory moves into take_hash().
  ArrivingBlock(ByteView memory, const genicam::Setup& setup, const SensorProfile& profile,
                std::shared_ptr<PieceWorkers> workers);
  /// Waits for the work in progress.
  ~ArrivingBlock() override;

  void arrived(std::size_t bytes) override;

  /// After the last byte: waits for the work and completes it with the block's bytes. Throws FrameError where these are not as many
  /// as its memory's.
  HashedPart take_hash(ByteView bytes);
  /// The pixels are those of a frame with these heights, size and axis, accepted by this profile.
  bool has_pixels(const genicam::PlainHeights& heights, const HeightFrame& frame,
                  const SensorProfile& profile) const;
  /// After take_hash(), of a frame that has_pixels(): moves counts and classes into it. Throws FrameError for a height that is
  /// neither finite nor NaN, or was not when it was read too early.
  void give_pixels(HeightFrame& frame);

 private:
  ByteView leaf_of(ByteView bytes, std::size_t leaf) const;

  const ByteView memory_;
  const SensorProfile& profile_;
  HeightFrame frame_;
  std::optional<genicam::PlainHeights> expected_;
  std::vector<std::uint8_t> copy_;
  std::unique_ptr<PixelPass> pixels_;  // null: not plainly
  std::unique_ptr<LeafPass> leaves_;
  std::vector<std::uint8_t> passed_;  // by leaf
  std::size_t next_ = 0;              // leaf
  PieceGroup pieces_;                 // last: it ends before what it works on
};

/// How plain heights become pixels of a frame.
StoredNumber number_of(const genicam::PlainHeights& heights);
std::unique_ptr<PixelPass> pixel_pass_of(const genicam::PlainHeights& heights, HeightFrame& frame,
                                         const SensorProfile& profile, const std::string& name);

}  // namespace datum
