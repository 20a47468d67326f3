// A build without comparisons of parts (DATUM_SURFACES=OFF): its own files in place of the whole library's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <semaphore>

#include "daemon/cell/model_preparer.h"
#include "daemon/pictures/part_files.h"
#include "tests/daemon/inspection/surface/surface_scan.h"

namespace datum::surface_absent_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr const char* absent =
    "a first demo compares no parts with models; ./datum demo --surface, test or install builds it";

struct WholePart : testing::SurfaceScene {
  WholePart() : SurfaceScene(testing::box_model(14, 11, 6, 5)) {
    size = "14, 11, 6";
    scan([](const Eigen::Vector3d&) { return 0.0; });
  }
  Recipe part_recipe() {
    return recipe(testing::region("top", "normal = [0, 0, 1]\n",
                                  testing::check("\"deviation_mean\"\nlower_um = -500\nupper_um = 500")));
  }
};

TEST(SurfaceAbsent, AWholePartIsInvalidAndSaysWhatBuildsTheComparison) {
  WholePart part;
  const SurfaceInspection inspected = part.inspect(part.part_recipe());
  EXPECT_EQ(inspected.verdict.decision, Decision::invalid);
  EXPECT_EQ(inspected.verdict.reason, Reason::model);
  EXPECT_THAT(inspected.verdict.detail, HasSubstr(absent));
  EXPECT_FALSE(inspected.facets);
  EXPECT_FALSE(inspected.map);
}

TEST(SurfaceAbsent, ArmingTellsThatPartsWillBeInvalid) {
  WholePart part;
  std::vector<std::string> log;
  std::counting_semaphore<> told{0};
  ModelPreparer preparer(std::make_shared<SurfaceModels>(), {}, 1, [&](int level, const std::string& text) {
    log.push_back(std::to_string(level) + " " + text);
    told.release();
  });
  preparer.prepare(std::make_shared<const Recipe>(part.part_recipe()));
  told.acquire();
  EXPECT_THAT(log, ::testing::ElementsAre(
                       AllOf(HasSubstr("4 recipe part: its model is not ready, parts will be INVALID"),
                             HasSubstr(absent))));
}

TEST(SurfaceAbsent, AConfigurationWithSuchARecipeIsRefused) {
  WholePart part;
  try {
    load_surface_model(part.part_recipe(), 1);
    ADD_FAILURE() << "a model was loaded";
  } catch (const ModelError& error) {
    EXPECT_STREQ(error.what(), absent);
  }
}

TEST(SurfaceAbsent, FilesOfAPartAreRefused) {
  try {
    write_part_files("part.png", {}, {}, {}, nullptr, {});
    ADD_FAILURE() << "files were written";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("part.png"), HasSubstr("./datum demo --surface")));
  }
}

}  // namespace
}  // namespace datum::surface_absent_test
