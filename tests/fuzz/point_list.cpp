// Point lists of a coordinate measuring machine, as CSV.
#include <stdexcept>
#include <string>

#include "calib/verify/point_planes.h"
#include "tests/fuzz/fuzz_target.h"

DATUM_FUZZ_TARGET(point_list) {
  try {
    for (const datum::ListedPoint& p : datum::read_points(std::string(bytes), "fuzz.csv"))
      datum::fuzz::expect(p.weight > 0 && p.mm.allFinite(), "a point that was read is one");
  } catch (const std::invalid_argument&) {
  }
  try {
    for (const datum::ListedPoint& p :
         datum::read_points(std::string(bytes), "fuzz.csv", datum::PointColumns::for_weights))
      datum::fuzz::expect(p.set >= 1 && p.area_mm2 >= 0 && p.u_um >= 0, "a point that was read is one");
  } catch (const std::invalid_argument&) {
  }
}
