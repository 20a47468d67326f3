#include "tests/bench/peers.h"

namespace datum::bench {

#ifdef DATUM_BENCH_PCL
PaperPlane fit_with_pcl(const std::vector<Xyz>& points);
#endif
#ifdef DATUM_BENCH_OPEN3D
PaperPlane fit_with_open3d(const std::vector<Xyz>& points);
#endif

std::vector<Peer> peers() {
  std::vector<Peer> found;
#ifdef DATUM_BENCH_PCL
  found.push_back({"PCL, header-only, native", fit_with_pcl});
#endif
#ifdef DATUM_BENCH_OPEN3D
  found.push_back({"Open3D", fit_with_open3d});
#endif
  return found;
}

}  // namespace datum::bench
