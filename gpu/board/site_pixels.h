// Heights of one site's pixels, taken out of the frame in the form that the CPU's loops read.
#pragma once

#include <memory>

#include "gpu/core/backend.h"
#include "gpu/core/board_plan.h"

namespace datum {

/// um from the site's centre, z = NaN where there is no height; in the order of the runs.
struct RingPoints {
  std::unique_ptr<float[]> x, y, z;  // site.ring_pixels each
};

/// Both read only the site's own pixels, or others of the frame beside them, and know a plan that check()
/// accepts.
RingPoints take_ring(const BoardPlan& plan, const SitePlan& site, const FrameView& frame, Isa isa);
/// z of the body: site.body_pixels.
std::unique_ptr<float[]> take_body(const BoardPlan& plan, const SitePlan& site, const FrameView& frame,
                                   Isa isa);

}  // namespace datum
