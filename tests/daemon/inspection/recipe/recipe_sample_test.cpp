// config/recipe-sample.toml documents every key of a recipe, so it is executed and compared with what the
// loader knows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/toml_reader.h"
#include "daemon/inspection/board/warp_recipe.h"
#include "daemon/inspection/recipe/alignment_recipe.h"
#include "daemon/inspection/recipe/defect_recipe.h"
#include "daemon/inspection/recipe/recipe.h"
#include "daemon/inspection/recipe/terminal_recipe.h"
#include "daemon/inspection/surface/surface_recipe.h"
#include "tests/sample_file.h"

namespace datum {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class RecipeSample : public ::testing::Test {
 protected:
  Recipe loaded(const std::string& text) { return load_recipe(folder.write("r.toml", text)); }
  const std::string sample = testing::slurp(DATUM_SOURCE_DIR "/config/recipe-sample.toml");
  testing::FreshFolder folder;
};

TEST_F(RecipeSample, Loads) {
  const Recipe r = loaded(sample);
  ASSERT_EQ(r.components.size(), 2u);
  EXPECT_EQ(r.components[0].checks.size(), 5u);
  ASSERT_TRUE(r.warp);
  EXPECT_EQ(r.warp->row.checks.size(), 3u);
  ASSERT_EQ(r.warp->patches.size(), 16u);
  EXPECT_EQ(r.warp->patches[7].reference, "BOARD:bare1/8.1");
  EXPECT_EQ(r.warp->patches[7].body.centre_mm, Eigen::Vector2d(98.5, 2)) << "flush with the corner";
  EXPECT_EQ(r.components[1].checks[0].parameter, 0.98) << "its own demand stands before its package's";
}

TEST_F(RecipeSample, StatesTheDefaultsThatTheCodeHas) {
  const Recipe whole = loaded(testing::with_every_key(sample)), plain = loaded(sample);
  const FloorSettings &stated = whole.floor, &code = plain.floor;
  EXPECT_EQ(code.neighbour_margin_mm, stated.neighbour_margin_mm);
  EXPECT_EQ(code.threshold_sigmas, stated.threshold_sigmas);
  EXPECT_EQ(code.refit_threshold_sigmas, stated.refit_threshold_sigmas);
  EXPECT_EQ(code.mode, stated.mode);
  EXPECT_EQ(code.form, stated.form);
  EXPECT_EQ(code.confidence, stated.confidence);
  EXPECT_EQ(code.min_inlier_ratio, stated.min_inlier_ratio);
  EXPECT_EQ(code.min_sides, stated.min_sides);
  EXPECT_EQ(code.min_side_pixels, stated.min_side_pixels);
  EXPECT_EQ(code.max_rms_sigmas, stated.max_rms_sigmas);
  EXPECT_EQ(code.max_second_floor, stated.max_second_floor);
  EXPECT_EQ(code.max_tilt_deg, stated.max_tilt_deg);
  EXPECT_EQ(code.surface_um, stated.surface_um);
  EXPECT_EQ(plain.body.erode_px, whole.body.erode_px);
  EXPECT_EQ(plain.body.min_valid_ratio, whole.body.min_valid_ratio);
  EXPECT_EQ(plain.body.min_pixels, whole.body.min_pixels);
  EXPECT_EQ(plain.body.max_clipped_ratio, whole.body.max_clipped_ratio);
  EXPECT_EQ(plain.body.max_missing_ratio, whole.body.max_missing_ratio);
  EXPECT_EQ(plain.uncertainty.ring_structure_is_board, whole.uncertainty.ring_structure_is_board);
  EXPECT_EQ(plain.rule_confidence, whole.rule_confidence);
  EXPECT_EQ(plain.uncertainty.reproducibility_um, whole.uncertainty.reproducibility_um);
  EXPECT_EQ(plain.uncertainty.position_mm, whole.uncertainty.position_mm);
  EXPECT_EQ(plain.alignment->min_ratio, whole.alignment->min_ratio);
  EXPECT_EQ(plain.alignment->search_turned, whole.alignment->search_turned);
  EXPECT_EQ(plain.alignment->min_share, whole.alignment->min_share);
  EXPECT_EQ(plain.alignment->min_parts, whole.alignment->min_parts);
  EXPECT_EQ(plain.alignment->max_residual_um, whole.alignment->max_residual_um);
  EXPECT_EQ(plain.alignment->model, whole.alignment->model);
  EXPECT_EQ(plain.alignment->min_fiducials, whole.alignment->min_fiducials);
  EXPECT_EQ(plain.alignment->fiducial_search_mm, whole.alignment->fiducial_search_mm);
  EXPECT_EQ(plain.alignment->parts_offset_um, whole.alignment->parts_offset_um);
  EXPECT_TRUE(plain.alignment->fiducials.empty());
  ASSERT_EQ(whole.alignment->fiducials.size(), 2u);
  EXPECT_EQ(whole.alignment->fiducials[1].clear_mm, whole.alignment->fiducials[0].clear_mm);
  EXPECT_EQ(whole.alignment->fiducials[1].u_um, whole.alignment->fiducials[0].u_um);
  std::string shift_alone = sample;
  shift_alone.insert(shift_alone.find("max_rotation_deg = "), 1, '#');
  EXPECT_EQ(loaded(shift_alone).alignment->min_ratio, 1.5);
  EXPECT_EQ(plain.warp->row.reference, whole.warp->row.reference);
  EXPECT_EQ(plain.warp->margin_mm, whole.warp->margin_mm);
  EXPECT_EQ(plain.warp->patch_mm, whole.warp->patch_mm);
  EXPECT_EQ(plain.warp->min_knots, whole.warp->min_knots);
  EXPECT_EQ(plain.warp->max_gap_mm, whole.warp->max_gap_mm);
  EXPECT_EQ(plain.warp->max_curvature_um_per_mm2, whole.warp->max_curvature_um_per_mm2);
  EXPECT_EQ(plain.warp->patches.size(), whole.warp->patches.size());
  EXPECT_EQ(plain.components[0].warp_fallback, whole.components[0].warp_fallback);
  EXPECT_EQ(plain.defects->max_lift_um, whole.defects->max_lift_um);
  EXPECT_EQ(plain.defects->max_height_share, whole.defects->max_height_share);
  EXPECT_EQ(plain.defects->beside_pass_invalid, whole.defects->beside_pass_invalid);
  EXPECT_EQ(plain.defects->foreign->row.reference, whole.defects->foreign->row.reference);
  EXPECT_EQ(plain.defects->foreign->min_size_mm, whole.defects->foreign->min_size_mm);
  EXPECT_EQ(plain.defects->foreign->row.checks[0].upper, whole.defects->foreign->row.checks[0].upper);
}

TEST_F(RecipeSample, AStretchNeedsItsLimitsAndOneBoardInOneFrame) {
  const auto with = [&](const std::string& keys) {
    std::string text = sample;
    text.insert(text.find("max_rotation_deg = "), keys + "\n");
    try {
      return "loads: " + std::string(name_of(loaded(text).alignment->model));
    } catch (const config::ConfigError& e) {
      return std::string(e.what());
    }
  };
  const std::string scale = "max_scale_ppm = 800\n", shear = "max_shear_urad = 300\n";
  EXPECT_EQ(with("model = \"similarity\"\n" + scale), "loads: similarity");
  EXPECT_EQ(with("model = \"affine\"\n" + scale + shear), "loads: affine");
  EXPECT_THAT(with("model = \"similarity\""), HasSubstr("max_scale_ppm"));
  EXPECT_THAT(with("model = \"affine\"\n" + scale), HasSubstr("max_shear_urad"));
  EXPECT_THAT(with("model = \"similarity\"\n" + scale + shear), HasSubstr("does not estimate"));
  EXPECT_THAT(with(scale), HasSubstr("does not estimate"));
  EXPECT_THAT(with("model = \"similarity\"\nmax_scale_ppm = 25400"), HasSubstr("5000"));
  EXPECT_THAT(with("model = \"stretched\""), HasSubstr("similarity"));
  const auto mark = [](const char* name, const char* x) {
    return std::string("{ name = \"") + name + "\", shape = \"circle\", centre_mm = [" + x +
           ", 3], size_mm = 1, contrast = \"bright\" }";
  };
  EXPECT_EQ(with("model = \"similarity\"\n" + scale + "fiducial = [ " + mark("F1", "3") + ", " +
                 mark("F2", "90") + " ]"),
            "loads: similarity");
}

TEST_F(RecipeSample, ShowsEveryKeyThatTheLoaderKnows) {
  const std::string whole = testing::with_every_key(sample);
  const auto load = [](const fs::path& file, config::Problems& problems) { load_recipe(file, problems); };
  const auto of_package = testing::shown_keys(sample, "package.C0603");
  for (const std::string header : {"",
                                   "board",
                                   "floor",
                                   "body",
                                   "decision",
                                   "uncertainty",
                                   "package.C0603",
                                   "package.C0603.check",
                                   "component",
                                   "confirmation",
                                   "exclusion",
                                   "hole",
                                   "warp",
                                   "warp.check",
                                   "warp.bare",
                                   "alignment",
                                   "defects",
                                   "defects.foreign_objects",
                                   "serial",
                                   "control_charts"}) {
    const auto known = testing::known_keys(folder, whole, header, load);
    auto shown = testing::shown_keys(sample, header);
    if (header.empty()) shown.insert({"filter", "panel", "snapshots"});  // have samples of their own
    if (header == "component" || header == "package.C0603") shown.insert({"terminals", "paste"});
    if (header == "component")
      shown.insert(of_package.begin(), of_package.end());  // may say the same for itself
    EXPECT_FALSE(known.empty()) << "[" << header << "]";
    for (const std::string& key : known) EXPECT_TRUE(shown.count(key)) << "[" << header << "] " << key;
  }
}

// The comment's compact form, as written there, says what the sample's tables say.
TEST_F(RecipeSample, CompactFormSaysTheSame) {
  std::string compact;
  bool here = false;
  for (const std::string& line : testing::lines_of(sample)) {
    if (line == "#   component = [") here = true;
    if (here && !line.starts_with("#   ")) break;
    if (here) compact += line.substr(1) + "\n";
  }
  ASSERT_NE(compact.find("package.C0603"), std::string::npos) << compact;
  std::string tables = sample;
  const auto cut = [&](const std::string& from, const std::string& to) {
    const auto begin = tables.find("\n" + from) + 1,
               end = to.empty() ? tables.size() : tables.find("\n" + to, begin) + 1;
    tables.erase(begin, end - begin);
  };
  cut("[package.C0603]", "# Programs write");  // with its checks, which the comment's line leaves out
  cut("[[component]]", "# --- What is no floor");
  cut("[[hole]]", "");
  const auto first_table = tables.find("\n[board]") + 1;
  tables.insert(first_table, compact);
  const Recipe said = loaded(tables), whole = loaded(sample);
  ASSERT_EQ(said.components.size(), whole.components.size());
  for (std::size_t i = 0; i < whole.components.size(); ++i) {
    const Component &a = said.components[i], &b = whole.components[i];
    EXPECT_EQ(a.reference, b.reference);
    EXPECT_EQ(a.package, b.package);
    ASSERT_FALSE(a.checks.empty());
    EXPECT_EQ(a.checks[0].characteristic, b.checks[0].characteristic);
    EXPECT_EQ(a.checks[0].upper, b.checks[0].upper);
  }
  EXPECT_EQ(said.holes.size(), 1u);
}

class TerminalSample : public RecipeSample {
 protected:
  const std::string terminal_sample = testing::slurp(DATUM_SOURCE_DIR "/config/recipe-sample-terminals.toml");
};

TEST_F(TerminalSample, LoadsAndStatesTheDefaultsThatTheCodeHas) {
  const Recipe code = loaded(terminal_sample), stated = loaded(testing::with_every_key(terminal_sample));
  ASSERT_EQ(code.components.size(), 3u);
  ASSERT_TRUE(code.components[0].terminals && code.components[1].terminals && code.components[2].paste);
  EXPECT_FALSE(code.components[0].paste);
  EXPECT_EQ(places_of(*code.components[0].terminals).size(), 64u);
  EXPECT_EQ(places_of(*code.components[1].terminals).size(), 16u);
  EXPECT_EQ(code.components[0].terminals->groups[0].centre_mm,
            stated.components[0].terminals->groups[0].centre_mm);
  EXPECT_EQ(code.components[2].paste->pad_um, stated.components[2].paste->pad_um);
  EXPECT_EQ(code.components[2].paste->round, stated.components[2].paste->round);
  EXPECT_EQ(code.components[2].checks[3].nominal, 120) << "about the stencil's thickness";
}

TEST_F(TerminalSample, ShowsEveryKeyThatTheLoaderKnows) {
  const auto load = [](const fs::path& file, config::Problems& problems) { load_recipe(file, problems); };
  const std::string whole = testing::with_every_key(terminal_sample);
  for (const std::string header : {"package.BGA64.terminals", "package.QFP32.terminals",
                                   "package.BGA64.terminals.group", "package.PASTE_0603.paste"}) {
    const auto known = testing::known_keys(folder, whole, header, load);
    EXPECT_FALSE(known.empty()) << header;
    auto shown = testing::shown_keys(terminal_sample, header);
    if (header == "package.BGA64.terminals")
      shown.merge(testing::shown_keys(terminal_sample, "package.QFP32.terminals"));
    for (const std::string& key : known) EXPECT_TRUE(shown.count(key)) << header << " " << key;
  }
}

class FilterSample : public RecipeSample {
 protected:
  const std::string filter_sample = testing::slurp(DATUM_SOURCE_DIR "/config/recipe-sample-filter.toml");
};

TEST_F(FilterSample, StatesTheDefaultsThatTheCodeHas) {
  const Recipe code = loaded(filter_sample), stated = loaded(testing::with_every_key(filter_sample));
  ASSERT_TRUE(code.filter && stated.filter);
  EXPECT_FALSE(loaded(sample).filter) << "off by default";
  EXPECT_EQ(code.filter->conduction, stated.filter->conduction);
  EXPECT_EQ(code.filter->rule, stated.filter->rule);
  EXPECT_EQ(code.filter->lambda, stated.filter->lambda);
  EXPECT_EQ(code.filter->iterations, stated.filter->iterations);
}

TEST_F(FilterSample, ShowsEveryKeyThatTheLoaderKnows) {
  const auto known = testing::known_keys(
      folder, testing::with_every_key(filter_sample), "filter",
      [](const fs::path& file, config::Problems& problems) { load_recipe(file, problems); });
  const auto shown = testing::shown_keys(filter_sample, "filter");
  EXPECT_FALSE(known.empty());
  for (const std::string& key : known) EXPECT_TRUE(shown.count(key)) << key;
}

TEST_F(FilterSample, KnowsAFixedKappa) {
  std::string text = filter_sample;
  text.replace(text.find("#kappa = \"robust\"\n#|"), 20, "kappa = \"fixed\"\n");
  const Recipe r = loaded(text);
  EXPECT_EQ(r.filter->rule, KappaRule::fixed);
  EXPECT_EQ(r.filter->kappa_um, 30);
}

class SurfaceSample : public ::testing::Test {
 protected:
  Recipe loaded(const std::string& text) { return load_recipe(folder.write("r.toml", text)); }
  const std::string sample = testing::slurp(DATUM_SOURCE_DIR "/config/recipe-sample-surface.toml");
  testing::FreshFolder folder;
};

TEST_F(SurfaceSample, Loads) {
  const Recipe r = loaded(sample);
  ASSERT_TRUE(r.surface);
  EXPECT_EQ(r.surface->model.folder / r.surface->model.file, folder / "sample-part.stl");
  ASSERT_EQ(r.snapshots.poses.size(), 2u);
  EXPECT_EQ(r.snapshots.timeout_ms, 60000);
  ASSERT_EQ(r.surface->regions.size(), 4u);
  ASSERT_TRUE(r.surface->alignment);
  EXPECT_EQ(r.surface->alignment->datums, (std::vector<std::size_t>{0, 2, 3}));
  EXPECT_FALSE(r.surface->alignment->refinement) << "it minimises what is to be measured";
  EXPECT_EQ(r.surface->regions[0].datum, std::vector<std::size_t>{0}) << "none: itself";
  EXPECT_EQ(r.surface->regions[1].datum, std::vector<std::size_t>{0});
  EXPECT_EQ(r.components[1].reference, "boss");
  EXPECT_EQ(r.components[1].checks[0].lower, 3970);
}

TEST_F(SurfaceSample, ItsHolesLoadWhereTheyAreUncommented) {
  std::string text = sample;
  for (auto at = text.find("\n#|", text.find("--- Holes that are touched")); at != std::string::npos;
       at = text.find("\n#|", at))
    text.erase(at + 1, 2);
  const Recipe r = loaded(text);
  ASSERT_EQ(r.surface->holes.size(), 1u);
  EXPECT_EQ(r.surface->holes[0].snapshot, 0u);
  EXPECT_EQ(r.surface->touching.travel_z_mm, 130);
  ASSERT_EQ(r.components.size(), 5u) << "behind the regions";
  EXPECT_EQ(r.components[4].reference, "H1");
  EXPECT_EQ(r.components[4].package, hole_package);
  EXPECT_EQ(r.components[4].checks[1].lower, 7970) << "about the drawn diameter";
}

TEST_F(SurfaceSample, NamesAModelBelowItsFolder) {
  for (const char* file : {"/etc/hostname", "../part.stl", "parts/../../part.stl", ""}) {
    std::string text = sample;
    text.replace(text.find("sample-part.stl"), 15, file);
    config::Problems problems;
    load_recipe(folder.write("r.toml", text), problems);
    ASSERT_EQ(problems.errors().size(), 1u) << file;
    EXPECT_THAT(problems.errors()[0].what(), ::testing::HasSubstr("model.file: '" + std::string(file) +
                                                                  "' is not below the recipe's folder"));
  }
  std::string text = sample;
  text.replace(text.find("sample-part.stl"), 15, "parts/part.stl");
  EXPECT_EQ(loaded(text).surface->model.file, "parts/part.stl");
}

TEST_F(SurfaceSample, StatesTheDefaultsThatTheCodeHas) {
  const SurfaceRecipe stated = *loaded(testing::with_every_key(sample)).surface,
                      code = *loaded(sample).surface;
  EXPECT_EQ(code.uncertainty.placement_mm, stated.uncertainty.placement_mm);
  EXPECT_EQ(code.uncertainty.placement_mrad, stated.uncertainty.placement_mrad);
  EXPECT_EQ(code.uncertainty.reproducibility_um, stated.uncertainty.reproducibility_um);
  EXPECT_EQ(code.settings.edge_deg, stated.settings.edge_deg);
  EXPECT_EQ(code.settings.max_view_deg, stated.settings.max_view_deg);
  EXPECT_EQ(code.settings.window_px, stated.settings.window_px);
  EXPECT_EQ(code.settings.correlation_px, stated.settings.correlation_px);
  EXPECT_EQ(code.settings.max_noise_sigmas, stated.settings.max_noise_sigmas);
  EXPECT_EQ(code.settings.view, stated.settings.view);
  EXPECT_EQ(code.settings.files, stated.settings.files);
  EXPECT_EQ(FacetMapSettings{}.least, stated.facet_map.value().least);
  EXPECT_EQ(code.regions[0].min_angle_deg, stated.regions[0].min_angle_deg);
  EXPECT_EQ(code.regions[0].max_angle_deg, stated.regions[0].max_angle_deg);
}

TEST_F(SurfaceSample, ShowsEveryKeyThatTheLoaderKnows) {
  const std::string whole = testing::with_every_key(sample);
  const auto load = [](const fs::path& file, config::Problems& problems) { load_recipe(file, problems); };
  for (const std::string header :
       {"", "model", "placement", "alignment", "alignment.refinement", "facet_map", "snapshots",
        "snapshots.pose", "surface", "decision", "uncertainty", "region", "region.check"}) {
    const auto known = testing::known_keys(folder, whole, header, load);
    const auto shown = testing::shown_keys(sample, header);
    EXPECT_FALSE(known.empty()) << "[" << header << "]";
    for (const std::string& key : known) EXPECT_TRUE(shown.count(key)) << "[" << header << "] " << key;
  }
}

}  // namespace
}  // namespace datum
