// A verdict's JSON of a board's form. Included by verdict_json.cpp only; f(key, member) is its writer or its
// reader.
#pragma once

#include "daemon/inspection/verdict/verdict.h"

namespace datum {

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

}  // namespace datum
