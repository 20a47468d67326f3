#include "daemon/store/export_columns.h"

namespace datum {
namespace {

constexpr ExportColumn of_board[] = {
    {"sequence", "Number of the result in its store."},
    {"store_id", "The store; its numbers begin anew in another one."},
    {"measured_at", "ISO 8601, UTC, microseconds."},
    {"unit_id", "Serial number of the board, where a host or the sidecar stated it."},
    {"recipe", "Name of the recipe."},
    {"recipe_sha256", "Hash of its file."},
    {"calibration", "Id of the calibration, or none."},
    {"calibration_sha256", "Its hash."},
    {"sensor_serial", "Serial number of the sensor."},
    {"frame_id", "Id of the frame."},
    {"frame_sha256", "Hash of the frame's files."},
    {"board_decision", "PASS, INCONCLUSIVE, FAIL or INVALID: the worst of its components."},
    {"board_reason", "Why the board as a whole is INVALID, else NONE: datumd-reasons(7)."},
    {"board_detail", "The same in words, with values and limits."},
    {"code", "Version of datumd."},
    {"backend", "What computed: cpu or cuda."},
    {"chain_sha256", "Hash of the result's entry in the store's chain."},
};

constexpr ExportColumn counts[] = {
    {"components_pass", "Number of components with PASS."},
    {"components_inconclusive", "With INCONCLUSIVE."},
    {"components_fail", "With FAIL."},
    {"components_invalid", "With INVALID."},
    {"not_passed", "References of the components without PASS, separated by blanks."},
    {"why", "Why the board did not pass, as datumctl show says it."},
    {"panel_pass", "Of a panel: number of its boards with PASS; else empty."},
    {"panel_inconclusive", "With INCONCLUSIVE."},
    {"panel_fail", "With FAIL."},
    {"panel_invalid", "With INVALID."},
    {"panel_skipped", "Bad boards, which decide nothing."},
};

constexpr ExportColumn of_check[] = {
    {"component", "Reference of the component, as in the recipe."},
    {"package", "Its package."},
    {"component_decision", "The worst of its characteristics."},
    {"characteristic", "What was measured: mean, median, tilt, presence ..."},
    {"parameter", "Quantile of a percentile, number of pixels of a top_mean; else empty."},
    {"unit", "Unit of value, U_k2, nominal, lower and upper: um, mdeg, permille or percent."},
    {"value", "The measured value, rounded to its uncertainty; empty where INVALID."},
    {"U_k2", "Expanded uncertainty, k = 2, two significant digits."},
    {"nominal", "Nominal value of the recipe; empty: none."},
    {"lower", "Lower limit; empty: none."},
    {"upper", "Upper limit; empty: none."},
    {"p_conform", "Probability that the true value lies within the limits (JCGM 106)."},
    {"capability", "Measurement capability index C_m; below 1 the value is INVALID."},
    {"decision", "Of this characteristic."},
    {"reason", "Why it is INVALID, else NONE: datumd-reasons(7)."},
    {"detail", "The same in words, with values and limits."},
    {"board", "Of a panel: place of the component's board; else empty."},
    {"board_serial", "Serial number of that board, where the sidecar stated it."},
    {"board_verdict", "Of that board: PASS, INCONCLUSIVE, FAIL, INVALID or SKIPPED."},
    {"defect",
     "What is wrong with the component, in a word: missing, tombstoned, shifted ...; empty: no word fits."},
    {"defect_detail", "The same with what was seen."},
};

}  // namespace

std::span<const ExportColumn> board_columns() { return of_board; }
std::span<const ExportColumn> count_columns() { return counts; }
std::span<const ExportColumn> check_columns() { return of_check; }

}  // namespace datum
