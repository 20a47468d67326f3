// What a backend returns for one site: the fit, and exact sums over ring and body from which the host derives all else
// with one code for every backend. Plain memory: it crosses to a device and to another process as it is. C++17.
#pragma once

#include <type_traits>

#include "gpu/component_height/body_record.h"
#include "gpu/floor_evidence/ring_record.h"
#include "gpu/plane_fit/plane_fit.h"

namespace datum {

struct SiteRecord {
  PlaneFit fit;
  RingRecord ring;  // defined where fit.status is ok
  BodyRecord body;  // likewise
};
static_assert(std::is_trivially_copyable_v<SiteRecord>);

}  // namespace datum
