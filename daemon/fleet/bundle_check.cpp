#include "daemon/fleet/bundle_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "calib/calibration_store.h"
#include "daemon/inspection/recipe/recipe_store.h"
#include "daemon/inspection/recipe/sensor_fit.h"

namespace datum {
namespace {

namespace fs = std::filesystem;

/// Removes the copies, whatever happens.
class Copies {
 public:
  explicit Copies(fs::path folder) : folder_(std::move(folder)) {
    fs::remove_all(folder_);  // of a process that ended here
    fs::create_directory(folder_);
  }
  ~Copies() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  Copies(const Copies&) = delete;
  Copies& operator=(const Copies&) = delete;

  /// The folder as it would be.
  fs::path with(const Bundle& bundle, BundleKind kind, const fs::path& present) const {
    const fs::path copy = folder_ / name_of(kind);
    fs::create_directory(copy);
    for (const auto& entry : fs::directory_iterator(present))
      if (entry.is_regular_file() &&
          (entry.path().extension() == ".toml" || entry.path().filename() == "journal"))
        fs::copy_file(entry.path(), copy / entry.path().filename());
    for (const BundleFile& f : bundle.files) {
      if (f.kind != kind) continue;
      std::ofstream out(copy / f.name, std::ios::binary | std::ios::trunc);
      out << f.text << std::flush;
      if (!out) throw BundleError(fmt::format("{}: can't be written: no space?", (copy / f.name).string()));
    }
    return copy;
  }

 private:
  fs::path folder_;
};

std::string in_place(std::string text, const fs::path& copy, const fs::path& present) {
  for (auto at = text.find(copy.string()); at != text.npos; at = text.find(copy.string(), at))
    text.replace(at, copy.string().size(), present.string());
  return text;
}

/// The first problem that the bundle brings.
void demand_no_more(const Bundle& bundle, BundleKind kind, const std::vector<std::string>& before,
                    const std::vector<std::string>& after, const fs::path& copy, const fs::path& present) {
  const std::set<std::string> known(before.begin(), before.end());
  for (const std::string& problem : after) {
    const std::string text = in_place(problem, copy, present);
    const bool of_bundle = std::any_of(bundle.files.begin(), bundle.files.end(), [&](const BundleFile& f) {
      return f.kind == kind && text.starts_with((present / f.name).string() + ":");
    });
    if (of_bundle || !known.contains(text))
      throw BundleError(fmt::format("{}: with it: {}", name_of(bundle), text));
  }
}

void check_recipes(const Bundle& bundle, const BundleCell& cell, const SensorProfile& sensor,
                   const Copies& copies, const config::TomlParser* parser) {
  const fs::path& present = cell.places.recipes;
  const fs::path copy = copies.with(bundle, BundleKind::recipe, present);
  const RecipeStore before(present, nullptr, 0, parser), after(copy, nullptr, 0, parser);
  demand_no_more(bundle, BundleKind::recipe, before.problems(), after.problems(), copy, present);
  for (const Recipe* recipe : after.all()) {
    const std::string file = recipe->file.filename();
    const bool of_bundle = std::any_of(bundle.files.begin(), bundle.files.end(), [&](const BundleFile& f) {
      return f.kind == BundleKind::recipe && f.name == file;
    });
    if (!of_bundle || recipe->sensor_serial != sensor.serial) continue;
    for (const std::string& why : sensor_fit(*recipe, sensor, nullptr).refusals)
      throw BundleError(fmt::format("{}: recipe '{}': {}", name_of(bundle), file, why));
  }
  if (after.files() > std::max(cell.most_recipes, before.files()) ||
      after.bytes() > std::max(cell.most_recipe_bytes, before.bytes()))
    throw BundleError(fmt::format(
        "{}: the folder would have {} recipes of {} bytes, it may have {} of {} (inspection.recipes_most, "
        "recipes_most_kib); delete recipes",
        name_of(bundle), after.files(), after.bytes(), cell.most_recipes, cell.most_recipe_bytes));
}

std::string refusal_of(const CalibrationStore& store, const std::string& wanted,
                       const SensorProfile& sensor) {
  try {
    store.choose(wanted, sensor.serial);
    return "";
  } catch (const CalibrationError& error) {
    return error.what();
  }
}

void check_calibrations(const Bundle& bundle, const BundleCell& cell, const SensorProfile& sensor,
                        const Copies& copies, const config::TomlParser* parser) {
  const fs::path& present = cell.places.calibrations;
  const fs::path copy = copies.with(bundle, BundleKind::calibration, present);
  const CalibrationStore before(present, parser), after(copy, parser);
  demand_no_more(bundle, BundleKind::calibration, before.problems(), after.problems(), copy, present);
  for (const Calibration& c : after.all()) {
    const JournalEntry* accepted = after.journal().acceptance_of(c.id);
    if (!accepted || accepted->sha256 == c.sha256) continue;
    const auto was = std::find_if(before.all().begin(), before.all().end(),
                                  [&](const Calibration& b) { return b.id == c.id && b.sha256 == c.sha256; });
    if (was == before.all().end())
      throw BundleError(
          fmt::format("{}: calibration '{}' differs from the one that {} accepted at {}; allowed: an id of "
                      "its own for each "
                      "calibration",
                      name_of(bundle), c.id, accepted->operator_name, accepted->utc));
  }
  if (cell.calibration.empty()) return;
  const std::string why = refusal_of(after, cell.calibration, sensor);
  if (!why.empty() && refusal_of(before, cell.calibration, sensor).empty())
    throw BundleError(fmt::format("{}: with it this cell could not measure: {}", name_of(bundle),
                                  in_place(why, copy, present)));
}

}  // namespace

void demand_newer(const Bundle& bundle, const std::optional<Installation>& installed, bool older_allowed) {
  if (!installed || bytes_of(bundle) == bytes_of(installed->bundle)) return;
  const Bundle& now = installed->bundle;
  if (bundle.number == now.number)
    throw BundleError(
        fmt::format("{} differs from {}, which is installed; allowed: a number of its own for each "
                    "bundle",
                    name_of(bundle), name_of(now)));
  if (bundle.number < now.number && !older_allowed)
    throw BundleError(
        fmt::format("{} is older than {}, which is installed; allowed: a larger number, or "
                    "--allow-older",
                    name_of(bundle), name_of(now)));
}

void demand_usable(const Bundle& bundle, const BundleCell& cell, const SensorProfile& sensor,
                   const config::TomlParser* parser) {
  for (const BundleFile& f : bundle.files) place_of(f, cell.places);
  const Copies copies(cell.places.state.string() + ".check");
  check_recipes(bundle, cell, sensor, copies, parser);
  const auto is_calibration = [](const BundleFile& f) { return f.kind == BundleKind::calibration; };
  if (std::any_of(bundle.files.begin(), bundle.files.end(), is_calibration))
    check_calibrations(bundle, cell, sensor, copies, parser);
}

}  // namespace datum
