// One block of a GigE Vision camera on its way to a HeightFrame: hashed, accepted.
#pragma once

#include "drivers/genicam/payload.h"
#include "drivers/sensor/claimed_frame.h"

namespace datum {

/// What a block's frame has beside its pixels.
struct GenicamOrigin {
  std::string name;                       // "genicam 192.168.1.20 17@123", for messages
  std::string serial;                     // of the camera
  std::string job;                        // its user set
  std::array<double, 3> resolution_um{};  // that the frame must have
};

class GenicamFrame final : public ReceivedFrame {
 public:
  GenicamFrame(genicam::Payload&& payload, const genicam::Setup& setup, GenicamOrigin origin)
      : payload_(std::move(payload)), setup_(setup), origin_(std::move(origin)) {}

  /// Throws PayloadError, and FrameError where its resolution is another.
  HeightFrame read(const SensorProfile& profile) override;

 private:
  genicam::Payload payload_;
  genicam::Setup setup_;
  GenicamOrigin origin_;
};

/// Why a frame of these steps is not one of this cell, in words; empty: it is.
std::string resolution_fault(const HeightFrame& frame, const std::array<double, 3>& resolution_um);

}  // namespace datum
