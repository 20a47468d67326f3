#include "tests/virtual_cell/twin_board.h"

#include <cmath>
#include <numbers>

namespace datum {

TwinFloor floor_at(const TwinBoard& board, double x_mm, double y_mm) {
  const TwinShape& s = board.shape;
  const double u = 2 * x_mm / board.size_mm.x() - 1;  // -1 .. 1 over the board
  const double v = 2 * y_mm / board.size_mm.y() - 1;
  const double du = 2 / board.size_mm.x(), dv = 2 / board.size_mm.y();
  TwinFloor f;
  f.z_mm = 1e-3 * (s.bow_x_um * (1 - u * u) + s.bow_y_um * (1 - v * v) + s.twist_um * u * v);
  f.slope_x = 1e-3 * du * (-2 * s.bow_x_um * u + s.twist_um * v);
  f.slope_y = 1e-3 * dv * (-2 * s.bow_y_um * v + s.twist_um * u);
  return f;
}

double TwinRelief::at(double x_mm, double y_mm) const {
  if (um.empty()) return 0;
  const double column = std::floor(x_mm / pitch_mm), row = std::floor(y_mm / pitch_mm);
  if (!(column >= 0 && row >= 0 && column < columns && row < rows)) return std::nan("");
  return um[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) +
            static_cast<std::size_t>(column)];
}

std::vector<TwinTruth> truth_of(const TwinBoard& board) {
  std::vector<TwinTruth> truth;
  for (const TwinBody& body : board.bodies) {
    TwinTruth t;
    t.reference = body.reference;
    t.present = !body.missing;
    if (t.present) {
      t.height_um = body.height_um;
      t.tilt_mdeg = std::atan(std::hypot(body.slope_x, body.slope_y)) * 180e3 / std::numbers::pi;
    }
    truth.push_back(t);
  }
  return truth;
}

}  // namespace datum
