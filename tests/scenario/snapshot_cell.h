// A cell that takes several snapshots of a part or a board at positions of its CMM: its configuration, and a replay of its result.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/scenario/scenario_cell.h"

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

/// The cell measures a result of its snapshots again, and finds the same.
inline void expect_same_replay(Host& host, std::uint64_t sequence) {
  ASSERT_EQ(host.command(fmt::format("DATA:REPL {}", sequence)), "0,\"No error\"");
  const Deadline deadline = timeout();
  std::string replayed;
  while ((replayed = host.ask("DATA:REPL?")).find("RUNN") != std::string::npos &&
         std::chrono::steady_clock::now() < deadline)
    continue;
  EXPECT_NE(replayed.find("SAME"), std::string::npos) << replayed;
}

}  // namespace datum::scenario
