#include "drivers/genicam/camera.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <utility>

#include "drivers/genicam/blocks.h"
#include "drivers/genicam/features.h"
#include "drivers/link_error.h"

namespace datum::genicam {

template <class T>
struct Unref {
  void operator()(T* object) const { g_object_unref(object); }
};
template <class T>
using Owned = std::unique_ptr<T, Unref<T>>;

namespace {

constexpr std::uint16_t gvcp_port = 3956;
constexpr int us_per_ms = 1000, bytes_per_kib = 1024;
constexpr std::size_t bytes_per_mib = 1 << 20;

/// This host's address towards a camera.
std::string own_address_towards(const std::string& address) {
  sockaddr_in peer{};
  peer.sin_family = AF_INET;
  peer.sin_port = htons(gvcp_port);
  if (inet_pton(AF_INET, address.c_str(), &peer.sin_addr) != 1)
    throw RefusedError("'" + address + "' is no IPv4 address");
  const int socket = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  sockaddr_in own{};
  socklen_t size = sizeof own;
  const bool found = socket >= 0 && ::connect(socket, reinterpret_cast<sockaddr*>(&peer), sizeof peer) == 0 &&
                     ::getsockname(socket, reinterpret_cast<sockaddr*>(&own), &size) == 0;
  if (socket >= 0) ::close(socket);
  char text[INET_ADDRSTRLEN];
  if (!found || !inet_ntop(AF_INET, &own.sin_addr, text, sizeof text))
    throw LostError("no interface of this computer reaches it");
  return text;
}

ArvDevice* open_by_address(const std::string& address) {
  const Owned<GInetAddress> own(g_inet_address_new_from_string(own_address_towards(address).c_str())),
      peer(g_inet_address_new_from_string(address.c_str()));
  Failure failure;
  ArvDevice* device = arv_gv_device_new(own.get(), peer.get(), failure.place());
  if (device && !failure.there()) return device;
  if (device) g_object_unref(device);
  failure.check("no camera answers");
  throw LostError("no camera answers");
}

/// Searches all networks for cameras.
ArvDevice* open_by_name(const Settings& s) {
  arv_disable_interface("USB3Vision");
  arv_update_device_list();
  std::string id = s.name, seen;
  for (unsigned i = 0; i < arv_get_n_devices(); ++i) {
    const char* serial = arv_get_device_serial_nbr(i);
    if (!serial) continue;
    if (!s.serial.empty() && s.serial == serial) id = arv_get_device_id(i);
    seen += fmt::format("{}{} ({})", seen.empty() ? "" : ", ", serial, arv_get_device_address(i));
  }
  if (id.empty())
    throw LostError("no camera with that serial number answers; there are: " +
                    (seen.empty() ? "none" : seen));
  Failure failure;
  ArvDevice* device = arv_open_device(id.c_str(), failure.place());
  failure.check("no camera of that name answers");
  if (!device) throw LostError("no camera of that name answers");
  return device;
}

std::string address_of(ArvDevice* device) {
  GSocketAddress* address = arv_gv_device_get_device_address(ARV_GV_DEVICE(device));
  char* text = g_inet_address_to_string(g_inet_socket_address_get_address(G_INET_SOCKET_ADDRESS(address)));
  std::string copy = text;
  g_free(text);
  return copy;
}

/// Empty: the kernel grants the requested size.
std::string buffer_warning(int wanted_kib) {
  std::int64_t most = 0;
  std::ifstream("/proc/sys/net/core/rmem_max") >> most;
  if (most <= 0 || most >= std::int64_t{wanted_kib} * bytes_per_kib) return "";
  return fmt::format(
      "a socket buffer of {} KiB is wanted and net.core.rmem_max allows {}: packets will be lost under load; "
      "datumctl doctor says what to run",
      wanted_kib, most / bytes_per_kib);
}

}  // namespace

std::string name_of(const Settings& s) {
  return "genicam " + (!s.address.empty() ? s.address : !s.serial.empty() ? s.serial : s.name);
}

struct Camera::Device {
  Owned<ArvDevice> device;
  std::unique_ptr<Features> features;
  std::atomic<bool> control_lost{false};
  std::unique_ptr<Blocks> blocks;  // destroyed before the device
  std::vector<std::string> warnings;
};

Camera::Camera(const Settings& settings, CameraTools tools) : settings_(settings), tools_(std::move(tools)) {}

// Acquisition stops without waiting: the camera ends it when control is released.
Camera::~Camera() {
  if (device_ && device_->blocks && !device_->control_lost)
    arv_device_execute_command(device_->device.get(), "AcquisitionStop", nullptr);
}

Identity Camera::open() {
  device_ = std::make_unique<Device>();
  {
    const Access access(tools_, "the connection");
    device_->device.reset(settings_.address.empty() ? open_by_name(settings_)
                                                    : open_by_address(settings_.address));
  }
  ArvDevice* device = device_->device.get();
  if (!ARV_IS_GV_DEVICE(device)) throw RefusedError("it is no GigE Vision camera");
  if (!arv_gv_device_is_controller(ARV_GV_DEVICE(device)))
    throw LostError("another program controls it; close that program");
  arv_device_set_register_cache_policy(device, ARV_REGISTER_CACHE_POLICY_DISABLE);
  struct Told {
    static void lost(ArvDevice*, gpointer self) {
      auto* camera = static_cast<Camera*>(self);
      camera->device_->control_lost = true;
      camera->tools_.wake();
    }
  };
  g_signal_connect(device, "control-lost", G_CALLBACK(Told::lost), this);
  device_->features = std::make_unique<Features>(device, tools_);
  const Features& f = *device_->features;
  Identity id;
  id.vendor = f.text("DeviceVendorName");
  id.model = f.text("DeviceModelName");
  id.serial = f.text_or("DeviceSerialNumber", "");
  if (id.serial.empty()) id.serial = f.text_or("DeviceID", "");  // older standards
  id.firmware = f.text_or("DeviceFirmwareVersion", f.text_or("DeviceVersion", ""));
  id.address = address_of(device);
  if (!settings_.firmware.empty() && settings_.firmware != id.firmware)
    throw RefusedError(
        fmt::format("its firmware is '{}', this cell measures with '{}'", id.firmware, settings_.firmware));
  return id;
}

Setup Camera::start() {
  const Features& f = *device_->features;
  if (!settings_.user_set.empty()) {
    f.set("UserSetSelector", settings_.user_set);
    f.execute("UserSetLoad");
  }
  if (!settings_.pixel_format.empty()) f.set("PixelFormat", settings_.pixel_format);
  f.set_if_there("AcquisitionMode", "Continuous");
  if (settings_.trigger == TriggerBy::software) {
    f.set_if_there("TriggerSelector", "FrameStart");
    f.set("TriggerMode", "On");
    f.set("TriggerSource", "Software");
  }
  const Setup now = setup();
  const char* exposure = f.has("ExposureTime") ? "ExposureTime" : "ExposureTimeAbs";
  exposure_us_ = f.has(exposure) ? f.number(exposure) : 0;
  const std::int64_t bytes = f.integer("PayloadSize");
  if (bytes <= 0 || static_cast<std::uint64_t>(bytes) > settings_.max_frame_mib * bytes_per_mib)
    throw RefusedError(fmt::format("its frames have {} bytes; allowed: {} MiB (max_frame_mib)", bytes,
                                   settings_.max_frame_mib));
  stream(static_cast<std::size_t>(bytes));
  if (f.has("TLParamsLocked")) f.set_integer("TLParamsLocked", 1);
  f.execute("AcquisitionStart");
  return now;
}

void Camera::stream(std::size_t payload_bytes) {
  ArvDevice* device = device_->device.get();
  ArvGvDevice* gv = ARV_GV_DEVICE(device);
  // A packet socket needs a privilege that a service should not have, and does not work on the loopback.
  arv_gv_device_set_stream_options(gv, ARV_GV_STREAM_OPTION_PACKET_SOCKET_DISABLED);
  arv_gv_device_set_packet_size_adjustment(gv, settings_.packet_size > 0
                                                   ? ARV_GV_PACKET_SIZE_ADJUSTMENT_NEVER
                                                   : ARV_GV_PACKET_SIZE_ADJUSTMENT_ALWAYS);
  if (settings_.packet_size > 0) {
    const Access access(tools_, "the packet size");
    Failure failure;
    arv_gv_device_set_packet_size(gv, settings_.packet_size, failure.place());
    failure.check(fmt::format("packet size {}", settings_.packet_size));
  }
  if (const std::string warning = buffer_warning(settings_.socket_buffer_kib); !warning.empty())
    device_->warnings.push_back(warning);
  device_->blocks = std::make_unique<Blocks>(
      device,
      BlockLimits{payload_bytes, settings_.socket_buffer_kib * bytes_per_kib, settings_.stall_ms * us_per_ms},
      tools_);
}

Setup Camera::setup() { return read_setup(*device_->features); }

MonotonicNs Camera::trigger() {
  const MonotonicNs before = tools_.clock();
  device_->features->execute("TriggerSoftware");
  return before;
}

std::optional<ClockAnswer> Camera::ask_clock() {
  return latch_clock(*device_->features, device_->device.get(), tools_);
}

std::optional<Delivery> Camera::next() {
  if (device_->control_lost) throw LostError("control of it was lost");
  return device_->blocks->next();
}

bool Camera::receiving() const { return device_->blocks->receiving(); }

void Camera::follow(const BlockBegins& begins, const Setup& setup) {
  if (begins) device_->blocks->follow(begins, setup);
}

std::vector<std::string> Camera::take_warnings() { return std::exchange(device_->warnings, {}); }

}  // namespace datum::genicam
