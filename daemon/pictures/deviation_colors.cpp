#include "daemon/pictures/deviation_colors.h"

#include <algorithm>
#include <cmath>

namespace datum {

namespace {
constexpr double inner_steps = deviation_steps - 2;
}

std::size_t deviation_step(double um, double range_um) {
  const double at = std::floor((um + range_um) * inner_steps / (2 * range_um)) + 1;
  return static_cast<std::size_t>(std::clamp(at, 0.0, static_cast<double>(deviation_steps - 1)));
}

double step_begin_um(std::size_t k, double range_um) {
  return -range_um + 2 * range_um * (static_cast<double>(k) - 1) / inner_steps;
}

}  // namespace datum
