#include "gpu/plane_fit/plane_fit_check.h"

#include <stdexcept>
#include <string>

namespace datum {
namespace {

// Powers of two and squares of these stay far from the ends of a float.
constexpr float least_length = 1e-12f, most_length = 1e12f;

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument("plane fit: " + what); }

bool is_length(float v) { return v >= least_length && v <= most_length; }

}  // namespace

void check_settings(const PlaneFitSettings& s) {
  if (!is_length(s.threshold))
    refuse("threshold is " + std::to_string(s.threshold) + "; allowed: 1e-12 to 1e12");
  if (s.refit_threshold != 0 && !(is_length(s.refit_threshold) && s.refit_threshold >= s.threshold))
    refuse("refit_threshold is " + std::to_string(s.refit_threshold) + "; allowed: 0, or threshold (" +
           std::to_string(s.threshold) + ") to 1e12");
  if (!(s.confidence > 0 && s.confidence < 1))
    refuse("confidence is " + std::to_string(s.confidence) + "; allowed: above 0 and below 1");
  if (s.max_hypotheses < 1)
    refuse("max_hypotheses is " + std::to_string(s.max_hypotheses) + "; allowed: 1 or more");
}

static void check_plane(const PlanePoints& p, std::size_t index) {
  const std::string plane = "plane " + std::to_string(index) + ": ";
  if (p.size > 0 && !(p.x && p.y && p.z))
    refuse(plane + "a null pointer for " + std::to_string(p.size) + " points");
  for (const float half : {p.half_x, p.half_y})
    if (half != 0 && !is_length(half))
      refuse(plane + "half width is " + std::to_string(half) + "; allowed: 0, or 1e-12 to 1e12");
}

void check_batch(const PlanePoints* planes, std::size_t count, const PlaneFitSettings& settings) {
  check_settings(settings);
  if (count > 0 && !planes) refuse("a null pointer for " + std::to_string(count) + " planes");
  for (std::size_t i = 0; i < count; ++i) check_plane(planes[i], i);
}

}  // namespace datum
