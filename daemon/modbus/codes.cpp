#include "daemon/modbus/codes.h"

#include <cstring>

namespace datum::modbus {
namespace {

/// 0 for a name that is not in the table; a test compares the tables with the enumerations.
std::uint16_t code_in(const std::vector<Coded>& table, const char* name) {
  for (const Coded& c : table)
    if (std::strcmp(c.name, name) == 0) return c.code;
  return 0;
}

}  // namespace

const std::vector<Coded>& fault_codes() {
  static const std::vector<Coded> codes{
      {0, "NONE", ""},
      {1, "TRIGGER_NOT_READY", "TRIGGER rose while READY was 0; it was ignored, that board has no result"},
      {2, "TRIGGER_REFUSED", "the cell refused it at that moment; that board has no result"},
      {3, "CONTROL_ELSEWHERE", "another host holds control; nothing was changed"},
      {4, "ACK_WITHOUT_RESULT", "RESULTS_ACK rose while RESULTS_VALID was 0; it was ignored"},
      {5, "BOARD_LOST", "the board of RESULT_ID was aborted or could not be stored; it has no result"},
      {6, "HEARTBEAT_LOST", "HEARTBEAT_IN did not toggle for three periods"},
      {7, "STORE", "the result store can't be read; the FIFO waits"},
  };
  return codes;
}

const std::vector<Coded>& decision_codes() {
  static const std::vector<Coded> codes{
      {0, "NONE", "no result"},
      {1, "PASS", ""},
      {2, "INCONCLUSIVE", "no decision within the uncertainty"},
      {3, "FAIL", ""},
      {4, "INVALID", "not measured"},
  };
  return codes;
}

const std::vector<Coded>& result_codes() {
  static const std::vector<Coded> codes{
      {0, "NONE", ""},
      {10, "FLOOR_TOO_FEW", ""},
      {11, "FLOOR_NO_CONSENSUS", ""},
      {12, "FLOOR_NOT_FIXED", ""},
      {13, "FLOOR_INLIER_RATIO", ""},
      {14, "FLOOR_SIDES", ""},
      {15, "FLOOR_RMS", ""},
      {16, "FLOOR_SECOND_LEVEL", ""},
      {17, "FLOOR_TILT", ""},
      {20, "BODY_COVERAGE", ""},
      {21, "OUT_OF_VIEW", ""},
      {22, "BODY_CLIPPED", ""},
      {23, "BODY_EDGES", ""},
      {24, "DEFECT", ""},
      {25, "TERMINALS", ""},
      {26, "PASTE", ""},
      {30, "POSE_MISSING", ""},
      {31, "POSE_STALE", ""},
      {32, "POSE_MOVED", ""},
      {33, "POSE_ERROR", ""},
      {40, "CALIBRATION", ""},
      {41, "SENSOR_MISMATCH", ""},
      {42, "FRAME", ""},
      {43, "UNCERTAINTY", ""},
      {44, "FRAME_STALE", ""},
      {45, "ALIGNMENT", ""},
      {46, "FRAME_EARLY", ""},
      {47, "FRAME_UNPROVEN", ""},
      {48, "FRAME_REPEATED", ""},
      {49, "NOMINAL_UNCONFIRMED", ""},
      {50, "MODEL", ""},
      {51, "SNAPSHOTS", ""},
      {52, "SURFACE_COVERAGE", ""},
      {53, "SURFACE_BEYOND", ""},
      {54, "SURFACE_FIT", ""},
      {55, "SURFACE_NOISE", ""},
      {56, "SURFACE_SPOT", ""},
      {57, "HOLE_SCAN", ""},
      {58, "HOLE_TOUCH", ""},
      {59, "HOLE_MISMATCH", ""},
      {60, "WARP_MODEL", ""},
      {61, "WARP_HULL", ""},
      {62, "WARP_GAP", ""},
      {63, "PANEL", ""},
      {64, "SKIPPED", ""},
      {65, "REFERENCE_CHECK", ""},
      {72, "SERIAL", ""},
      {99, "INTERNAL", ""},
  };
  return codes;
}

const std::vector<Coded>& characteristic_codes() {
  static const std::vector<Coded> codes{
      {0, "none", ""},
      {1, "mean", ""},
      {2, "median", ""},
      {3, "maximum", ""},
      {4, "minimum", ""},
      {5, "percentile", ""},
      {6, "top_mean", ""},
      {7, "tilt", ""},
      {8, "presence", ""},
      {9, "profile", ""},
      {10, "deviation_maximum", ""},
      {11, "deviation_minimum", ""},
      {12, "deviation_mean", ""},
      {13, "flatness", ""},
      {14, "parallelism", ""},
      {15, "thickness", ""},
      {16, "bow", ""},
      {17, "twist", ""},
      {18, "peak_to_valley", ""},
      {19, "convexity", ""},
      {20, "board_flatness", ""},
      {21, "deviation_percentile", ""},
      {22, "pfm_mean", ""},
      {23, "pfm_maximum", ""},
      {24, "pfm_minimum", ""},
      {25, "pfm_percentile", ""},
      {26, "ffm_mean", ""},
      {27, "ffm_maximum", ""},
      {28, "ffm_minimum", ""},
      {29, "ffm_percentile", ""},
      {30, "position_x", ""},
      {31, "position_y", ""},
      {32, "true_position", ""},
      {33, "diameter", ""},
      {34, "offset_x", ""},
      {35, "offset_y", ""},
      {36, "offset", ""},
      {37, "rotation", ""},
      {38, "foreign_height", ""},
      {39, "coplanarity", ""},
      {40, "coplanarity_regression", ""},
      {41, "terminal_range", ""},
      {42, "standoff", ""},
      {43, "paste_volume", ""},
      {44, "paste_area", ""},
      {45, "paste_height", ""},
  };
  return codes;
}

const std::vector<Coded>& measure_codes() {
  static const std::vector<Coded> codes{{0, "none", ""},
                                        {1, "um", "micrometre"},
                                        {2, "mdeg", "millidegree"},
                                        {3, "permille", ""},
                                        {4, "percent", ""}};
  return codes;
}

std::uint16_t code_of(Decision decision) { return code_in(decision_codes(), name_of(decision)); }
std::uint16_t code_of(Reason reason) { return code_in(result_codes(), name_of(reason)); }
std::uint16_t code_of(Characteristic characteristic) {
  return code_in(characteristic_codes(), name_of(characteristic));
}
std::uint16_t measure_code_of(Characteristic characteristic) {
  return code_in(measure_codes(), unit_of(characteristic));
}

}  // namespace datum::modbus
