// A Gocator's surface while it arrives: its leaves are hashed, its heights converted and classed, each as soon as it is
// there. After the last byte the last leaf remains.
#pragma once

#include <memory>

#include "drivers/gocator/data_set.h"
#include "drivers/sensor/leaf_pass.h"
#include "gpu/core/piece_workers.h"

namespace datum {

class ArrivingSurface final : public gocator::SurfaceWork {
 public:
  /// Of a set that has its stamp; its heights, whose memory stays where it is, begin to arrive. `profile` outlives it.
  ArrivingSurface(gocator::DataSet& set, const SensorProfile& profile, std::shared_ptr<PieceWorkers> workers);
  /// Waits for the work in progress.
  ~ArrivingSurface() override;

  void arrived(std::size_t bytes) override;

  /// Whether a frame accepted by this profile has these pixels and is hashed so.
  bool is_for(const SensorProfile& profile) const;
  /// After the last height: waits for the work, and rethrows what it threw. Hash of stamp, surface and heights.
  HashedPart hash();
  /// After hash(): moves counts and classes of the accepted frame into `frame`. `heights` are those of the set.
  void give_pixels(std::vector<std::int16_t>&& heights, HeightFrame& frame);

 private:
  const SensorProfile& profile_;
  const std::size_t height_bytes_;
  const bool in_place_;  // the counts are the heights
  HeightFrame frame_;
  std::unique_ptr<PixelPass> pixels_;
  std::unique_ptr<LeafPass> leaves_;
  std::size_t next_ = 0;  // leaf
  PieceGroup pieces_;     // last: it ends before what it works on
};

}  // namespace datum
