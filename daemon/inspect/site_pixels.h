// Heights of one component's pixels, taken out of the frame in the form that the kernels read.
#pragma once

#include <memory>

#include "daemon/inspect/site_map.h"
#include "gpu/core/backend.h"

namespace datum {

/// Lengths in um relative to the ring's centre and the nominal board there; z = NaN where the class is not
/// ok.
struct SitePixels {
  std::unique_ptr<float[]> ring_x, ring_y, ring_z;  // Site::ring_pixels each, in the order of the runs
  std::unique_ptr<float[]> body_z;                  // Site::body_pixels
};

/// Reads only pixels of the site, which must be in view.
SitePixels take_pixels(const HeightFrame& frame, const Site& site, Isa isa);

}  // namespace datum
