// Calibration logs, replayed with an empty artefact and snapshots without points.
#include "daemon/calibration/calibration_log.h"
#include "tests/fuzz/fuzz_target.h"

using namespace datum;

template <class Read>
static void values_or_refusal(Read read) {
  try {
    read();
  } catch (const CalibrationError& refused) {
    fuzz::expect(std::string(refused.what()).starts_with("line "), "a refusal names its line");
  } catch (const FitRefused&) {  // too few touches or points
  }
}

DATUM_FUZZ_TARGET(calibration_log) {
  const std::string log(bytes);
  values_or_refusal([&] { artefact_of(log); });
  values_or_refusal([&] { solved_report(log); });
  values_or_refusal(
      [&] { replay(log, ArtefactDrawing{}, {}, [](const ArtefactScan&) { return FacePoints{}; }); });
}
