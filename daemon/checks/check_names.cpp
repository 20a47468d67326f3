#include "daemon/checks/check_settings.h"
#include "daemon/instrument/reference_checker.h"

namespace datum {

const char* name_of(CheckArtefact a) {
  switch (a) {
    case CheckArtefact::golden_board:
      return "golden board";
    case CheckArtefact::step_standard:
      return "step standard";
    case CheckArtefact::flat:
      return "flat";
  }
  return "?";
}

}  // namespace datum
