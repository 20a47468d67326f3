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

class BoardPlanner;  // daemon/inspection/board/board_planner.h

/// What may measure beside the board's measurer, or is kept from board to board; null: this process' CPU, nothing is kept.
struct ReplayMeans {
  DistanceFinder* finder = nullptr;
  FacetMatcher* matcher = nullptr;
  AreaSharer* sharer = nullptr;
  SurfaceComparer* comparer = nullptr;
  Diffuser* diffuser = nullptr;
  SystemInverter* inverter = nullptr;
  Correlator* correlator = nullptr;
  BoardPlanner* planner = nullptr;
  SurfaceModels* models = nullptr;
};

/// Everything the worker needs. `recipe` lies in `recipes`, or is `archived`.
struct Replay {
  BoardVerdict verdict;
  std::filesystem::path
      frames;  // the folder of measured frames: NAME/, NAME~2/ ...; or a frame's source lies below it
  std::shared_ptr<const RecipeStore> recipes;
  std::optional<Recipe> archived;  // of the store: the folder has it no longer, or edited
  const Recipe* recipe = nullptr;
  std::optional<Calibration> calibration;  // none in sensor coordinates
  const SensorProfile* sensor = nullptr;
  BoardMeasurer* measurer = nullptr;
  const ModelParser* models = nullptr;  // who reads a model's file; null: this process
  unsigned threads = 0;
  ReplayMeans means;
  bool as_of_calibration = false;  // a calibration of another time is asked about its own

  std::vector<HeightFrame> read;  // by load(), in the order of the snapshots that have a frame
  bool loaded = false;
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
  const Calibration* calibration_instead = nullptr;  // the same
};

/// Of a result, with recipe, calibration and sensor profile as they were. A recipe that was edited or removed is taken from the
/// store. Throws scpi::Error where one of them is gone or was changed. `sensor` and `measurer` outlive the replay.
std::shared_ptr<Replay> prepare_replay(const BoardVerdict& verdict, const ReplayPlaces& places,
                                       const SensorProfile& sensor, BoardMeasurer& measurer,
                                       unsigned threads);

/// Reads its frames. Throws FrameError, and std::runtime_error that names the frame where none has the bytes of then.
void load(Replay& replay);
/// Reads its frames unless load() did, and measures. Throws as load().
BoardVerdict measure_again(Replay& replay);
/// The same, and compares with then. Never throws.
void run(Replay& replay);

/// Of decision, reasons and components, with every number and its evidence; who measured it and when may differ.
std::string first_difference(const BoardVerdict& then, const BoardVerdict& now);

}  // namespace datum
