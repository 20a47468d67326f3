// Seeded defects through the daemon's inspection: no PASS where pixels measure too large a deviation, few good parts
// refused.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/statistics/surface_defect.h"

namespace datum::statistics {

struct CampaignPlan {
  int cases = 1000;  // with a defect; plus a quarter as many good parts
  std::uint64_t seed = 1;
  unsigned threads = 1;
  std::vector<std::uint64_t> only;  // seeds of the only cases, reported as text; none: all
};

struct CampaignTally {
  int cases = 0, passed = 0, inconclusive = 0, failed = 0, invalid = 0;
  int seen = 0;  // at least seen_px pixels of a snapshot measure more than beyond_limit times the tolerance
  int wrong_passes = 0;  // of the seen ones
};

inline constexpr double beyond_limit = 1.25;
inline constexpr int seen_px = 4;

struct Campaign {
  std::map<std::string, CampaignTally> of_solid, of_defect;  // by name
  CampaignTally defects, good;
  std::vector<std::string> wrong;  // as text: each wrong PASS and each refused good part
  std::vector<std::string> told;   // as text: each case of CampaignPlan::only
};

/// The result does not depend on the number of threads.
Campaign run_campaign(const CampaignPlan& plan);

}  // namespace datum::statistics
