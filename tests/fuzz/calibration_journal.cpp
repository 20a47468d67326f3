// Journals of calibration folders.
#include "calib/calibration_journal.h"
#include "calib/htm.h"
#include "tests/fuzz/fuzz_target.h"

using namespace datum;

DATUM_FUZZ_TARGET(calibration_journal) {
  try {
    const CalibrationJournal journal(bytes, "journal.jsonl");
    fuzz::expect(journal.whole_bytes() <= bytes.size(), "whole lines are a part of the file");
    journal.current("machine", "sensor", "S1");
  } catch (const CalibrationError&) {
  }
}
