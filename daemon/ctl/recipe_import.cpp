#include "daemon/ctl/recipe_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <stdexcept>

#include "config/toml_reader.h"
#include "daemon/ctl/exit_status.h"
#include "daemon/design/recipe_text.h"
#include "daemon/inspection/recipe/recipe.h"
#include "daemon/pictures/part_file.h"
#include "daemon/pictures/recipe_picture.h"
#include "drivers/profile/sensor_profile_file.h"

namespace datum {
namespace {

namespace fs = std::filesystem;

struct ImportSensor {
  std::string serial;
  double pitch_mm = 0.05;
};

ImportSensor import_sensor(const ImportOptions& o) {
  ImportSensor sensor;
  if (!o.sensor.empty()) {
    const SensorProfile profile = config::load_sensor_profile(o.sensor);
    sensor.serial = profile.serial;
    if (profile.pixel_pitch_mm) sensor.pitch_mm = *profile.pixel_pitch_mm;
  } else {
    sensor.serial = o.serial;
  }
  if (sensor.serial.empty())
    throw std::invalid_argument("--sensor PROFILE or --serial NUMBER says whose frames the recipe is for");
  if (o.pitch_mm) sensor.pitch_mm = *o.pitch_mm;
  return sensor;
}

design::CentroidOptions table_options(const ImportOptions& o) {
  design::CentroidOptions table = o.table;
  if (!o.file_side.empty()) table.side = o.file_side == "top" ? design::Side::top : design::Side::bottom;
  if (!o.outline_mm.empty()) {
    if (o.outline_mm[2] <= 0 || o.outline_mm[3] <= 0)
      throw std::invalid_argument("--outline: width and height must be above 0");
    table.outline = {{o.outline_mm[0], o.outline_mm[1]}, {o.outline_mm[2], o.outline_mm[3]}};
  }
  return table;
}

design::DraftSettings draft_settings(const ImportOptions& o, const ImportSensor& sensor) {
  design::DraftSettings s;
  s.side = o.side == "top" ? design::Side::top : design::Side::bottom;
  s.turn = o.turn == "vertical" ? design::Turn::vertical : design::Turn::horizontal;
  s.pitch_mm = sensor.pitch_mm;
  if (!o.ring_mm.empty()) {
    if (o.ring_mm[1] <= o.ring_mm[0] || o.ring_mm[1] > 50)
      throw std::invalid_argument("--ring: OUTER must be above INNER, and at most 50 mm");
    s.inner_mm = o.ring_mm[0];
    s.outer_mm = o.ring_mm[1];
  }
  s.warp_fallback = o.fallback == "warp";
  s.empty_places = o.not_populated == "empty";
  return s;
}

design::RecipeHead recipe_head(const ImportOptions& o, const ImportSensor& sensor,
                               const design::ReadDesign& read, const design::Draft& draft,
                               const design::DraftSettings& settings) {
  design::RecipeHead head;
  head.name = design::recipe_name(o.name.empty() ? read.design.name + "-" + o.side : o.name);
  head.sensor_serial = sensor.serial;
  head.source = fs::path(o.file).filename().string();
  head.source_sha256 = read.sha256;
  head.coordinates = o.coordinates;
  head.rotation_deg = o.rotation_deg;
  if (o.origin_mm.size() == 3) {
    head.origin_mm = {o.origin_mm[0], o.origin_mm[1]};
    head.origin_z_mm = o.origin_mm[2];
  } else if (o.coordinates == "machine") {
    throw std::invalid_argument("--coordinates machine: --origin X,Y,Z says where the board lies");
  } else {
    head.origin_mm = -design::turned(draft.size_mm / 2, o.rotation_deg);
  }
  if (!o.instance.empty()) {
    head.origin_mm += design::instance_offset(read.design, o.instance[0], o.instance[1], settings.side,
                                              settings.turn, o.rotation_deg);
    if (o.name.empty()) head.name += fmt::format("-{}-{}", o.instance[0], o.instance[1]);
  }
  if (o.panel) {
    head.keyed_fixture = o.keyed_fixture;
    head.panel = design::panel_places(read.design, draft.size_mm, settings.side, settings.turn);
    head.origin_mm -= design::turned(head.panel->first_mm, o.rotation_deg);
  }
  return head;
}

std::ptrdiff_t floors_of(const design::Draft& draft) {
  return std::count_if(draft.components.begin(), draft.components.end(),
                       [](const design::DraftComponent& c) { return c.ring.is_floor; });
}

/// What wider rings would find; between dense parts the bare board lies farther away.
void report_wider_rings(const design::ReadDesign& read, const design::PackageLibrary& library,
                        const design::Draft& draft, design::DraftSettings s) {
  constexpr std::size_t few = 1000;  // parts: three more drafts of them take well under a second
  const std::ptrdiff_t own = floors_of(draft);
  if (own == std::ssize(draft.components) || draft.components.size() > few) return;
  std::ptrdiff_t most = own;
  double best_mm = 0;
  for (const double outer_mm : {2.0, 3.0, 4.0}) {
    if (outer_mm <= s.outer_mm) continue;
    s.outer_mm = outer_mm;
    if (const std::ptrdiff_t n = floors_of(design::draft_recipe(read.design, library, s)); n > most) {
      most = n;
      best_mm = outer_mm;
    }
  }
  if (best_mm > 0)
    fmt::print(stderr, "        --ring {:g},{:g} gives {} of {} a floor of their own\n", s.inner_mm, best_mm,
               most, draft.components.size());
}

void report_import(const design::ReadDesign& read, const design::Draft& draft, const design::DraftSettings& s,
                   const design::PackageLibrary& library) {
  std::size_t confirmed = 0;
  std::string without;
  for (const design::DraftComponent& c : draft.components) {
    confirmed += c.height.confirmed;
    if (!c.ring.is_floor) without += " " + c.reference;
  }
  fmt::print(stderr, "{}: board {:g} x {:g} mm, {} side: {} components are measured, {} are left out\n",
             read.design.format, draft.size_mm.x(), draft.size_mm.y(), name_of(s.side),
             draft.components.size(), draft.left_out.size());
  fmt::print(stderr, "floors: {} of {}{}{}\n", floors_of(draft), draft.components.size(),
             without.empty() ? "" : "; none:", without);
  if (!without.empty() && !s.warp_fallback)
    fmt::print(
        stderr,
        "        --fallback warp gives these the board's surface; --ring INNER,OUTER changes all rings\n");
  report_wider_rings(read, library, draft, s);
  fmt::print(stderr, "heights: {} confirmed, {} not: those are measured and cannot PASS\n", confirmed,
             draft.components.size() - confirmed);
  for (const std::string& remark : draft.remarks) fmt::print(stderr, "note: {}\n", remark);
}

/// What the daemon's reader says of the text; its first error is a fault of the import.
Recipe accepted_recipe(const std::string& text, const std::string& name) {
  config::Problems problems;
  Recipe recipe = recipe_from_text(text, name, problems);
  for (const config::ConfigError& warning : problems.warnings())
    fmt::print(stderr, "warning: {}\n", warning.what());
  if (!problems.errors().empty())
    throw design::DesignError(
        fmt::format("the recipe would be refused: {}", problems.errors().front().what()));
  return recipe;
}

}  // namespace

ImportedRecipe imported_recipe(const ImportOptions& o, bool report) {
  const ImportSensor sensor = import_sensor(o);
  const design::DraftSettings settings = draft_settings(o, sensor);
  design::PackageLibrary library;
  for (const std::string& file : o.libraries) library.add_file(file);
  design::ReadDesign read = design::load_design(o.file, table_options(o));
  design::Draft draft = design::draft_recipe(read.design, library, settings);
  if (report) report_import(read, draft, settings, library);
  if (draft.components.empty()) {
    for (std::size_t i = 0; i < std::min<std::size_t>(5, draft.left_out.size()); ++i)
      fmt::print(stderr, "{} ({}): {}\n", draft.left_out[i].reference, draft.left_out[i].package,
                 draft.left_out[i].why);
    throw design::DesignError(o.file + ": no component of this side can be measured, so there is no recipe");
  }
  std::string text = design::recipe_text(draft, settings, recipe_head(o, sensor, read, draft, settings));
  return {std::move(text), std::move(read), std::move(draft)};
}

int import_recipe(const ImportOptions& o) {
  if (!o.picture.empty())
    if (const std::string fault = picture_name_fault(o.picture); !fault.empty())
      throw std::invalid_argument(fault);
  const std::string text = imported_recipe(o, true).text;
  const Recipe recipe = accepted_recipe(text, o.output.empty() ? "recipe" : o.output);
  if (!o.picture.empty()) draw_recipe(recipe).write(o.picture);
  if (o.output.empty()) {
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
      throw std::runtime_error("stdout: can't be written");
    return good;
  }
  PartFile file(o.output);
  file.write(text);
  file.finish();
  fmt::print(stderr, "{}: written\n", o.output);
  return good;
}

}  // namespace datum
