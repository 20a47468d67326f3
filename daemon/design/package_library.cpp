#include "daemon/design/package_library.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "config/toml_reader.h"
#include "daemon/design/package_name.h"

namespace datum::design {
namespace {

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

LibraryPackage read_package(config::TomlTable table, const std::string& name) {
  table.only_keys({"match", "body_mm", "centroid_rotation_deg", "centroid_offset_mm", "height_um",
                   "tolerance_um", "source", "confirmed", "presence_permille", "tilt_mdeg", "measured"});
  LibraryPackage p;
  p.name = name;
  p.match = table.texts_or("match", {name});
  if (p.match.empty())
    table.refuse("match", "is empty", "at least one name or pattern, such as \"R_0603_*\"");
  if (table.has("body_mm")) {
    const std::vector<double> size = table.numbers("body_mm", 2, config::positive);
    p.body_mm = Point(size[0], size[1]);
  }
  p.centroid_rotation_deg = table.number_or("centroid_rotation_deg", 0, {-360, 360});
  if (table.has("centroid_offset_mm")) {
    const std::vector<double> offset = table.numbers("centroid_offset_mm", 2, {-100, 100});
    p.centroid_offset_mm = Point(offset[0], offset[1]);
  }
  p.height_um = table.number_if("height_um", {1, 100'000});
  p.tolerance_um = table.number_if("tolerance_um", config::positive);
  p.source = table.text_or("source", "");
  p.confirmed = table.boolean_or("confirmed", false);
  p.presence_permille = table.number_if("presence_permille", {1, 1000});
  p.tilt_mdeg = table.number_if("tilt_mdeg", config::positive);
  p.measured = table.boolean_or("measured", true);
  if (p.height_um && p.source.empty())
    table.refuse("source", "missing",
                 "where height_um comes from: a data sheet, a standard, a measurement with its date");
  if (p.tolerance_um && !p.height_um) table.refuse("tolerance_um", "is given without height_um", "both");
  if (p.confirmed && !p.height_um)
    table.refuse("confirmed", "is true without height_um", "the height that is confirmed");
  table.finish();
  return p;
}

}  // namespace

bool matches_pattern(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0, star = std::string_view::npos, from = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      from = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || lower(pattern[p]) == lower(text[t]))) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++from;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

void PackageLibrary::add_file(const std::filesystem::path& path) {
  config::TomlTable file = config::TomlTable::from_file(path);
  file.integer("schema", 1, 1);
  std::vector<LibraryPackage> read;
  if (auto all = file.table_if("package")) {
    for (const std::string& name : all->table_names()) read.push_back(read_package(all->table(name), name));
    all->finish();
  }
  file.finish();
  packages_.insert(packages_.begin(), std::make_move_iterator(read.begin()),
                   std::make_move_iterator(read.end()));
  found_.clear();
}

const LibraryPackage* PackageLibrary::find(const std::string& package) const {
  const auto [known, fresh] = found_.emplace(package, nullptr);
  if (!fresh) return known->second;
  for (const LibraryPackage& p : packages_)
    if (std::any_of(p.match.begin(), p.match.end(),
                    [&](const std::string& m) { return matches_pattern(m, package); })) {
      known->second = &p;
      break;
    }
  return known->second;
}

std::optional<HeightFact> height_of(const Component& component, const LibraryPackage* entry) {
  const auto fact = [&](double um, std::string source, bool confirmed) {
    const bool own = entry && entry->height_um && entry->tolerance_um;
    const double tolerance = own ? *entry->tolerance_um : std::max(50.0, um / 10);
    // A tolerance of the library that exceeds this height would let a missing part pass.
    return HeightFact{um, std::min(tolerance, um / 2), std::move(source), confirmed};
  };
  const bool listed = entry && entry->height_um;
  if (listed && entry->confirmed) return fact(*entry->height_um, entry->source, true);
  // 0.000 and 0.001 stand for "unknown" in files of both units.
  if (component.height_um && *component.height_um > 30)
    return fact(*component.height_um, "the design file", false);
  if (const auto name = decode_package_name(component.package); name && name->height_um)
    return fact(*name->height_um, "the package's name (" + name->rule + ")", false);
  if (listed) return fact(*entry->height_um, entry->source, false);
  return std::nullopt;
}

}  // namespace datum::design
