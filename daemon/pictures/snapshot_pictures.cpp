#include "daemon/pictures/snapshot_pictures.h"

#include <map>

#include "daemon/inspection/board/pipeline_alignment.h"
#include "daemon/pictures/picture.h"
#include "daemon/pictures/picture_panel.h"

namespace datum {
namespace {

namespace fs = std::filesystem;

/// A name may hold a slash, and no picture leaves its folder.
std::string in_file_name(std::string name) {
  for (char& c : name)
    if (c == '/') c = '_';
  return name;
}

}  // namespace

void write_snapshot_pictures(const fs::path& file, std::span<const BoardSnapshot> snapshots,
                             const InspectionInputs& in, const BoardVerdict& verdict) {
  const Recipe whole = in.recipe->panel ? picture::panel_as_seen(*in.recipe, verdict) : *in.recipe;
  std::map<std::string, const Component*> by_reference;
  for (const Component& c : whole.components) by_reference[c.reference] = &c;
  for (std::size_t k = 0; k < snapshots.size() && k < verdict.snapshots.size(); ++k) {
    const std::string& name = verdict.snapshots[k].name;
    Recipe shown = whole;
    shown.components.clear();
    shown.warp.reset();
    BoardVerdict rows = verdict;
    rows.components.clear();
    for (const ComponentVerdict& row : verdict.components) {
      const auto at = by_reference.find(row.reference);
      if (!row.shown || row.shown->snapshot != name || at == by_reference.end()) continue;
      shown.components.push_back(*at->second);
      rows.components.push_back(row);
    }
    if (rows.components.empty() || !snapshots[k].frame) continue;
    InspectionInputs one = in;
    one.pose = snapshots[k].pose;
    write_picture(
        file.parent_path() / (file.stem().string() + "-" + in_file_name(name) + file.extension().string()),
        *snapshots[k].frame, shown, rows, moved(board_from_sensor(one), verdict.stages).inverse());
  }
}

}  // namespace datum
