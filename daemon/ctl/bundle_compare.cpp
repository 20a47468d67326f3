#include "daemon/ctl/bundle_compare.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "config/toml_reader.h"

namespace datum {
namespace {

namespace fs = std::filesystem;

/// Values that differ; a text that is no TOML is said in `note`.
void compare_values(const std::string& cell, const std::string& bundle, ComparedFile& file) {
  try {
    file.differences = differences_of(config::parse_toml(cell, "the cell's " + file.name),
                                      config::parse_toml(bundle, "the bundle's " + file.name));
    if (file.differences.empty()) file.note = "the same values, another text";
  } catch (const config::ConfigError& error) {
    file.note = error.what();
  }
}

ComparedFile compared_file(BundleKind kind, const std::string& name, const fs::path& place,
                           const BundleFile* of) {
  ComparedFile file{kind, name, FileState::extra, "", of ? of->sha256 : "", {}, ""};
  std::error_code none;
  if (!fs::exists(fs::symlink_status(place, none))) {
    file.state = FileState::missing;
    return file;
  }
  try {
    const std::string text = config::toml_file_bytes(place);
    file.cell_sha256 = config::sha256_hex(text);
    if (!of) return file;
    file.state = file.cell_sha256 == of->sha256 ? FileState::same : FileState::changed;
    if (file.state == FileState::changed) compare_values(text, of->text, file);
  } catch (const config::ConfigError& error) {
    file.state = FileState::unreadable;
    file.note = error.what();
  }
  return file;
}

void compare_folder(const Bundle& bundle, BundleKind kind, const fs::path& folder,
                    std::vector<ComparedFile>& all) {
  std::map<std::string, const BundleFile*> names;
  std::error_code why;
  if (!folder.empty())
    for (fs::directory_iterator at(folder, why), end; !why && at != end; at.increment(why))
      if (at->path().extension() == ".toml") names[at->path().filename()] = nullptr;
  if (why && why != std::errc::no_such_file_or_directory)
    all.push_back({kind, folder.string(), FileState::unreadable, "", "", {}, why.message()});
  for (const BundleFile& f : bundle.files)
    if (f.kind == kind) names[f.name] = &f;
  for (const auto& [name, of] : names) all.push_back(compared_file(kind, name, folder / name, of));
}

}  // namespace

const char* name_of(FileState state) {
  switch (state) {
    case FileState::same:
      return "same";
    case FileState::changed:
      return "changed";
    case FileState::missing:
      return "missing";
    case FileState::extra:
      return "extra";
    case FileState::unreadable:
      break;
  }
  return "unreadable";
}

std::vector<ComparedFile> compared(const Bundle& bundle, const BundlePlaces& places) {
  std::vector<ComparedFile> all;
  compare_folder(bundle, BundleKind::recipe, places.recipes, all);
  compare_folder(bundle, BundleKind::calibration, places.calibrations, all);
  return all;
}

nlohmann::ordered_json json_of(const ComparedFile& file) {
  nlohmann::ordered_json json{
      {"kind", name_of(file.kind)},          {"file", file.name},
      {"state", name_of(file.state)},        {"cell_sha256", file.cell_sha256},
      {"bundle_sha256", file.bundle_sha256}, {"differences", nlohmann::json::array()}};
  for (const RecipeDifference& d : file.differences)
    json["differences"].push_back({{"key", d.key}, {"cell", d.a}, {"bundle", d.b}});
  json["note"] = file.note;
  return json;
}

std::string text_of(const ComparedFile& file) {
  if (file.state == FileState::same) return "";
  std::string text = fmt::format("{} {}: {}{}\n", name_of(file.kind), file.name, name_of(file.state),
                                 file.note.empty() ? "" : ": " + file.note);
  for (const RecipeDifference& d : file.differences)
    text += fmt::format("  {}: cell {}, bundle {}\n", d.key, d.a.empty() ? "not stated" : d.a,
                        d.b.empty() ? "not stated" : d.b);
  return text;
}

}  // namespace datum
