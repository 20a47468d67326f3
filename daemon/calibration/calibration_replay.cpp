#include "daemon/calibration/calibration_replay.h"

#include <fstream>
#include <sstream>

#include "calib/artefact/drawing_file.h"
#include "calib/artefact/segmentation.h"
#include "config/toml_reader.h"
#include "daemon/calibration/calibration_log.h"
#include "daemon/fringe/load_sensor.h"
#include "drivers/frame/frame_error.h"
#include "drivers/sensor/read_frame.h"

namespace datum {

namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in || !text) throw CalibrationError(file.string() + ": cannot be read");
  return text.str();
}

/// The delivery that the daemon moved to done/ once it had read it.
HeightFrame frame_of(const ArtefactScan& scan, const fs::path& deliveries, const SensorProfile& sensor) {
  if (deliveries.empty())
    throw CalibrationError("frame " + scan.frame_id +
                           " was not kept; sensor.gocator.archive_folder keeps frames");
  const fs::path done = deliveries / "done", name = scan.delivery;
  std::string why = "it is not there";
  for (int n = 1; n < 100; ++n) {  // delivered again under the same name it went to NAME~2, NAME~3, ...
    const fs::path folder = done / (name.stem().string() + (n == 1 ? "" : "~" + std::to_string(n)));
    std::error_code ignored;
    if (!fs::exists(folder / name, ignored)) break;
    try {
      HeightFrame frame = read_frame(folder / name, with_scheme_of(sensor, scan.frame_sha256));
      if (frame.content_sha256 == scan.frame_sha256) return frame;
      why = "its content is another one";
    } catch (const FrameError& error) {
      why = error.what();
    }
  }
  throw CalibrationError("frame " + scan.frame_id + " (" + (done / name.stem() / name).string() +
                         ", sha256 " + scan.frame_sha256 + "): " + why);
}

}  // namespace

ArtefactDrawing find_drawing(const fs::path& folder, const std::string& serial) {
  std::string there;
  std::error_code why;
  for (const auto& entry : fs::directory_iterator(folder, why)) {
    if (entry.path().extension() != ".toml") continue;
    try {
      ArtefactDrawing drawing = load_artefact_drawing(entry.path());
      if (drawing.serial == serial) return drawing;
      there += "; there is " + drawing.serial;
    } catch (const config::ConfigError& error) {
      there += std::string("; refused: ") + error.what();
    }
  }
  throw CalibrationError("no drawing of artefact '" + serial + "' in " + folder.string() + there);
}

Replayed replay_calibration(const CalibrationSources& sources, const fs::path& file) {
  const std::string log = text_of(file);
  const ArtefactDrawing drawing = find_drawing(sources.settings.artefacts, artefact_of(log));
  const SensorProfile sensor = load_sensor(sources.sensor_profile, 0);
  Replayed replayed;
  replayed.then = solved_report(log);
  if (replayed.then.empty()) throw CalibrationError(file.string() + ": nothing was solved in it");
  replayed.now = replay(log, drawing, machine_setup(sources.settings), [&](const ArtefactScan& scan) {
    return segment(frame_of(scan, sources.deliveries, sensor), drawing).faces;
  });
  return replayed;
}

}  // namespace datum
