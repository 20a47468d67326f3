// Heights of one site's pixels, taken out of the frame in the form that the CPU's loops read.
#pragma once

#include <memory>

#include "gpu/core/backend.h"
#include "gpu/core/board_plan.h"
#include "gpu/core/kept_array.h"

namespace datum {

/// All that is made here has room for so many more, which mean nothing.
inline constexpr std::int32_t pixel_padding = 32;

/// Memory for the pixels of one site after the other.
struct SiteMemory {
  KeptArray<float> x, y, ring_z, body_z;
};

/// Of work on one site after the other (board_measurer.h).
struct SiteScratch {
  SiteMemory pixels;
  KeptArray<std::int32_t> nm;
};

/// um from the site's centre, z = NaN where there is no height; in the order of the runs. site.ring_pixels each.
struct RingPoints {
  const float *x, *y, *z;
};
struct RingPlaces {
  std::unique_ptr<float[]> x, y;  // site.ring_pixels each
};

/// Those that read the frame read only the site's own pixels, or others of the frame beside them; all know a plan that
/// check() accepts.
RingPoints take_ring(const BoardPlan& plan, const SitePlan& site, const FrameView& frame, Isa isa,
                     SiteMemory* memory);
/// z of the ring alone, and of the body: site.body_pixels.
const float* take_ring_z(const BoardPlan& plan, const SitePlan& site, const FrameView& frame, Isa isa,
                         SiteMemory* memory);
const float* take_body(const BoardPlan& plan, const SitePlan& site, const FrameView& frame, Isa isa,
                       SiteMemory* memory);
/// The same in memory of their own. `runs`: the ring's.
std::unique_ptr<float[]> take_ring_z(const BoardPlan& plan, const SitePlan& site, const FrameView& frame,
                                     Isa isa);
RingPlaces ring_places(const SitePlan& site, const PixelRun* runs, Isa isa);
std::unique_ptr<float[]> take_body(const BoardPlan& plan, const SitePlan& site, const FrameView& frame,
                                   Isa isa);

}  // namespace datum
