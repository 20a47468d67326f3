// datumctl verify points
#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "calib/verify/point_planes.h"
#include "config/toml_reader.h"
#include "daemon/ctl/verify.h"
#include "daemon/text/table.h"

namespace datum {
namespace {

using Align = Table::Align;

std::string text_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::invalid_argument(file + ": can't be read; wanted: a CSV file of x_mm,y_mm,z_mm");
  return {std::istreambuf_iterator<char>(in), {}};
}

std::optional<NominalPlane> nominal_of(const std::string& text) {
  if (text.empty()) return std::nullopt;
  const auto n = numbers_of(text, 4, "--nominal");
  const Eigen::Vector3d normal(n[0], n[1], n[2]);
  if (!(normal.norm() > 1e-6))
    throw std::invalid_argument("--nominal " + text +
                                ": wanted: NX,NY,NZ,OFFSET with a direction, the offset in mm");
  return NominalPlane{normal.normalized(), n[3]};
}

std::string planes_text(const ParallelPoints& fit) {
  Table table({{"plane", Align::right},
               {"points", Align::right},
               {"F um", Align::right},
               {"rms um", Align::right},
               {"profile um", Align::right},
               {"offset mm", Align::right},
               {"u um", Align::right}});
  for (const auto& [number, plane] : fit.planes)
    table.add({{fmt::format("{}", number)},
               {fmt::format("{}", plane.points)},
               {fmt::format("{:.6f}", 1e3 * plane.flatness_mm)},
               {fmt::format("{:.6f}", 1e3 * plane.rms_mm)},
               {plane.profile_mm ? fmt::format("{:.6f}", 1e3 * *plane.profile_mm) : "-"},
               {fmt::format("{:.9f}", plane.offset_mm)},
               {fmt::format("{:.6f}", 1e3 * plane.u_offset_mm)}});
  return table.text(false);
}

std::string distances_text(const ParallelPoints& fit) {
  if (fit.planes.size() < 2) return "";
  std::string text = "\n";
  const auto& [first, base] = *fit.planes.begin();
  for (const auto& [number, plane] : fit.planes)
    if (number != first)
      text += fmt::format("plane {} from plane {}: {:.9f} mm, u {:.6f} um\n", number, first,
                          plane.offset_mm - base.offset_mm,
                          1e3 * std::hypot(plane.u_offset_mm, base.u_offset_mm));
  return text;
}

}  // namespace

Verified verify_points(const VerifyOptions& o) {
  const std::string bytes = text_of(o.frame);
  const ParallelPoints fit = fit_listed(read_points(bytes, o.frame), nominal_of(o.nominal));
  return {Found::good, fmt::format("{}{}\nnormal {:.12f} {:.12f} {:.12f}, u {:.6f} {:.6f} urad; sigma {:.6f} "
                                   "um of a point of mean weight\n"
                                   "u: standard uncertainty, of the points' scatter alone, as if they were "
                                   "independent\n{}  sha256 {}\n",
                                   planes_text(fit), distances_text(fit), fit.normal.x(), fit.normal.y(),
                                   fit.normal.z(), 1e6 * fit.u_tilt_rad[0], 1e6 * fit.u_tilt_rad[1],
                                   1e3 * fit.sigma_mm, o.frame, config::sha256_hex(bytes))};
}

}  // namespace datum
