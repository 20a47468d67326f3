// The virtual 3D camera: Aravis' fake GigE Vision camera with a height map as image. It requests frames on a
// thread of its own.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "drivers/frame/height_frame.h"

namespace datum {

/// Fault of a frame.
enum class GenicamFault : std::uint8_t {
  none,
  skip,        // made, counted, never sent
  incomplete,  // some of its packets are missing
  headless,    // including its first, which carries its number
  twice,       // with number, time and pixels of the previous frame
  back,        // its number decreases by two
  mirror,      // its columns are reversed
  old,         // exposed a minute ago
  future,      // exposed in a minute
};
/// The fault of this name; none for an unknown name.
std::optional<GenicamFault> genicam_fault_named(const std::string& word);

struct GenicamIdentity {
  std::string address = "127.0.0.1", serial = "VG1", firmware = "1.0";
};

/// Content and fault of the next frame. Counts are int16, -32768 where not measured.
struct GenicamExposure {
  HeightFrame frame;
  GenicamFault fault = GenicamFault::none;
};

class VirtualGenicamCamera {
 public:
  using Expose = std::function<GenicamExposure()>;

  /// Steps, offsets and size are those of `shape`, whose pixels are not used. Throws std::runtime_error where
  /// its address is in use.
  VirtualGenicamCamera(const GenicamIdentity& identity, const HeightFrame& shape, Expose expose);
  ~VirtualGenicamCamera();
  VirtualGenicamCamera(const VirtualGenicamCamera&) = delete;
  VirtualGenicamCamera& operator=(const VirtualGenicamCamera&) = delete;

  /// Serves register requests (its time); call it every few ms.
  void work();
  /// Simulates a signal at its trigger input.
  void trigger();
  /// From now on a software trigger that finds it stopped is answered when it is started; it is lost otherwise (SFNC,
  /// TriggerSoftware: a trigger is part of an acquisition).
  void keep_triggers() { keeps_triggers_ = true; }
  /// Stops its acquisition without notice to the host.
  void stop();
  bool running() const;

  // Changes of settings while boards are measured.
  void set_scale_c(double scale);
  void set_distance_unit(const std::string& unit);  // Millimeter, Inch, Pixel
  void set_output_mode(const std::string& mode);    // RectifiedC, CalibratedC
  void set_height(int rows);

 private:
  void take_software_trigger();
  void latch_time();

  bool keeps_triggers_ = false;
  struct Device;
  std::unique_ptr<Device> device_;
};

}  // namespace datum
