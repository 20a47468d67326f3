// A verdict's JSON of a frame: exposure and processing steps. Included by verdict_json.cpp only; f(key,
// member) is its writer or its reader.
#pragma once

#include "daemon/inspection/verdict/verdict.h"

namespace datum {

template <class F, class V>
void visit(F& f, V& v, const CaptureTime&) {
  f("time_ns", v.ns);
  f("clock", v.clock);
  f.where_known("host_monotonic", v.host);
  f.where_known("offset", v.offset);
}

template <class F, class V>
void visit(F& f, V& v, const ClockOffset&) {
  f("host_less_clock_ns", v.offset_ns);
  f("uncertainty_ns", v.uncertainty_ns);
}

template <class F, class V>
void visit(F& f, V& v, const FrameAge&) {
  f("at_most_ms", v.at_most_ms);
  f("allowed_ms", v.allowed_ms);
  f("by", v.by);
}

template <class F, class V>
void visit(F& f, V& v, const HostSpan&) {
  f("from_ns", v.from_ns);
  f("to_ns", v.to_ns);
}

template <class F, class V>
void visit(F& f, V& v, const SensorStamp&) {
  f("frame_index", v.frame_index);
  f("encoder", v.encoder);
  f("encoder_at_z", v.encoder_at_z);
  f("status", v.status);
}

template <class F, class V>
void visit(F& f, V& v, const StepRecord&) {
  f("name", v.name);
  f("version", v.version);
  f("parameters", v.parameters);
  f("input_sha256", v.input_sha256);
  f("output_sha256", v.output_sha256);
  f("health", v.health);
  f("warnings", v.warnings);
}

}  // namespace datum
