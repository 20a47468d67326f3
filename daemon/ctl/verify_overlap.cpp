// datumctl verify overlap
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "calib/calibration.h"
#include "calib/registration/registration.h"
#include "daemon/ctl/verify.h"
#include "daemon/ctl/verify_frame.h"
#include "daemon/fringe/load_sensor.h"
#include "daemon/text/table.h"
#include "drivers/sensor/file_bytes.h"

namespace datum {
namespace {

using Align = Table::Align;

struct Told {
  std::vector<std::string> files;
  std::vector<HeightFrame> frames;
  std::vector<Eigen::Vector3d> q_mm;
};

Told read_told(const std::vector<std::string>& arguments, const SensorProfile& sensor) {
  Told told;
  for (const std::string& argument : arguments) {
    const auto at = argument.rfind('@');
    if (at == std::string::npos || at == 0)
      throw std::invalid_argument("snapshot '" + argument + "': wanted: FRAME@X,Y,Z with the stage in mm");
    const auto q = numbers_of(argument.substr(at + 1), 3, "snapshot '" + argument + "', stage position");
    told.files.push_back(argument.substr(0, at));
    told.q_mm.emplace_back(q[0], q[1], q[2]);
    told.frames.push_back(read_frame(link_followed(told.files.back()), sensor));
  }
  return told;
}

/// Refuses snapshots that agree under every convention.
void refuse_alike(const Told& told) {
  for (std::size_t i = 0; i < told.frames.size(); ++i) {
    for (std::size_t k = i + 1; k < told.frames.size(); ++k) {
      const std::string both = told.files[i] + " and " + told.files[k];
      if (told.frames[i].content_sha256 == told.frames[k].content_sha256)
        throw std::invalid_argument(both + " are one frame: take another where the stage stands elsewhere");
      if ((told.q_mm[i] - told.q_mm[k]).norm() < 1)
        throw std::invalid_argument(
            both + " are reported less than 1 mm apart: that proves no convention; move the stage further");
    }
  }
}

Calibration calibration_for(const VerifyOptions& o, const SensorProfile& sensor) {
  Calibration c = load_calibration(o.calibration);
  std::optional<TemperatureReading> reading;
  if (o.temperature_degc) reading = TemperatureReading{*o.temperature_degc, o.now_utc_s};
  std::string why = refusal(c, sensor.serial, o.now_utc_s);
  if (!why.empty()) throw CalibrationError(why);
  why = temperature_refusal(c, reading, o.now_utc_s, 0);
  if (!why.empty()) throw CalibrationError(why + "; here: --temperature DEGC");
  return c;
}

SnapshotModel model_of(const Calibration& c, const VerifyOptions& o) {
  SnapshotModel model;
  model.at_calibration = {c.machine_from_sensor, c.covariance};
  model.stage = c.stage;
  model.u.position_um.setConstant(o.position_u_um);
  model.u.squareness_rad.setConstant(o.squareness_u_rad);
  model.u.scale_ppm.setConstant(o.scale_u_ppm);
  return model;
}

std::string pairs_text(const RegistrationReport& report) {
  Table table({{"a", Align::right},
               {"b", Align::right},
               {"judgement"},
               {"samples", Align::right},
               {"off %", Align::right},
               {"x um", Align::right},
               {"u", Align::right},
               {"y um", Align::right},
               {"u", Align::right},
               {"z um", Align::right},
               {"u", Align::right}});
  for (const PairReport& pair : report.pairs) {
    std::vector<Cell> row{{fmt::format("{}", pair.a)},
                          {fmt::format("{}", pair.b)},
                          {name_of(pair.agreement)},
                          {fmt::format("{}", pair.shift.samples)},
                          {fmt::format("{:.1f}", 100 * pair.shift.outlier_share)}};
    const bool is_shift = pair.agreement == Agreement::agrees || pair.agreement == Agreement::exceeds;
    for (int axis = 0; axis < 3; ++axis) {
      const bool tells = is_shift && pair.shift.tells(axis);
      const double variance = pair.shift.covariance_mm2(3 + axis, 3 + axis) + pair.expected_mm2(axis, axis);
      row.push_back({tells ? fmt::format("{:+.2f}", 1e3 * pair.shift.shift_mm[3 + axis]) : "-"});
      row.push_back({tells ? fmt::format("{:.2f}", 1e3 * std::sqrt(variance)) : "-"});
    }
    table.add(std::move(row));
  }
  return table.text(false);
}

/// Axes along which no agreeing pair determines a shift.
std::string untold_axes(const RegistrationReport& report) {
  std::string axes;
  for (int axis = 0; axis < 3; ++axis) {
    const bool told = std::any_of(report.pairs.begin(), report.pairs.end(), [&](const PairReport& pair) {
      return pair.agreement == Agreement::agrees && pair.shift.tells(axis);
    });
    if (!told) axes += (axes.empty() ? "" : ", ") + std::string(1, "xyz"[axis]);
  }
  return axes;
}

/// Mistaken conventions that move the snapshots and agree equally well.
std::string untold_conventions(const RegistrationReport& report, const std::vector<Snapshot>& snapshots,
                               const SnapshotModel& model) {
  constexpr double elsewhere_mm = 1;
  const auto way = [&](std::size_t k, Convention c) -> Eigen::Vector3d {
    return (pose_of(model, snapshots[k].q_mm, c) - pose_of(model, snapshots[0].q_mm, c))
        .topRightCorner<3, 1>();
  };
  std::string names;
  for (const Convention c : report.not_excluded)
    for (std::size_t k = 1; k < snapshots.size(); ++k)
      if ((way(k, c) - way(k, Convention::as_stated)).norm() > elsewhere_mm) {
        names += (names.empty() ? "" : ", ") + std::string(name_of(c));
        break;
      }
  return names;
}

Found judged(const RegistrationReport& report) {
  bool bad = false;
  for (const PairReport& pair : report.pairs)
    bad |= pair.agreement != Agreement::agrees && pair.agreement != Agreement::too_little;
  if (bad) return Found::not_good;
  return report.usable ? Found::good : Found::not_enough;
}

}  // namespace

Verified verify_overlap(const VerifyOptions& o) {
  const SensorProfile sensor = load_sensor(o.sensor, 0);
  const Calibration calibration = calibration_for(o, sensor);
  const Told told = read_told(o.snapshots, sensor);
  refuse_alike(told);
  std::vector<Snapshot> snapshots;
  SnapshotCheckSettings settings;
  std::string text;
  for (std::size_t i = 0; i < told.frames.size(); ++i) {
    const Eigen::Vector3d& q = told.q_mm[i];
    snapshots.push_back({&told.frames[i], q});
    settings.noise_sigma_mm = std::max(settings.noise_sigma_mm, noise_mm(told.frames[i], sensor));
    text += fmt::format("snapshot {}: {}, stage at {:.4f} {:.4f} {:.4f} mm\n", i,
                        identity_of(told.files[i], told.frames[i]), q.x(), q.y(), q.z());
  }
  const RegistrationReport report = check_registration(snapshots, model_of(calibration, o), settings);
  text += '\n' + pairs_text(report) + '\n' + report.text;
  text += fmt::format(
      "u: of the overlap and of what explains it: the calibration, the stage (reading {} um, squareness {} "
      "rad, scale {} ppm)\n",
      o.position_u_um, o.squareness_u_rad, o.scale_u_ppm);
  text += fmt::format("calibration {}  sha256 {}\n", calibration.id, calibration.sha256);
  Found found = judged(report);
  if (found == Found::good) {
    const std::string axes = untold_axes(report),
                      conventions = untold_conventions(report, snapshots, model_of(calibration, o));
    if (!axes.empty())
      text += fmt::format(
          "NOT TOLD: a shift along {}: no overlap has texture for it; take a part with edges across it\n",
          axes);
    if (!conventions.empty())
      text += fmt::format(
          "NOT TOLD: {}: they agree there too; take a part that does not repeat itself, or another way of "
          "the stage\n",
          conventions);
    if (!axes.empty() || !conventions.empty()) found = Found::untold;
  }
  return {found, text + made_by(sensor)};
}

}  // namespace datum
