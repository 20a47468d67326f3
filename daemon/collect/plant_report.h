// What is missing and what is to be looked at in the plant's database, as text for a terminal.
#pragma once

#include <string>

namespace datum {

struct PlantReport {
  std::string text;
  bool is_whole = true;  // no entry is missing that a cell still has, and there is no alarm
};

/// Reads the database beside the collector. Throws DatabaseAway and DatabaseUnfit.
PlantReport plant_report(const std::string& connection_string);

}  // namespace datum
