// Of kept frames that a recipe was tried on (daemon/batch/trial.h): floors that are refused.
#pragma once

#include <string>
#include <vector>

#include "daemon/batch/trial.h"

namespace datum {

/// Components whose floor was refused, or lay outside of the frame, with the reason; the others' floor is good.
struct RefusedFloors {
  std::string reference, reason;
  int boards = 0;
};
struct FloorShare {
  int components = 0, good = 0;        // over all boards
  std::vector<RefusedFloors> refused;  // most frequent first
};
FloorShare floor_share(const std::vector<TriedBoard>& boards);

}  // namespace datum
