#include "daemon/gpu_worker/gpu_state.h"

#include <dlfcn.h>
#include <poll.h>
#include <signal.h>

#include <cstdio>
#include <exception>

namespace datum {
namespace {

constexpr int period_ms = 1000;

using Device = void*;
constexpr int clock_sm = 1, clock_memory = 2, temperature_gpu = 0;

/// A function of the library, or null. The functions return 0 on success.
template <class F>
F function(void* library, const char* name) {
  return reinterpret_cast<F>(::dlsym(library, name));
}

std::string words(void* library, int status) {
  const auto text = function<const char* (*)(int)>(library, "nvmlErrorString");
  return text ? text(status) : "status " + std::to_string(status);
}

/// A value of a device, divided by `per_unit`; unknown where the library refuses.
template <class... Of>
double number(void* library, const char* name, double per_unit, Device device, Of... of) {
  const auto ask = function<int (*)(Device, Of..., unsigned*)>(library, name);
  unsigned value = 0;
  return ask && ask(device, of..., &value) == 0 ? value * per_unit : GpuSample::unknown;
}

/// The first device; null, with the reason in `sample`, without a device.
Device first_device(void* library, GpuSample& sample) {
  const auto count = function<int (*)(unsigned*)>(library, "nvmlDeviceGetCount_v2");
  const auto handle = function<int (*)(unsigned, Device*)>(library, "nvmlDeviceGetHandleByIndex_v2");
  Device device = nullptr;
  int status = count && handle ? count(&sample.devices) : -1;
  if (status == 0 && sample.devices > 0) status = handle(0, &device);
  if (status != 0) put_text(sample.absent, words(library, status));
  if (status == 0 && !device) put_text(sample.absent, "the driver lists no device");
  return device;
}

/// A GPU that shares the computer's memory refuses this query.
void read_memory(void* library, Device device, GpuSample& sample) {
  struct Memory {  // nvmlMemory_t
    unsigned long long total = 0, free = 0, used = 0;
  } memory;
  const auto ask = function<int (*)(Device, Memory*)>(library, "nvmlDeviceGetMemoryInfo");
  if (!ask || ask(device, &memory) != 0) return;
  sample.memory_bytes = static_cast<double>(memory.total);
  sample.memory_free_bytes = static_cast<double>(memory.free);
}

}  // namespace

GpuStateReader::GpuStateReader(const char* library) : library_(::dlopen(library, RTLD_NOW | RTLD_LOCAL)) {
  if (!library_) {
    const char* error = ::dlerror();
    absent_ = error ? error : std::string(library) + " can't be loaded";
    return;
  }
  const auto start = function<int (*)()>(library_, "nvmlInit_v2");
  const int status = start ? start() : -1;
  if (status != 0) absent_ = std::string(library) + ": " + words(library_, status);
}

GpuSample GpuStateReader::sample() const {
  GpuSample s;
  s.identity = wire_identity();
  put_text(s.absent, absent_);
  const Device device = absent_.empty() ? first_device(library_, s) : nullptr;
  if (!device) return s;
  s.present = 1;
  char name[sizeof s.device] = {};
  const auto ask_name = function<int (*)(Device, char*, unsigned)>(library_, "nvmlDeviceGetName");
  if (ask_name && ask_name(device, name, sizeof name) == 0) put_text(s.device, name);
  s.clock_mhz = number(library_, "nvmlDeviceGetClockInfo", 1, device, clock_sm);
  s.maximum_clock_mhz = number(library_, "nvmlDeviceGetMaxClockInfo", 1, device, clock_sm);
  s.memory_clock_mhz = number(library_, "nvmlDeviceGetClockInfo", 1, device, clock_memory);
  s.power_w = number(library_, "nvmlDeviceGetPowerUsage", 1e-3, device);
  s.power_limit_w = number(library_, "nvmlDeviceGetEnforcedPowerLimit", 1e-3, device);
  s.temperature_degc = number(library_, "nvmlDeviceGetTemperature", 1, device, temperature_gpu);
  read_memory(library_, device, s);
  const auto reasons =
      function<int (*)(Device, unsigned long long*)>(library_, "nvmlDeviceGetCurrentClocksThrottleReasons");
  unsigned long long slowed_by = 0;
  if (reasons && reasons(device, &slowed_by) == 0) s.slowed_by = slowed_by;
  return s;
}

int run_gpu_state(int socket) {
  ::signal(SIGTERM, SIG_IGN);  // the process ends with its daemon
  ::signal(SIGINT, SIG_IGN);
  try {
    const GpuStateReader reader;
    for (;;) {
      const GpuSample sample = reader.sample();
      if (!send_packet(socket, &sample, sizeof sample) || !sample.present) return 0;
      pollfd watched{socket, 0, 0};  // poll() reports a hang-up without events
      if (::poll(&watched, 1, period_ms) > 0) return 0;
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "datumd-gpu --state: %s\n", error.what());
    return 1;
  }
}

}  // namespace datum
