#include "gpu/plane_fit/pixel_table.h"

#include <cmath>

#include "gpu/plane_fit/sampling.h"

namespace datum {

void add_groups(const BoardPlan& plan, const SitePlan& site, std::int32_t pitch,
                std::vector<std::uint32_t>* groups) {
  for (std::uint32_t k = site.ring_run; k < site.ring_run + site.ring_runs; ++k) {
    const PixelRun& run = plan.runs[k];
    const std::int32_t end = run.col + run.length;
    for (std::int32_t group = run.col / 4; group * 4 < end; ++group) {
      std::uint32_t mask = 0;
      for (std::int32_t j = 0; j < 4; ++j)
        if (group * 4 + j >= run.col && group * 4 + j < end) mask |= 1u << j;
      const std::uint32_t index = static_cast<std::uint32_t>(run.row) * (pitch / 4) + group;
      groups->push_back(index << 4 | mask);
    }
  }
}

bool inside_bounds(const BoardPlan& plan, const SitePlan& site) {
  for (std::uint32_t k = site.ring_run; k < site.ring_run + site.ring_runs; ++k) {
    const PixelRun& run = plan.runs[k];
    const float x[2] = {um_of(site.grid.x, run.col), um_of(site.grid.x, run.col + run.length - 1)};
    const float y = um_of(site.grid.y, run.row);
    if (!(std::fabs(x[0]) <= site.half_x && std::fabs(x[1]) <= site.half_x && std::fabs(y) <= site.half_y))
      return false;
  }
  return true;
}

void add_sampled_quads(const BoardPlan& plan, const SitePlan& site, std::int32_t pitch,
                       std::vector<PixelQuad>* quads) {
  const PixelRun* run = plan.runs + site.ring_run;
  std::uint32_t before = 0;  // pixels of the ring in earlier runs
  for (std::uint32_t k = 0; k < plane_math::sampled_quads(site.ring_pixels); ++k) {
    const std::uint32_t first = 4 * plane_math::sampled_quad(k, site.ring_pixels, site.seed);
    PixelQuad quad{no_pixel, no_pixel, no_pixel, no_pixel};
    for (std::uint32_t n = first; n < first + 4 && n < site.ring_pixels; ++n) {
      for (; n - before >= static_cast<std::uint32_t>(run->length); ++run)
        before += static_cast<std::uint32_t>(run->length);
      quad[n - first] = static_cast<std::uint32_t>(run->row) * static_cast<std::uint32_t>(pitch) +
                        static_cast<std::uint32_t>(run->col) + (n - before);
    }
    quads->push_back(quad);
  }
}

}  // namespace datum
