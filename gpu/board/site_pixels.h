// Heights of one site's pixels, taken out of the frame in the form that the CPU's loops read.
#pragma once

#include <memory>

#include "gpu/core/backend.h"
#include "gpu/core/board_plan.h"

namespace datum {

/// All that is made here has room for so many more, which mean nothing.
inline constexpr std::int32_t pixel_padding = 32;

/// um from the site's centre, z = NaN where there is no height; in the order of the runs.
struct RingPoints {
  std::unique_ptr<float[]> x, y, z;  // site.ring_pixels each
};
struct RingPlaces {
  std::unique_ptr<float[]> x, y;  // site.ring_pixels each
};

/// Those that read the frame read only the site's own pixels, or others of the frame beside them; all know a plan that
/// check() accepts.
RingPoints take_ring(const BoardPlan& plan, const SitePlan& site, const FrameView& frame, Isa isa);
/// take_ring in its parts. `runs`: the ring's.
std::unique_ptr<float[]> take_ring_z(const BoardPlan& plan, const SitePlan& site, const FrameView& frame,
                                     Isa isa);
RingPlaces ring_places(const SitePlan& site, const PixelRun* runs, Isa isa);
/// z of the body: site.body_pixels.
std::unique_ptr<float[]> take_body(const BoardPlan& plan, const SitePlan& site, const FrameView& frame,
                                   Isa isa);

}  // namespace datum
