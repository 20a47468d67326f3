// A verdict's JSON of positions and their pairing with a frame. Included by verdict_json.cpp only; f(key,
// member) is its writer or its reader.
#pragma once

#include "daemon/inspection/verdict/verdict.h"

namespace datum {

template <class F, class V>
void visit(F& f, V& v, const ProbePoint&) {
  f("position_mm", v.position_mm);
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

}  // namespace datum
