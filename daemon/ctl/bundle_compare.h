// A cell's recipes and calibrations beside those of a bundle.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "daemon/ctl/recipe_diff.h"
#include "daemon/fleet/bundle_place.h"

namespace datum {

enum class FileState : std::uint8_t {
  same,        // byte for byte
  changed,     // other bytes
  missing,     // in the bundle alone
  extra,       // in the cell alone
  unreadable,  // neither can be told
};
const char* name_of(FileState state);  // "same", "changed", "missing", "extra", "unreadable"

struct ComparedFile {
  BundleKind kind = BundleKind::recipe;
  std::string name;
  FileState state = FileState::same;
  std::string cell_sha256, bundle_sha256;     // empty: there is none
  std::vector<RecipeDifference> differences;  // a: of the cell, b: of the bundle; of a changed file
  std::string note;                           // why it can't be read, or that the values are the same
};

/// Every *.toml of the folders and every file of the bundle, recipes first, by name.
std::vector<ComparedFile> compared(const Bundle& bundle, const BundlePlaces& places);

/// One object a line.
nlohmann::ordered_json json_of(const ComparedFile& file);
/// One line and its differences; empty for the same.
std::string text_of(const ComparedFile& file);

}  // namespace datum
