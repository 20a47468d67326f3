// RANSAC of public libraries that were found when the build was configured.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/bench/paper_ransac.h"

namespace datum::bench {

struct Peer {
  std::string name;
  std::function<PaperPlane(const std::vector<Xyz>&)> fit;  // t = 1, p = 0.999
};

/// Those that this build has.
std::vector<Peer> peers();

}  // namespace datum::bench
