// A verdict's JSON of a surface. Included by verdict_json.cpp only; f(key, member) is its writer or its
// reader.
#pragma once

#include "daemon/inspection/verdict/verdict.h"

namespace datum {

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
