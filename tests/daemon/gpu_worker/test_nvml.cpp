// A driver library with one device, for machines without one: the functions of datumd-gpu --state with the names and
// types of the "NVML API Reference Guide" (NVIDIA).
extern "C" {

int nvmlInit_v2() { return 0; }
const char* nvmlErrorString(int) { return "an error"; }
int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = 1;
  return 0;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  static int one;
  *device = &one;
  return index == 0 ? 0 : 2;
}
int nvmlDeviceGetName(void*, char* name, unsigned size) {
  const char text[] = "Test GPU";
  for (unsigned i = 0; i < sizeof text && i < size; ++i) name[i] = text[i];
  return 0;
}
int nvmlDeviceGetClockInfo(void*, int clock, unsigned* mhz) {
  *mhz = clock == 1 ? 1830 : 2619;  // NVML_CLOCK_SM, NVML_CLOCK_MEM
  return 0;
}
int nvmlDeviceGetMaxClockInfo(void*, int clock, unsigned* mhz) {
  *mhz = clock == 1 ? 1980 : 2619;
  return 0;
}
int nvmlDeviceGetPowerUsage(void*, unsigned* mw) {
  *mw = 345678;
  return 0;
}
int nvmlDeviceGetEnforcedPowerLimit(void*, unsigned*) { return 3; }  // NVML_ERROR_NOT_SUPPORTED
int nvmlDeviceGetTemperature(void*, int, unsigned* degc) {
  *degc = 61;
  return 0;
}
int nvmlDeviceGetMemoryInfo(void*, unsigned long long* total_free_used) {
  const unsigned long long told[] = {80'000'000'000, 61'000'000'000, 19'000'000'000};
  for (int i = 0; i < 3; ++i) total_free_used[i] = told[i];
  return 0;
}
int nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* reasons) {
  *reasons = 0x24;
  return 0;
}
}
