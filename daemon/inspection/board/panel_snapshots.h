// The boards of a panel that is larger than the field of view, by the snapshots that show each of them.
#pragma once

#include <span>
#include <string>
#include <variant>
#include <vector>

#include "daemon/inspection/board/panel.h"
#include "daemon/inspection/board/pipeline_snapshots.h"

namespace datum {

/// A snapshot that can be measured. Borrows the frame.
struct PanelLook {
  const HeightFrame& frame;
  Pose pose;
  std::string words;  // "snapshot 3 of 12 (left)"
  std::string name;
};

struct PanelLooks {
  std::vector<PanelLook> frames;
  std::string missing;  // words of those that can't be measured; empty: all can
};

/// What the snapshots' deliveries state of the boards: the same serial numbers wherever they state some, and every board that one states
/// as bad.
std::variant<PanelStatement, Refusal> joined_statement(std::span<const BoardSnapshot> snapshots);

/// Each board as if it lay alone: registered by the snapshots that show it, in machine coordinates, and each of its components measured in
/// the snapshot that shows it best. A mark lies where its board does. A board that no snapshot shows is INVALID (SNAPSHOTS).
SeenPanel see_boards(const BoardVerdict& v, const PanelLooks& looks, const InspectionInputs& in,
                     BoardMeasurer& measurer);

}  // namespace datum
