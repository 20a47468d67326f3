// The model of an armed surface recipe is ready before its first part.
#include "daemon/cell/model_preparer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <semaphore>

#include "daemon/inspection/surface/facet_map.h"
#include "tests/daemon/inspection/surface/surface_scan.h"

namespace datum::model_preparer_test {
namespace {

using ::testing::HasSubstr;

class RecordingFinder final : public DistanceFinder {
 public:
  void prepare(const SearchedModel& model) override { prepared = model; }
  void find(const SearchedModel&, const ModelPoint*, std::size_t, const DistanceSettings&,
            ModelDistance*) override {}
  std::string describe() const override { return "recording"; }
  SearchedModel prepared;
};

class RecordingMatcher final : public FacetMatcher {
 public:
  void prepare(const std::shared_ptr<const ModelFacets>& model) override { prepared = model; }
  void match(const std::shared_ptr<const ModelFacets>&, const ScannedSurface&, const ScanMatchSettings&,
             FacetDeviation*, FacetPierced*) override {}
  void sum(const std::shared_ptr<const ModelFacets>&, const ScannedSurface&, const ScanMatchSettings&,
           FacetSums*, FacetSums*) override {}
  std::string describe() const override { return "recording"; }
  std::shared_ptr<const ModelFacets> prepared;
};

class RecordingSharer final : public AreaSharer {
 public:
  void prepare(const std::shared_ptr<const AreaModel>& model) override { prepared = model; }
  std::string declines(std::size_t) const override { return ""; }
  void share(const std::shared_ptr<const AreaModel>&, const JudgedPoints&, const AreaShares&) override {}
  std::string describe() const override { return "recording"; }
  std::shared_ptr<const AreaModel> prepared;
};

struct Box : testing::SurfaceScene {
  Box() : SurfaceScene(testing::box_model(14, 11, 6, 5)) { size = "14, 11, 6"; }
  Recipe box_recipe(const std::string& what, const std::string& more = "") {
    return recipe(testing::region("top", "normal = [0, 0, 1]\n", testing::check(what)) + more);
  }
};

const std::string mean = "\"deviation_mean\"\nlower_um = -500\nupper_um = 500",
                  pfm = "\"pfm_mean\"\nlower_um = -500\nupper_um = 500",
                  map = "[facet_map]\nlongest_mm = 1.2\ngate_mm = 1\n";

/// What is ready when it ends.
struct Prepared {
  std::shared_ptr<SurfaceModels> models = std::make_shared<SurfaceModels>();
  RecordingFinder finder;
  RecordingMatcher matcher;
  RecordingSharer sharer;
  std::vector<std::string> log;
  void prepare(const std::vector<Recipe>& recipes) {
    ModelPreparer preparer(models, {&finder, &matcher, &sharer}, 1,
                           [this](int level, const std::string& text) {
                             log.push_back(std::to_string(level) + " " + text);
                             told.release();
                           });
    for (const Recipe& recipe : recipes) preparer.prepare(std::make_shared<const Recipe>(recipe));
    if (!recipes.empty() && recipes.back().surface) told.acquire();
  }
  std::counting_semaphore<> told{0};
};

TEST(ModelPreparer, TheModelIsReadAndSentBeforeAPartComes) {
  Box scene;
  const Recipe recipe = scene.box_recipe(pfm, map);
  Prepared p;
  p.prepare({recipe});
  std::filesystem::remove(scene.folder.path() / "part.stl");  // what is ready needs the file no more
  const auto model = p.models->of(recipe, 1);
  EXPECT_EQ(p.finder.prepared.triangles, model->triangles);
  EXPECT_EQ(p.matcher.prepared, model->pieces->facets);
  ASSERT_TRUE(model->areas);
  EXPECT_EQ(p.sharer.prepared, model->areas);
  ASSERT_EQ(p.log.size(), 1u);
  EXPECT_THAT(p.log[0], HasSubstr("6 recipe part: model of 300 facets ready, "));
}

TEST(ModelPreparer, FacetsThatNobodyAsksForAreNotSent) {
  Box scene;
  Prepared p;
  p.prepare({scene.box_recipe(mean, map)});
  EXPECT_TRUE(p.finder.prepared.triangles);
  EXPECT_FALSE(p.matcher.prepared);
}

TEST(ModelPreparer, ARefusedModelIsToldAtOnceAndRefusedAgainLater) {
  Box scene;
  const Recipe recipe = scene.box_recipe(mean);
  std::filesystem::remove(scene.folder.path() / "part.stl");
  Prepared p;
  p.prepare({recipe});
  ASSERT_EQ(p.log.size(), 1u);
  EXPECT_THAT(p.log[0], HasSubstr("4 recipe part: its model is not ready, parts will be INVALID: "));
  EXPECT_THAT(p.log[0], HasSubstr("part.stl: can't be opened"));
  EXPECT_FALSE(p.finder.prepared.triangles);
  EXPECT_THROW(p.models->of(recipe, 1), ModelError);
}

TEST(ModelPreparer, ABoardHasNoModel) {
  Prepared p;
  p.prepare({Recipe{}});
  EXPECT_TRUE(p.log.empty());
}

}  // namespace
}  // namespace datum::model_preparer_test
