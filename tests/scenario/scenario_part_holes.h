// A plate with five holes that the real daemon scans in two snapshots, then touches: on an I++ DME controller or on GRBL.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/scenario/scenario_cell.h"

namespace datum::scenario {

class PartHoles : public ::testing::Test {
 protected:
  /// The cell with the virtual machine of this preset, "ipp_dme" or "grbl_1_1". Lines of `changes` ("from|to") alter the recipe
  /// first. `part`: what virtual-part scans; `machined`: what the probe meets.
  struct Setting {
    std::string preset = "ipp_dme", part = "made", machined = "made";
    std::vector<std::pair<std::string, std::string>> changes{};
    double speed_mm_per_s = 200;
    std::vector<std::string> machine_options{};
    bool allow_motion = true;
    std::string only_hole{};    // of the recipe's; empty: all
    std::string motion_more{};  // keys of the motion table
    std::string tables{};       // further tables of the configuration
  };
  void start(const Setting& setting);
  /// The tip's place, as if led by hand.
  void move(const std::string& position);
  void order(const std::string& line);
  /// Both snapshots, each triggered; then the part waits for the trigger of its touches.
  void take_snapshots();
  void trigger_touching() { ASSERT_EQ(host->command("*TRG"), "0,\"No error\"") << cell.daemon().output(); }
  void await_position(const std::string& state);
  /// What the result says of a hole's check.
  nlohmann::json check(const nlohmann::json& verdict, const std::string& hole, const std::string& what) const;
  nlohmann::json row(const nlohmann::json& verdict, const std::string& hole) const;
  std::string machine_options_of_bores(const std::string& part) const;

  Cell cell;
  std::unique_ptr<Program> machine, sensor;
  std::unique_ptr<Host> host;
  Setting used;

 private:
  void start_machine();
  std::vector<std::array<double, 4>> bores(const std::string& part) const;
};

}  // namespace datum::scenario
