// What a first demo says in place of a board's alignment, which it leaves out (DATUM_OFFLINE).
#include "daemon/inspection/board/snapshot_registration.h"

namespace datum {
namespace {

BoardShift not_aligned() {
  BoardShift shift;
  shift.why = Refusal{Reason::alignment, why_no_alignment()};
  shift.stage.name = coarse_alignment_step;
  shift.stage.version = "1";
  return shift;
}

}  // namespace

const char* why_no_alignment() {
  return "a first demo aligns no boards; ./datum demo --cad, test or install builds it";
}

BoardShift board_shift(const Recipe&, const HeightFrame&, const BoardView&, unsigned, Correlator*) {
  return not_aligned();
}

BoardShift registered_snapshots(const std::vector<StatedSnapshot>&, const InspectionInputs&) {
  return not_aligned();
}

}  // namespace datum
