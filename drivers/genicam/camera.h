// One GigE Vision camera through Aravis. Every call blocks for as long as its answer takes; of one thread.
//
// Order of a start: control, user set, pixel format, trigger, then the Scan3d values that those decide, then packet
// size, buffers and acquisition. Aravis' own types stay in camera*.cpp.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "drivers/frame/probe_point.h"
#include "drivers/genicam/payload.h"
#include "drivers/genicam/settings.h"

namespace datum::genicam {

struct Identity {
  std::string vendor, model, serial, firmware, address;
};

/// A block, complete or not, and the host times of its first packet and of its last.
struct Delivery {
  Payload payload;
  MonotonicNs first_packet_ns = 0, arrived_ns = 0;
};

/// The camera's clock between two host times.
struct ClockAnswer {
  MonotonicNs sent_ns = 0, received_ns = 0;
  std::uint64_t camera_ns = 0;
};

struct CameraTools {
  std::function<MonotonicNs()> clock;
  /// Around each access, for whoever watches that it ends; the first may throw LostError to give up.
  std::function<void(const char* what)> access_begins;
  std::function<void()> access_ends;
  /// From threads of Aravis: a block has come, or control is lost.
  std::function<void()> wake;
};

class Camera {
 public:
  Camera(const Settings& settings, CameraTools tools);
  ~Camera();
  Camera(const Camera&) = delete;
  Camera& operator=(const Camera&) = delete;

  /// Both throw LostError where it may come back by itself, RefusedError where an operator must act: another
  /// firmware, another program in control, a feature that it lacks.
  Identity open();
  Setup start();

  /// As it is now. Throws LostError.
  Setup setup();
  double exposure_us() const { return exposure_us_; }
  /// Sends TriggerSoftware; the host time before. Throws LostError.
  MonotonicNs trigger();
  /// None: the camera's clock can't be asked.
  std::optional<ClockAnswer> ask_clock();
  /// The next block that has come. Throws LostError where control was lost.
  std::optional<Delivery> next();
  /// What the operator should know of the start ("net.core.rmem_max allows ...").
  std::vector<std::string> take_warnings();

 private:
  struct Device;
  void stream(std::size_t payload_bytes);
  Settings settings_;
  CameraTools tools_;
  std::unique_ptr<Device> device_;
  double exposure_us_ = 0;
};

}  // namespace datum::genicam
