// `datumctl calibrate lines`: a calibration by a plane-and-lines plate. The sensor sees its plane and lines; the probe touches its
// upper side and edges.
#include <fmt/format.h>

#include <stdexcept>

#include "calib/artefact/lines_artefact.h"
#include "calib/artefact/location.h"
#include "calib/touch/touched_plate.h"
#include "daemon/ctl/calibration_draft.h"
#include "daemon/ctl/touch_list.h"
#include "daemon/ctl/verify_frame.h"
#include "daemon/fringe/load_sensor.h"

namespace datum {
namespace {

// The plate's scatter over the profile's noise, as surface.max_noise_sigmas of a recipe: beyond it another surface was seen.
constexpr double noises_allowed = 3;

std::vector<PlateTouch> touches_in(const std::string& file, const StageModel& stage) {
  std::vector<PlateTouch> touches;
  for (const ListedTouch& t : read_touches(text_of_file(file), file, {"face"})) {
    const auto face = plate_face_named(t.labels[0]);
    if (!face)
      throw std::invalid_argument(
          fmt::format("{}: face '{}'; wanted: top, left, right, lower or upper, by the drawing's axes", file,
                      t.labels[0]));
    touches.push_back({*face, corrected_position(stage, t.tip_mm)});
  }
  return touches;
}

PlateShape shape_of(const LinesDrawing& d, const std::string& file) {
  if (!d.outline_um)
    throw CalibrationError(
        file +
        ": tolerance.outline_um is missing: how well the plate's edges, which the probe touches, lie "
        "beside its lines; state it from the plate's certificate");
  return {d.plate.x_min_mm, d.plate.x_max_mm, d.plate.y_min_mm,
          d.plate.y_max_mm, d.form_um / 1000, *d.outline_um / 1000};
}

}  // namespace

Verified calibrate_by_lines(const FileSteps& o) {
  const DaemonConfig config = config_with_probe(o.config);
  const SensorProfile sensor = load_sensor(o.sensor, 0);
  const LinesDrawing drawing = load_lines_drawing(o.drawing);
  const HeightFrame frame = read_frame(link_followed(o.frame), sensor);
  const StageModel stage = stage_of(o, *config.calibrate);
  const PlateShape shape = shape_of(drawing, o.drawing);
  LinesLimits limits;
  limits.noise_mm = noises_allowed * noise_mm(frame, sensor);
  const LinesLocation seen = locate_lines(frame, drawing, limits);
  const TouchedPlate touched =
      plate_of_touches(touches_in(o.touches, stage), shape, probe_of(*config.calibrate),
                       Eigen::Map<const Eigen::Vector3d>(config.calibrate->outwards.data()));
  SolvedFromFiles solved;
  solved.method = CalibrationMethod::lines;
  solved.prefix = "lines";
  solved.artefact_serial = drawing.serial;
  solved.drawing_sha256 = drawing.sha256;
  solved.machine_from_sensor = machine_from_sensor(touched.estimate(), seen.estimate);
  solved.rms_um = std::max(touched.rms_um, seen.plane_sigma_um);
  for (const TouchedFace& face : touched.faces)
    solved.residuals.push_back(
        {std::string(name_of(face.face)) + " touch", static_cast<std::int64_t>(face.touches), face.rms_um});
  for (const auto& [name, line] :
       {std::pair("long line scan", seen.long_line), std::pair("short line scan", seen.short_line)})
    solved.residuals.push_back({name, static_cast<std::int64_t>(line.crossings), line.scatter_um});
  std::string text = fmt::format("angle between the lines {:.4f} deg\n", seen.angle_deg);
  for (const FeatureResidual& r : solved.residuals)
    text += fmt::format("{}: {}, {:.2f} um rms\n", r.feature, r.points, r.rms_um);
  return store_solved(o, config, sensor, solved, stage, text);
}

}  // namespace datum
