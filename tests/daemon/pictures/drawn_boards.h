// Boards for pictures: frames as their recipes say, and verdicts with the values that these frames have.
#pragma once

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include "daemon/inspection/recipe/recipe.h"
#include "daemon/inspection/verdict/verdict.h"
#include "drivers/frame/height_frame.h"

namespace datum::testing {

struct DrawnBoard {
  HeightFrame frame;
  Recipe recipe;
  BoardVerdict verdict;
  double pixel_mm = 0.1;

  DrawnBoard(double width_mm, double height_mm, double pixel_mm) : pixel_mm(pixel_mm) {
    recipe.name = "drawn";
    recipe.board_size_mm = {width_mm, height_mm};
    recipe.floor.inner_margin_mm = 0.2;
    recipe.floor.outer_margin_mm = 0.6;
    verdict.decision = Decision::pass;
    verdict.recipe = "drawn";
    verdict.unit_id = "B-0042";
    verdict.sequence = 17;
    verdict.measured_at = "2026-01-31T10:00:00.000000Z";
    verdict.sensor_serial = "S1";
    verdict.calibration = "cell-2026-01";
    verdict.frame_id = "000007";
    verdict.code = "0.1.0 abc";
    frame.rows = static_cast<int>(std::lround(height_mm / pixel_mm));
    frame.cols = static_cast<int>(std::lround(width_mm / pixel_mm));
    frame.x = frame.y = {pixel_mm, pixel_mm / 2};
    frame.z = {0.001, 0};
    frame.sensor_serial = "S1";
    frame.frame_id = "000007";
    std::vector<std::int16_t> counts(frame.size());
    std::mt19937 random(7);
    for (auto& c : counts) c = static_cast<std::int16_t>(static_cast<int>(random() % 13) - 6);
    frame.counts = std::move(counts);
    frame.classes.assign(frame.size(), PixelClass::ok);
    for (auto& c : frame.classes)
      if (random() % 400 == 0) c = PixelClass::no_data;
  }

  /// A body of `nominal_um`, limits 8 % around it, which is `um` high at its middle and rises along x by `slope` um/mm.
  ComponentVerdict& add(const std::string& reference, const BoardRect& body, double nominal_um, double um,
                        double slope = 0) {
    Component c;
    c.reference = reference;
    c.package = "P";
    c.body = body;
    c.nominal_height_um = nominal_um;
    Check check;
    check.characteristic = Characteristic::median;
    check.lower = 0.92 * nominal_um;
    check.upper = 1.08 * nominal_um;
    check.expected = nominal_um;
    Check tilt;
    tilt.characteristic = Characteristic::tilt;
    tilt.upper = 800;
    c.checks = {check, tilt};
    recipe.components.push_back(c);
    const double angle = body.rotation_deg * M_PI / 180;
    auto& counts = std::get<std::vector<std::int16_t>>(frame.counts);
    const auto range = [&](double middle_mm, int count) {
      const double half = body.size_mm.norm() / 2 / pixel_mm + 1, at = middle_mm / pixel_mm;
      return std::pair(std::clamp(static_cast<int>(at - half), 0, count),
                       std::clamp(static_cast<int>(at + half) + 1, 0, count));
    };
    const auto [row0, row1] = range(body.centre_mm.y(), frame.rows);
    const auto [col0, col1] = range(body.centre_mm.x(), frame.cols);
    for (int row = row0; row < row1; ++row)
      for (int col = col0; col < col1; ++col) {
        const double x = frame.x.at(col) - body.centre_mm.x(), y = frame.y.at(row) - body.centre_mm.y();
        const double u = x * std::cos(angle) + y * std::sin(angle),
                     v = y * std::cos(angle) - x * std::sin(angle);
        if (std::abs(u) > body.size_mm.x() / 2 || std::abs(v) > body.size_mm.y() / 2) continue;
        counts[static_cast<std::size_t>(row) * frame.cols + col] +=
            static_cast<std::int16_t>(std::lround(um + slope * x));
      }
    ComponentVerdict& row = verdict.components.emplace_back();
    row.reference = reference;
    row.package = "P";
    row.floor.centre_x_mm = body.centre_mm.x();
    row.floor.centre_y_mm = body.centre_mm.y();
    const double mdeg = std::atan(slope / 1000) * 180e3 / M_PI;
    row.decision = Decision::pass;
    for (const auto& [wanted, value] : {std::pair{check, um}, std::pair{tilt, mdeg}}) {
      CheckVerdict& v = row.checks.emplace_back();
      v.check = wanted;
      v.value = value;
      v.u = wanted.characteristic == Characteristic::tilt ? 20 : 4;
      const bool good = (!wanted.lower || value >= *wanted.lower) && value <= *wanted.upper;
      v.decision = good ? Decision::pass : Decision::fail;
      row.decision = std::max(row.decision, v.decision);
    }
    verdict.decision = std::max(verdict.decision, row.decision);
    return row;
  }

  static void make(ComponentVerdict& row, Decision decision, Reason reason, BoardVerdict& board) {
    row.decision = decision;
    row.checks[0].decision = decision;
    row.checks[0].reason = reason;
    board.decision = std::max(board.decision, decision);
  }
};

/// A connector of 6 mm height beside rows of chips 0402; one chip is missing, one stands on its end, one is doubtful.
inline DrawnBoard connector_board() {
  DrawnBoard b(34, 22, 0.05);
  b.add("J1", {{8, 11}, {8, 16}, 0}, 6000, 6012);
  int n = 0;
  for (int row = 0; row < 6; ++row)
    for (int col = 0; col < 8; ++col) {
      const std::string reference = "C" + std::to_string(++n);
      const BoardRect body{{15.5 + 2.2 * col, 3.5 + 3 * row}, {1.0, 0.5}, row % 2 ? 90.0 : 0.0};
      const double um = n == 11 ? 2.5 : n == 20 ? 1010 : 500;
      ComponentVerdict& c = b.add(reference, body, 500, um, n == 29 ? 24 : 0);
      if (n == 38) DrawnBoard::make(c, Decision::invalid, Reason::floor_sides, b.verdict);
      if (n == 41) {
        c.checks[0].value = 462;
        DrawnBoard::make(c, Decision::inconclusive, Reason::none, b.verdict);
      }
    }
  return b;
}

/// 500 parts on 100 x 80 mm; every 29th has failed.
inline DrawnBoard large_board() {
  DrawnBoard b(100, 80, 0.1);
  int n = 0;
  for (int row = 0; row < 20; ++row)
    for (int col = 0; col < 25; ++col, ++n) {
      const bool large = (row * 7 + col * 3) % 31 == 0;
      const BoardRect body{{3 + 3.9 * col, 2.6 + 3.9 * row},
                           large ? Eigen::Vector2d(2.4, 2.4) : Eigen::Vector2d(1.6, 0.8),
                           row % 2 ? 90.0 : 0.0};
      const double nominal = large ? 1200 : 450 + 150 * (col % 3);
      const double um = n % 58 == 0 ? 3 : n % 29 == 0 ? 1.15 * nominal : nominal + (n % 7 - 3) * 4;
      b.add((large ? "U" : n % 2 ? "R" : "C") + std::to_string(n + 1), body, nominal, um);
    }
  return b;
}

}  // namespace datum::testing
