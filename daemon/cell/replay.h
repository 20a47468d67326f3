// A replay: the stored frame of a result measured again with what it was measured with, and compared.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "daemon/inspection/recipe/recipe_store.h"
#include "daemon/inspection/surface/pipeline_surface.h"

namespace datum {

/// Everything the worker needs. `recipe` lies in `recipes`, or is `archived`.
struct Replay {
  BoardVerdict verdict;
  std::filesystem::path frames;  // the folder of measured frames: NAME/, NAME~2/ ...
  std::shared_ptr<const RecipeStore> recipes;
  std::optional<Recipe> archived;  // of the store: the folder has it no longer, or edited
  const Recipe* recipe = nullptr;
  std::optional<Calibration> calibration;  // none in sensor coordinates
  const SensorProfile* sensor = nullptr;
  BoardMeasurer* measurer = nullptr;
  const ModelParser* models = nullptr;  // who reads a model's file; null: this process
  unsigned threads = 0;

  std::optional<BoardVerdict> now;  // after run(); none: it failed
  bool failed = false;              // it can't be told
  std::string detail;               // then why; else the first difference, empty where there is none
};

/// Where what a result was measured with lies.
struct ReplayPlaces {
  std::filesystem::path recipes, calibrations;  // folders
  std::filesystem::path deliveries;             // measured ones lie in its done/; empty: they are not kept
  const config::TomlParser* texts = nullptr;    // who parses recipes and calibrations; null: this process
  const ModelParser* models = nullptr;          // the same of models
  /// Kept text of a recipe by its hash; throws where it was altered. Null: none is kept.
  std::function<std::optional<std::string>(const std::string& sha256)> recipe_text{};
  const Recipe* instead = nullptr;  // measures by this recipe, not by the one of then; outlives the replay
};

/// Of a result, with recipe, calibration and sensor profile as they were. A recipe that was edited or removed is taken from the
/// store. Throws scpi::Error where one of them is gone or was changed. `sensor` and `measurer` outlive the replay.
std::shared_ptr<Replay> prepare_replay(const BoardVerdict& verdict, const ReplayPlaces& places,
                                       const SensorProfile& sensor, BoardMeasurer& measurer,
                                       unsigned threads);

/// Never throws.
void run(Replay& replay);

/// Of decision, reasons and components, with every number and its evidence; who measured it and when may differ.
std::string first_difference(const BoardVerdict& then, const BoardVerdict& now);

}  // namespace datum
