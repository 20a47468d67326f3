#include <stdexcept>

#include "tests/virtual_cell/twin_design.h"

namespace datum {

void lay_design(const std::string& file, design::Side, design::Turn, TwinBoard&) {
  throw std::runtime_error(file + ": a first demo has no readers of designs; ./datum demo --cad builds them");
}

}  // namespace datum
