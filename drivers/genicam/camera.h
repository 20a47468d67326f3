// One GigE Vision camera via Aravis. Every call blocks until its answer; for use by one thread.
//
// Sequence of a start: control, user set, pixel format, trigger, then the Scan3d values, which depend on
// those, then packet size, buffers and acquisition. Aravis' types are confined to camera*.cpp.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "drivers/frame/probe_point.h"
#include "drivers/genicam/block_work.h"
#include "drivers/genicam/payload.h"
#include "drivers/genicam/settings.h"

namespace datum::genicam {

struct Identity {
  std::string vendor, model, serial, firmware, address;
};

/// A block, complete or not, and the host times of its first and last packet.
struct Delivery {
  Payload payload;
  MonotonicNs first_packet_ns = 0, arrived_ns = 0;
  std::shared_ptr<BlockWork> work{};  // on the payload's bytes; null: none
};

/// The camera's clock, read between two host times.
struct ClockAnswer {
  MonotonicNs sent_ns = 0, received_ns = 0;
  std::uint64_t camera_ns = 0;
};

struct CameraTools {
  std::function<MonotonicNs()> clock;
  /// Called around each access, for a watchdog; access_begins may throw LostError to give up.
  std::function<void(const char* what)> access_begins;
  std::function<void()> access_ends;
  /// Called by Aravis' threads: a block begins or has arrived, or control is lost.
  std::function<void()> wake;
  /// For the blocks: so many bytes, of any value.
  std::function<std::vector<std::uint8_t>(std::size_t)> memory;
};

class Camera {
 public:
  Camera(const Settings& settings, CameraTools tools);
  ~Camera();
  Camera(const Camera&) = delete;
  Camera& operator=(const Camera&) = delete;

  /// Both throw LostError where a retry may succeed, RefusedError where an operator must act: another
  /// firmware, another program in control, a missing feature.
  Identity open();
  Setup start();

  /// Current setup. Throws LostError.
  Setup setup();
  double exposure_us() const { return exposure_us_; }
  /// Sends TriggerSoftware; returns the host time before. Throws LostError.
  MonotonicNs trigger();
  /// None: the camera's clock can't be read.
  std::optional<ClockAnswer> ask_clock();
  /// The next received block. Throws LostError where control was lost.
  std::optional<Delivery> next();
  /// A block is being received.
  bool receiving() const;
  /// Has the bytes worked on that a block in progress has so far.
  void follow(const BlockBegins& begins, const Setup& setup);
  /// Warnings of the start for the operator ("net.core.rmem_max allows ...").
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
