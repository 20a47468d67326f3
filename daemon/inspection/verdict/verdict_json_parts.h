// A verdict's JSON of its parts: f(key, member) is the writer or the reader. Included by verdict_json.cpp only.
#pragma once

#include "daemon/inspection/verdict/verdict.h"

namespace datum {

// --- frame: exposure and processing steps

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

// --- reference checks

template <class F, class V>
void visit(F& f, V& v, const CheckOverride&) {
  f("id", v.id);
  f("by", v.by);
  f("why", v.why);
}

template <class F, class V>
void visit(F& f, V& v, const ReliedCheck&) {
  f("name", v.name);
  f("state", v.state);
  f("good", v.good);
  f.where_known("override", v.override_by);
}

template <class F, class V>
void visit(F& f, V& v, const ReferenceEvidence&) {
  f("artefact", v.artefact);
  f("checks", v.checks);
}

// --- a part's fault

template <class F, class V>
void visit(F& f, V& v, const DefectEvidence&) {
  f("word", v.word);
  f("detail", v.detail);
  f("height_um", v.height_um);
  f("size_mm", v.size_mm);
  f("rise_um", v.rise_um);
  f("offset_um", v.offset_um);
  f("rotation_mdeg", v.rotation_mdeg);
}

// --- positions, and their pairing with a frame

template <class F, class V>
void visit(F& f, V& v, const ProbePoint&) {
  f("position_mm", v.position_mm);
  f.where_known("head_deg", v.head_deg);
  f("state", v.state);
  f("detail", v.detail);
  f("first_byte_ns", v.first_byte_ns);
  f("last_byte_ns", v.last_byte_ns);
  f("poll_sent_ns", v.poll_sent_ns);
  f("sequence", v.sequence);
  f.where_known("reference", v.reference);
}

template <class F, class V>
void visit(F& f, V& v, const PairingEvidence&) {
  f("class", v.pairing);
  f("exposure_by", v.exposure);
  f("spread_ms", v.spread_ms);
  f("speed_um_per_s", v.speed_um_per_s);
  f("u_um", v.u_um);
}

template <class F, class V>
void visit(F& f, V& v, const Pose&) {
  f("used", v.used);
  f("before", v.before);
  f("after", v.after);
  f("moved_um", v.moved_um);
  f.where_known("pairing", v.pairing);
  f("reason", v.reason);
  f("detail", v.detail);
  f("q_mm", v.q_mm);
}

// --- controller

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

// --- a board's form

template <class F, class V>
void visit(F& f, V& v, const WarpKnotEvidence&) {
  f("name", v.name);
  f("x_mm", v.x_mm);
  f("y_mm", v.y_mm);
  f("z_um", v.z_um);
  f("u_um", v.u_um);
  f("left_out_um", v.left_out_um);
}

template <class F, class V>
void visit(F& f, V& v, const WarpGapEvidence&) {
  f("mm", v.mm);
  f("at_mm", v.at_mm);
}

template <class F, class V>
void visit(F& f, V& v, const WarpOffEvidence&) {
  f("um", v.um);
  f("at_mm", v.at_mm);
}

template <class F, class V>
void visit(F& f, V& v, const WarpEvidence&) {
  f("outline_mm", v.outline_mm);
  f("refused", v.refused);
  f("shape", v.shape);
  f("lambda", v.lambda);
  f("leave_one_out_um", v.leave_one_out_um);
  f("roughness_um", v.roughness_um);
  f("condition", v.condition);
  f("growth", v.growth);
  f.where_known("largest_gap", v.largest_gap);
  f.where_known("farthest_off", v.farthest_off);
  f("backward_error", v.backward_error);
  f("knots", v.knots);
  f("hull_mm", v.hull_mm);
}

template <class F, class V>
void visit(F& f, V& v, const WarpFloorEvidence&) {
  f("ring_reason", v.ring_reason);
  f("ring_detail", v.ring_detail);
  f("a_um_per_um", v.a);
  f("b_um_per_um", v.b);
  f("c_um", v.c_um);
  f("form_um", v.form_um);
  f("u_um", v.u_um);
  f.where_known("largest_gap", v.largest_gap);
}

// --- surface

template <class F, class V>
void visit(F& f, V& v, const RegionEvidence&) {
  f("points", v.points);
  f("face", v.face);
  f("edge", v.edge);
  f("rim", v.rim);
  f("beyond", v.beyond);
  f("windows", v.windows);
  f("area_mm2", v.area_mm2);
  f("covered_mm2", v.covered_mm2);
  f("mean_um", v.mean_um);
  f("rms_um", v.rms_um);
  f("p1_um", v.p1_um);
  f("p50_um", v.p50_um);
  f("p99_um", v.p99_um);
  f("lowest_um", v.lowest_um);
  f("highest_um", v.highest_um);
  f("lowest_at_mm", v.lowest_at_mm);
  f("highest_at_mm", v.highest_at_mm);
  f("noise_um", v.noise_um);
  f("correlated_px", v.correlated_px);
}

template <class F, class V>
void visit(F& f, V& v, const HoleEvidence&) {
  f("state", v.state);
  f("reason", v.reason);
  f("detail", v.detail);
  f("frame_id", v.frame_id);
  f("frame_sha256", v.frame_sha256);
  f("scan_center_mm", v.scan_center_mm);
  f("scan_radius_mm", v.scan_radius_mm);
  f("scan_u_mm", v.scan_u_mm);
  f("center_mm", v.center_mm);
  f("radius_mm", v.radius_mm);
  f("u_mm", v.u_mm);
  f("form_mm", v.form_mm);
  f("touches", v.touches);
  f("log", v.log);
}

template <class F, class V>
void visit(F& f, V& v, const SnapshotEvidence&) {
  f("name", v.name);
  f("frame_id", v.frame_id);
  f("frame_source", v.frame_source);
  f("frame_sha256", v.frame_sha256);
  f("captured", v.captured);
  f.where_known("stamp", v.stamp);
  f("pose", v.pose);
  f.where_any("stages", v.stages);
  f("pixels", v.pixels);
  f("valid", v.valid);
  f.where_known("missing", v.missing);
}

template <class F, class V>
void visit(F& f, V& v, const OverlapEvidence&) {
  f("difference", v.difference);
  f("u", v.u);
}

template <class F, class V>
void visit(F& f, V& v, const ShownIn&) {
  f("snapshot", v.snapshot);
  f("margin_mm", v.margin_mm);
  f("second", v.second);
  f("floor_step_um", v.floor_step_um);
  f("u_floor_step_um", v.u_floor_step_um);
}

template <class F, class V>
void visit(F& f, V& v, const AlignmentStep&) {
  f("region", v.region);
  f("points", v.points);
  f("tiles", v.tiles);
  f("directions", v.directions);
  f("iterations", v.iterations);
  f("rms_before_um", v.rms_before_um);
  f("rms_after_um", v.rms_after_um);
  f("condition", v.condition);
  f.where_known("off_um", v.off_um);
  f.where_known("off_pull_um", v.off_pull_um);
}

template <class F, class V>
void visit(F& f, V& v, const AlignmentEvidence&) {
  f("datums", v.datums);
  f("shift_mm", v.shift_mm);
  f("turn_mrad", v.turn_mrad);
  f("covariance", v.covariance);
  f.where_known("refinement", v.refinement);
  if (!v.refinement) return;
  f("refinement_shift_um", v.refinement_shift_um);
  f("refinement_turn_urad", v.refinement_turn_urad);
  f("untold", v.untold);
}

template <class F, class V>
void visit(F& f, V& v, const MaskEvidence&) {
  f("name", v.name);
  f("pixels", v.pixels);
}

template <class F, class V>
void visit(F& f, V& v, const SurfaceEvidence&) {
  f("model", v.model);
  f("model_sha256", v.model_sha256);
  f("mm_per_unit", v.mm_per_unit);
  f("facets", v.facets);
  f("degenerate_facets", v.degenerate_facets);
  f("open_edges", v.open_edges);
  f("branched_edges", v.branched_edges);
  f("contradicted_normals", v.contradicted_normals);
  f("machine_from_model", v.machine_from_model);
  f.where_known("alignment", v.alignment);
  f("snapshots", v.snapshots);
  f.where_known("masks", v.masks);
  f("points", v.points);
  f("beyond", v.beyond);
  f("hidden", v.hidden);
}

}  // namespace datum
