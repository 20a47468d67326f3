// Foreign objects on a board of several snapshots.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "daemon/inspection/board/board_look.h"

namespace datum {

/// The row of judge_foreign from all looks: the highest object of any, so one that two looks show stands there once. INVALID where a
/// look's own row is, and, as SNAPSHOTS, where a snapshot is missing (`missing`, else ""): nobody saw what lies there. The detail names
/// the share of the board that lies in no look. `forms`: the bare board's of each look; `rows`: of the components.
ComponentVerdict foreign_over(const std::vector<const BoardLook*>& looks,
                              const std::vector<std::string>& names,
                              const std::vector<std::optional<BoardForm>>& forms,
                              const std::vector<ComponentVerdict>& rows, const std::string& missing,
                              const InspectionInputs& in);

}  // namespace datum
