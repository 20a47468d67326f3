#include "tests/virtual_cell/virtual_genicam_camera.h"

#include <arv.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>

#include "tests/virtual_cell/virtual_genicam_network.h"
#include "tests/virtual_cell/virtual_genicam_xml.h"

namespace datum {
namespace {

using R = GenicamRegisters;

constexpr int zero_count = 32768;  // counts are unsigned in the payload; 0 marks a pixel without data
constexpr guint64 a_minute_ns = 60'000'000'000;
// Aravis uses one generator for lost packets: of the first dozen the first seed loses five without the first,
// the other five with it.
constexpr double lost_ratio = 0.4;
constexpr guint32 lost_seed = 1, headless_seed = 10;

std::string fake_camera_xml() {
  ArvFakeCamera* camera = arv_fake_camera_new("XML");
  size_t size = 0;
  const char* text = arv_fake_camera_get_genicam_xml(camera, &size);
  const std::string xml(text, size);
  g_object_unref(camera);
  return xml;
}

/// File for the fake camera's description.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& text) {
    const int fd = ::mkstemp(name_);
    if (fd < 0) throw std::system_error(errno, std::generic_category(), name_);
    const bool whole = ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    ::close(fd);
    if (!whole) throw std::runtime_error(std::string(name_) + " can't be written");
  }
  ~TemporaryFile() { ::unlink(name_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const char* name() const { return name_; }

 private:
  char name_[32] = "/tmp/virtual-genicam-XXXXXX";
};

std::vector<std::uint16_t> wire_counts(HeightFrame& frame, bool mirrored) {
  auto& heights = std::get<std::vector<std::int16_t>>(frame.counts);
  if (mirrored)
    for (auto row = heights.begin(); row != heights.end(); row += frame.cols)
      std::reverse(row, row + frame.cols);
  std::vector<std::uint16_t> counts(heights.size());
  for (std::size_t i = 0; i < counts.size(); ++i)
    counts[i] = static_cast<std::uint16_t>(heights[i] + zero_count);
  return counts;
}

}  // namespace

std::optional<GenicamFault> genicam_fault_named(const std::string& word) {
  static constexpr std::pair<const char*, GenicamFault> faults[] = {
      {"skip", GenicamFault::skip},         {"incomplete", GenicamFault::incomplete},
      {"headless", GenicamFault::headless}, {"twice", GenicamFault::twice},
      {"back", GenicamFault::back},         {"mirror", GenicamFault::mirror},
      {"old", GenicamFault::old},           {"future", GenicamFault::future}};
  for (const auto& [name, fault] : faults)
    if (word == name) return fault;
  return std::nullopt;
}

struct VirtualGenicamCamera::Device {
  Expose expose;
  ArvGvFakeCamera* server = nullptr;
  ArvFakeCamera* camera = nullptr;
  std::vector<std::uint16_t> last;
  guint64 last_id = 0, last_ns = 0;

