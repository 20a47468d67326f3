#include "drivers/sensor/gocator_frame.h"

#include <vector>

#include "drivers/frame/frame_error.h"
#include "drivers/sensor/frame_hash.h"
#include "drivers/sensor/read_frame.h"

namespace datum {

/// Of a set whose heights were worked on while they arrived.
HeightFrame GocatorFrame::read_arrived(ArrivingSurface& surface, const std::vector<ByteView>& pieces,
                                       const SensorProfile& profile) {
  HashedPart known = surface.hash();
  // The bytes of an intensity fill the last leaf.
  if (set_.intensity && known.bytes % hash_leaf_bytes != 0) known.leaves.pop_back();
  const std::string identity =
      tree_identity({hashed_part(pieces, profile.reading.threads, std::move(known.leaves))});
  wait_written();
  HeightFrame frame = gocator::frame_without_heights(set_, name_);
  surface.give_pixels(std::move(set_.heights), frame);
  frame.content_sha256 = identity;
  frame.delivered = profile.handedness;
  frame.job = job_;
  accept_passed_frame(frame, profile);
  return frame;
}

HeightFrame GocatorFrame::read(const SensorProfile& profile) {
  const auto content = set_.content();
  const std::vector<ByteView> pieces(content.begin(), content.end());
  // Begun before parsing: the archive holds the bytes as sent.
  if (!file_.empty()) archive_ = std::make_unique<FrameArchive>(file_, pieces, *workers_);
  std::unique_ptr<gocator::SurfaceWork> work = std::move(set_.work);
  if (auto* const surface = dynamic_cast<ArrivingSurface*>(work.get()); surface && surface->is_for(profile))
    return read_arrived(*surface, pieces, profile);
  work.reset();
  const ReadSettings& settings = profile.reading;
  const std::string identity =
      settings.scheme == HashScheme::tree
          ? tree_identity({hashed_part(pieces, settings.threads)})  // as of a .gdp file
          : sha256_hex(pieces);
  wait_written();
  HeightFrame frame = gocator::frame_of(std::move(set_), name_);
  frame.content_sha256 = identity;
  frame.delivered = profile.handedness;  // the protocol does not state it
  frame.job = job_;
  accept_frame(frame, profile);
  return frame;
}

void GocatorFrame::wait_written() {
  if (archive_) archive_->wait_written();
}

std::string GocatorFrame::late_fault() {
  write_problem();
  return {};
}

std::string GocatorFrame::write_problem() { return archive_ ? archive_->problem() : ""; }

}  // namespace datum
