// Package library: body size, height with its source, and what is measured by default, by name patterns of packages.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "daemon/design/design.h"

namespace datum::design {

/// One [package.NAME] of a library file.
struct LibraryPackage {
  std::string name;
  std::vector<std::string> match;  // patterns with * and ?; letters of any case
  std::optional<Point> body_mm;    // at rotation 0: x, y
  /// Of files without outlines: what their angle has more than this package's, and where the body's middle lies from the file's
  /// place, along the package's own axes. For a house whose library has another zero (JLC).
  double centroid_rotation_deg = 0;
  Point centroid_offset_mm = Point::Zero();
  std::optional<double> height_um, tolerance_um;
  std::string source;      // of the height: "data sheet KEMET C0603", "measured 2026-11-20"
  bool confirmed = false;  // a person stands behind the height
  std::optional<double> presence_permille, tilt_mdeg;
  bool measured = true;  // false: left out of recipes
};

class PackageLibrary {
 public:
  /// Throws config::ConfigError. Entries of a later file come before those of an earlier one.
  void add_file(const std::filesystem::path& file);
  /// The first entry with a matching pattern; null: none.
  const LibraryPackage* find(const std::string& package) const;
  std::size_t size() const { return packages_.size(); }

 private:
  std::vector<LibraryPackage> packages_;
  mutable std::map<std::string, const LibraryPackage*> found_;
};

/// A pattern with * (any text) and ? (any character), letters of any case. Takes at most |pattern| * |text| steps.
bool matches_pattern(std::string_view pattern, std::string_view text);

/// Nominal height of a component and where it comes from.
struct HeightFact {
  double um = 0, tolerance_um = 0;
  std::string source;
  bool confirmed = false;
};

/// In this order: a confirmed height of the library, the design file's, the package's name, an unconfirmed one of the library.
/// Without a stated tolerance it is 10 % of the height, at least 50 um. None: nobody states a height.
std::optional<HeightFact> height_of(const Component& component, const LibraryPackage* entry);

}  // namespace datum::design
