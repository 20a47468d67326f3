#include "daemon/gpu_worker/board_record.h"

#include <cmath>

namespace datum {

const char* contradiction(const SitePlan& site, const SiteRecord& record) {
  const PlaneFit& f = record.fit;
  if (static_cast<unsigned>(f.status) > static_cast<unsigned>(FitStatus::out_of_bounds)) return "its status";
  if (f.valid > site.ring_pixels || f.inliers > f.valid) return "its numbers of pixels";
  if (f.status != FitStatus::ok) return "";
  if (!std::isfinite(f.a) || !std::isfinite(f.b) || !std::isfinite(f.c)) return "its plane";
  if (record.ring.inliers > site.ring_pixels) return "its ring";
  return "";
}

}  // namespace datum
