// Conversion of a GigE Vision camera's block to a HeightFrame: hashed, accepted.
#pragma once

#include <future>

#include "drivers/genicam/payload.h"
#include "drivers/sensor/arriving_block.h"
#include "drivers/sensor/claimed_frame.h"

namespace datum {

/// Properties of a block's frame beside its pixels.
struct GenicamOrigin {
  std::string name;                       // "genicam 192.168.1.20 17@123", for messages
  std::string serial;                     // of the camera
  std::string job;                        // its user set
  std::array<double, 3> resolution_um{};  // demanded of the frame
};

class GenicamFrame final : public ReceivedFrame {
 public:
  GenicamFrame(genicam::Payload&& payload, const genicam::Setup& setup, GenicamOrigin origin,
               std::shared_future<std::string> setup_change = {},
               std::shared_ptr<genicam::BlockWork> work = nullptr)
      : payload_(std::move(payload)),
        setup_(setup),
        origin_(std::move(origin)),
        setup_change_(std::move(setup_change)),
        work_(std::move(work)) {}

  /// Throws PayloadError, or FrameError for another resolution.
  HeightFrame read(const SensorProfile& profile) override;
  /// Waits until the camera's setup was read after the block.
  std::string late_fault() override;

 private:
  HeightFrame read_plainly(const genicam::PlainHeights& plain, HeightFrame&& frame,
                           const SensorProfile& profile);
  HeightFrame read_generally(const SensorProfile& profile);
  HashedPart pass_over(const genicam::PlainHeights& plain, HeightFrame& frame, const SensorProfile& profile);
  std::string identity_with(HashedPart&& payload, const HeightFrame& frame) const;
  void check_resolution(const HeightFrame& frame) const;

  genicam::Payload payload_;
  genicam::Setup setup_;
  GenicamOrigin origin_;
  std::shared_future<std::string> setup_change_;
  std::shared_ptr<genicam::BlockWork>
      work_;  // on the payload while it arrived; null: none. It ends before the payload
};

/// Why a frame's resolution does not fit this cell, as text; empty: it fits.
std::string resolution_fault(const HeightFrame& frame, const std::array<double, 3>& resolution_um);

}  // namespace datum
