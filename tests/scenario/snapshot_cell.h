// Configuration of a cell that takes several snapshots of a part or a board at positions of its CMM.
#pragma once

namespace datum::scenario {

/// FOLDER: of the cell; its serial line is linked there.
inline constexpr const char* snapshot_cell_config = R"(schema = 1
cell = "snapshots"
[sensor]
profile = "virtual.toml"
drop_folder = "drop"
[inspection]
recipes_folder = "recipes"
calibrations_folder = "calibrations"
calibration = "demo-cell-2026-01"
trigger = "bus"
[results]
store_file = "results.db"
[backend]
threads = 1
[cmm]
preset = "grbl_1_1"
unit = "mm"
[cmm.serial]
path = "FOLDER/cmm"
baud = 115200
[host.tcp]
port = 0
push_results = true
)";

}  // namespace datum::scenario
