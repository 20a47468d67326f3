// A verdict's JSON of the controller. Included by verdict_json.cpp only; f(key, member) is its writer or its
// reader.
#pragma once

#include "daemon/inspection/verdict/verdict.h"

namespace datum {

template <class F, class V>
void visit(F& f, V& v, const CpuState&) {
  f("governor", v.governor);
  f("lowest_mhz", v.lowest_mhz);
  f("highest_mhz", v.highest_mhz);
  f("limit_mhz", v.limit_mhz);
  f("maximum_mhz", v.maximum_mhz);
}

template <class F, class V>
void visit(F& f, V& v, const GpuState&) {
  f("device", v.device);
  f("by", v.by);
  f("clock_mhz", v.clock_mhz);
  f("maximum_clock_mhz", v.maximum_clock_mhz);
  f("memory_clock_mhz", v.memory_clock_mhz);
  f("power_w", v.power_w);
  f("power_limit_w", v.power_limit_w);
  f("temperature_degc", v.temperature_degc);
}

template <class F, class V>
void visit(F& f, V& v, const ControllerState&) {
  f("model", v.model);
  f("age_ms", v.age_ms);
  f("power_mode", v.power_mode);
  f("cpu", v.cpu);
  f("hottest_zone", v.hottest_zone);
  f("hottest_degc", v.hottest_degc);
  f("throttled_by", v.throttled_by);
  f.where_known("gpu", v.gpu);
  f("gpu_absent", v.gpu_absent);
}

}  // namespace datum
