// The virtual 3D camera: Aravis' fake GigE Vision camera with a height map in place of its picture. It has a thread of its
// own, on which frames are asked for.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "drivers/frame/height_frame.h"

namespace datum {

/// What is wrong with a frame.
enum class GenicamFault : std::uint8_t {
  none,
  skip,        // made, counted, never sent
  incomplete,  // some of its packets are not sent
  headless,    // neither is its first, which bears its number
  twice,       // its number, time and pixels are those of the frame before
  back,        // its number goes back by two
  mirror,      // its columns run the other way
  old,         // it was exposed a minute ago
  future,      // or will be in a minute
};
/// By its word; none: there is no such word.
std::optional<GenicamFault> genicam_fault_named(const std::string& word);

struct GenicamIdentity {
  std::string address = "127.0.0.1", serial = "VG1", firmware = "1.0";
};

/// What the next frame shows, and what is wrong with it. Counts are int16, -32768 where nothing was measured.
struct GenicamExposure {
  HeightFrame frame;
  GenicamFault fault = GenicamFault::none;
};

class VirtualGenicamCamera {
 public:
  using Expose = std::function<GenicamExposure()>;

  /// Steps, offsets and size are those of `shape`, whose pixels are not looked at. Throws std::runtime_error where its
  /// address is taken.
  VirtualGenicamCamera(const GenicamIdentity& identity, const HeightFrame& shape, Expose expose);
  ~VirtualGenicamCamera();
  VirtualGenicamCamera(const VirtualGenicamCamera&) = delete;
  VirtualGenicamCamera& operator=(const VirtualGenicamCamera&) = delete;

  /// Answers what is asked through registers (its time); to be called every few ms.
  void work();
  /// As a signal at its trigger input.
  void trigger();
  /// Its acquisition is stopped, by nobody who told the host.
  void stop();
  bool running() const;

  // Settings that change while boards are measured.
  void set_scale_c(double scale);
  void set_distance_unit(const std::string& unit);  // Millimeter, Inch, Pixel
  void set_output_mode(const std::string& mode);    // RectifiedC, CalibratedC
  void set_height(int rows);

 private:
  struct Device;
  std::unique_ptr<Device> device_;
};

}  // namespace datum
