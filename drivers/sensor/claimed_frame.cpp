#include "drivers/sensor/claimed_frame.h"

#include "drivers/frame/frame_error.h"
#include "drivers/sensor/read_frame.h"

namespace datum {

DroppedFrame read_claim(const ClaimedFrame& claim, const SensorProfile& profile) {
  DroppedFrame dropped{claim.received ? claim.received->read(profile) : read_frame(claim.entry, profile), {}};
  HeightFrame& frame = dropped.frame;
  if (claim.exposed) frame.captured.host = claim.exposed;
  if (claim.clock) frame.captured.offset = claim.clock;
  dropped.identity = {frame.sensor_serial, frame.frame_id, frame.content_sha256};
  return dropped;
}

DroppedFrame load_frame(const ClaimedFrame& claim, const SensorProfile& profile) {
  if (!claim.doubt.empty()) throw FrameError(claim.name() + ": " + claim.doubt);
  return read_claim(claim, profile);
}

}  // namespace datum