  void write(std::uint32_t address, std::uint32_t value) const {
    arv_fake_camera_write_register(camera, address, value);
  }
  void write(std::uint32_t address, double value) const {
    const guint64 bits = GUINT64_TO_BE(std::bit_cast<guint64>(value));
    arv_fake_camera_write_memory(camera, address, sizeof bits, &bits);
  }
  std::uint32_t read(std::uint32_t address) const {
    guint32 value = 0;
    arv_fake_camera_read_register(camera, address, &value);
    return value;
  }
  void write_axis(std::uint32_t axis, double scale, double offset, bool marks) const {
    const std::uint32_t at = axis * R::next;
    write(R::scale + at, scale);
    write(R::offset + at, offset);
    write(R::invalid_flag + at, std::uint32_t{marks});
    write(R::invalid_value + at, 0.0);
  }
  void describe(const GenicamIdentity& identity, const HeightFrame& shape) const;
  void fill(ArvBuffer* buffer);
};

void VirtualGenicamCamera::Device::describe(const GenicamIdentity& identity, const HeightFrame& f) const {
  const auto rows = static_cast<std::uint32_t>(f.rows), cols = static_cast<std::uint32_t>(f.cols);
  write(ARV_FAKE_CAMERA_REGISTER_SENSOR_WIDTH, std::max<std::uint32_t>(cols, ARV_FAKE_CAMERA_SENSOR_WIDTH));
  write(ARV_FAKE_CAMERA_REGISTER_SENSOR_HEIGHT, std::max<std::uint32_t>(rows, ARV_FAKE_CAMERA_SENSOR_HEIGHT));
  write(ARV_FAKE_CAMERA_REGISTER_WIDTH, cols);
  write(ARV_FAKE_CAMERA_REGISTER_HEIGHT, rows);
  write(ARV_FAKE_CAMERA_REGISTER_PIXEL_FORMAT, coord3d_c16);
  write(ARV_FAKE_CAMERA_REGISTER_TRIGGER_MODE, std::uint32_t{1});
  write(ARV_FAKE_CAMERA_REGISTER_TRIGGER_SOURCE, std::uint32_t{1});
  // Period in which it looks for a trigger.
  write(ARV_FAKE_CAMERA_REGISTER_ACQUISITION_FRAME_PERIOD_US, std::uint32_t{5000});
  arv_fake_camera_set_trigger_frequency(camera, 200);
  write_axis(0, f.x.scale_mm, f.x.offset_mm, false);
  write_axis(1, f.y.scale_mm, f.y.offset_mm, false);
  write_axis(2, f.z.scale_mm, f.z.offset_mm - zero_count * f.z.scale_mm, true);
  char firmware[32] = {};
  identity.firmware.copy(firmware, sizeof firmware - 1);
  arv_fake_camera_write_memory(camera, R::firmware, sizeof firmware, firmware);
}

/// Called for each frame before its packets are sent, on the camera's thread.
void VirtualGenicamCamera::Device::fill(ArvBuffer* buffer) {
  GenicamExposure exposure = expose();
  const GenicamFault fault = exposure.fault;
  const bool cut = fault == GenicamFault::incomplete || fault == GenicamFault::headless;
  const double lost = fault == GenicamFault::skip ? 1 : cut ? lost_ratio : 0;
  if (cut) g_random_set_seed(fault == GenicamFault::headless ? headless_seed : lost_seed);
  g_object_set(server, "gvsp-lost-ratio", lost, nullptr);
  guint64 ns = arv_buffer_get_timestamp(buffer);
  if (fault == GenicamFault::old) ns -= a_minute_ns;
  if (fault == GenicamFault::future) ns += a_minute_ns;
  guint64 id = arv_buffer_get_frame_id(buffer);
  if (fault == GenicamFault::back) id -= 2;
  if (fault == GenicamFault::twice) {
    id = last_id;
    ns = last_ns;
  } else {
    last = wire_counts(exposure.frame, fault == GenicamFault::mirror);
  }
  last_id = id;
  last_ns = ns;
  arv_buffer_set_timestamp(buffer, ns);
  arv_buffer_set_frame_id(buffer, id);
  size_t unknown = 0;
  auto* to = static_cast<char*>(const_cast<void*>(arv_buffer_get_data(buffer, &unknown)));
  std::memcpy(to, last.data(), std::min(last.size() * sizeof last[0], arv_fake_camera_get_payload(camera)));
}

VirtualGenicamCamera::VirtualGenicamCamera(const GenicamIdentity& identity, const HeightFrame& shape,
                                           Expose expose)
    : device_(std::make_unique<Device>()) {
  state_loopback_address(identity.address);
  const TemporaryFile xml(with_scan3d(fake_camera_xml()));
  device_->expose = std::move(expose);
  device_->server =
      arv_gv_fake_camera_new_full(identity.address.c_str(), identity.serial.c_str(), xml.name());
  if (!arv_gv_fake_camera_is_running(device_->server)) {
    g_object_unref(device_->server);
    throw std::runtime_error("no camera can stand at " + identity.address);
  }
  device_->camera = arv_gv_fake_camera_get_fake_camera(device_->server);
  device_->describe(identity, shape);
  struct Filling {
    static void fill(ArvBuffer* buffer, void* self, guint32, guint32, ArvPixelFormat) {
      static_cast<Device*>(self)->fill(buffer);
    }
  };
  arv_fake_camera_set_fill_pattern(device_->camera, Filling::fill, device_.get());
}

VirtualGenicamCamera::~VirtualGenicamCamera() { g_object_unref(device_->server); }

void VirtualGenicamCamera::work() {
  take_software_trigger();
  latch_time();
}

void VirtualGenicamCamera::take_software_trigger() {
  if (device_->read(R::trigger) == 0) return;
  device_->write(R::trigger, std::uint32_t{0});
  if (keeps_triggers_ || arv_fake_camera_get_acquisition_status(device_->camera) != 0) trigger();
}

void VirtualGenicamCamera::latch_time() {
  if (device_->read(R::latch) == 0) return;
  const guint64 now =
      GUINT64_TO_BE(static_cast<guint64>(g_get_real_time()) * 1000);  // clock of its frame stamps
  device_->write(R::latch, std::uint32_t{0});
  arv_fake_camera_write_memory(device_->camera, R::latched_ns, sizeof now, &now);
}

void VirtualGenicamCamera::trigger() {
  device_->write(ARV_FAKE_CAMERA_REGISTER_TRIGGER_SOFTWARE, std::uint32_t{1});
}

void VirtualGenicamCamera::stop() { device_->write(ARV_FAKE_CAMERA_REGISTER_ACQUISITION, std::uint32_t{0}); }

bool VirtualGenicamCamera::running() const {
  return arv_fake_camera_get_acquisition_status(device_->camera) != 0 &&
         arv_fake_camera_get_control_channel_privilege(device_->camera) != 0;
}

void VirtualGenicamCamera::set_scale_c(double scale) { device_->write(R::scale + 2 * R::next, scale); }

void VirtualGenicamCamera::set_distance_unit(const std::string& unit) {
  device_->write(R::distance_unit, unit == "Inch" ? R::inch : unit == "Pixel" ? R::pixel : R::millimetre);
}

void VirtualGenicamCamera::set_output_mode(const std::string& mode) {
  device_->write(R::output_mode, mode == "CalibratedC" ? R::calibrated_c : R::rectified_c);
}

void VirtualGenicamCamera::set_height(int rows) {
  device_->write(ARV_FAKE_CAMERA_REGISTER_HEIGHT, static_cast<std::uint32_t>(rows));
}

}  // namespace datum
