#include "tests/statistics/statistics_design.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <set>
#include <thread>

#include "config/toml_reader.h"
#include "daemon/design/read_design.h"
#include "daemon/design/recipe_text.h"
#include "daemon/inspection/board/pipeline.h"
#include "drivers/profile/sensor_profile_file.h"
#include "tests/virtual_cell/twin_design.h"
#include "tests/virtual_cell/twin_file.h"
#include "tests/virtual_cell/twin_produce.h"

namespace datum::statistics {
namespace {

namespace fs = std::filesystem;

fs::path demo_folder() {
  const char* given = std::getenv("DATUM_KICAD_DEMOS");
  return given && *given ? given : "/usr/share/kicad/demos";
}

std::optional<fs::path> board_file(const std::string& stem) {
  if (!fs::exists(demo_folder())) return std::nullopt;
  for (const auto& entry : fs::recursive_directory_iterator(demo_folder()))
    if (entry.path().extension() == ".kicad_pcb" && entry.path().stem() == stem) return entry.path();
  return std::nullopt;
}

/// A folder that goes with its owner.
class Scratch {
 public:
  Scratch() {
    std::string name = (fs::temp_directory_path() / "datum-statistics-XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::runtime_error(name + ": can't be made");
    path = name;
  }
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  fs::path path;
};

/// Height of a package that no name or library states: half its shorter side, within the sensor's range.
double some_height_um(const design::Component& c) {
  if (c.body.empty()) return 1000;
  return std::clamp(500 * design::box_around(c.body, c.rotation_deg).size.minCoeff(), 300.0, 6000.0);
}

/// A site library that confirms a height of each package of the board, by the starter library where that has one.
design::PackageLibrary confirmed_library(const design::Design& board) {
  design::PackageLibrary starter, all;
  starter.add_file(DATUM_SOURCE_DIR "/config/packages/starter.toml");
  const Scratch scratch;
  const fs::path file = scratch.path / "site.toml";
  std::ofstream out(file);
  out << "schema = 1\n";
  std::set<std::string> written;
  for (const design::Component& c : board.components) {
    if (!written.insert(c.package).second || c.package.find_first_of("\"\\") != std::string::npos) continue;
    const auto fact = design::height_of(c, starter.find(c.package));
    const double um = std::min(6000.0, fact ? fact->um : some_height_um(c));
    out << fmt::format(
        "[package.\"{0}\"]\nmatch = [\"{0}\"]\nheight_um = {1:.1f}\nsource = \"the twin\"\nconfirmed = "
        "true\n",
        c.package, um);
  }
  out.close();
  all.add_file(DATUM_SOURCE_DIR "/config/packages/starter.toml");
  all.add_file(file);
  return all;
}

struct DesignTwin {
  Recipe recipe;
  TwinBoard board;
  TwinView view;
  TwinSensor sensor;
  TwinSpread spread;
  SensorProfile profile;
  std::vector<bool>
      counted;  // by component: a body that shares its place with another one has no single truth
  int floors = 0;
};

Recipe recipe_of(const design::Draft& draft, const design::DraftSettings& settings,
                 const std::string& serial) {
  design::RecipeHead head;
  head.name = "twin";
  head.sensor_serial = serial;
  head.origin_mm = -draft.size_mm / 2;
  config::Problems problems;
  Recipe recipe = recipe_from_text(design::recipe_text(draft, settings, head), "twin.toml", problems);
  if (!problems.errors().empty()) throw problems.errors().front();
  return recipe;
}

/// Parts of this side that the recipe does not measure stand there too.
void add_bystanders(const design::Draft& draft, TwinBoard& board) {
  for (const design::LeftOut& left : draft.left_out)
    for (const design::Component& c : draft.design.components) {
      if (c.reference != left.reference || c.body.empty() ||
          c.population == design::Population::not_populated)
        continue;
      const design::Box box = design::box_around(c.body, c.rotation_deg);
      TwinBody body;
      body.outline = {box.centre, box.size, box.rotation_deg};
      body.height_um = some_height_um(c);
      board.bodies.push_back(body);
    }
}

DesignTwin make_twin(const DesignRow& row, const fs::path& file) {
  DesignTwin twin;
  twin.profile = config::load_sensor_profile(DATUM_SOURCE_DIR "/config/sensors/virtual.toml");
  config::TomlTable world = config::TomlTable::from_file(DATUM_SOURCE_DIR "/config/twins/demo.toml");
  read_twin_view(world.table("view"), &twin.view, &twin.sensor);
  twin.sensor.noise = read_twin_noise(world.table("noise"));
  twin.sensor.left_handed = false;
  twin.sensor.serial = twin.profile.serial;
  twin.spread = {60, 40, 0, 15, 0.03, 80};  // as config/twins/demo.toml; heights are set part by part

  const design::Design design = design::load_design(file).design;
  design::DraftSettings settings;
  settings.side = row.side;
  settings.pitch_mm = pitch_mm;
  settings.outer_mm = row.outer_mm;
  const design::Draft draft = design::draft_recipe(design, confirmed_library(design), settings);
  twin.recipe = recipe_of(draft, settings, twin.profile.serial);
  for (const design::DraftComponent& c : draft.components) {
    twin.floors += c.ring.is_floor;
    TwinBody body;
    body.reference = design::recipe_name(c.reference);
    body.outline = {c.body.centre, c.body.size, c.body.rotation_deg};
    body.height_um = c.height.um;
    twin.board.bodies.push_back(body);
  }
  for (const Component& c : twin.recipe.components)
    twin.counted.push_back(
        c.overlaps.empty() &&
        std::none_of(twin.recipe.components.begin(), twin.recipe.components.end(), [&](const Component& o) {
          return std::count(o.overlaps.begin(), o.overlaps.end(), c.reference) > 0;
        }));
  add_bystanders(draft, twin.board);
  twin.board.size_mm = draft.size_mm;
  const TwinLevels levels;
  lay_relief(relief_of(draft.design, row.side, levels), levels, twin.board);
  // A recipe that names the surface of a ring means heights over that surface; else the twin's choice, by all that surrounds the
  // body, is as good as the other one.
  for (std::size_t i = 0; i < draft.components.size(); ++i) {
    const design::Surface surface = draft.components[i].ring.surface;
    if (surface == design::Surface::laminate) twin.board.bodies[i].base_um = 0;
    if (surface == design::Surface::copper) twin.board.bodies[i].base_um = levels.masked_copper_um;
  }
  constexpr double beside_mm = 1;
  twin.view.rows = static_cast<int>((draft.size_mm.y() + 2 * beside_mm) / pitch_mm);
  twin.view.cols = static_cast<int>((draft.size_mm.x() + 2 * beside_mm) / pitch_mm);
  twin.view.x = {pitch_mm, -draft.size_mm.x() / 2 - beside_mm};
  twin.view.y = {pitch_mm, -draft.size_mm.y() / 2 - beside_mm};
  twin.view.sensor_from_board = twin.recipe.machine_from_board.matrix();
  return twin;
}

enum class PartState { at_lower, at_upper, below, above, good, missing };
constexpr int part_states = 6;

/// Distance of the true height from its nominal, in tolerances.
double shift_of(PartState state) {
  switch (state) {
    case PartState::at_lower:
      return -1;
    case PartState::at_upper:
      return 1;
    case PartState::below:
      return -1.25;
    case PartState::above:
      return 1.25;
    default:
      return 0;
  }
}

void count_height(const CheckVerdict& v, PartState state, double truth, Tally& t) {
  ++t.cases;
  if (v.reason != Reason::none) {
    ++t.invalid;
    ++t.reasons[v.reason];
    return;
  }
  const double error = v.value - truth;
  t.outside += std::abs(error) > 2 * v.u;
  t.error += error;
  t.error2 += error * error;
  t.worst = std::max(t.worst, std::abs(error));
  t.u += v.u;
  for (const UncertaintyTerm& term : v.budget) t.terms[term.name] += term.u * term.u;
  const bool passed = v.decision == Decision::pass;
  if (state == PartState::at_lower || state == PartState::at_upper) {
    ++t.at_limit;
    t.at_limit_passed += passed;
  } else if (state != PartState::good) {
    ++t.beyond;
    t.beyond_passed += passed;
  }
}

void measure_twin(const DesignTwin& twin, std::uint64_t seed, int frame, DesignCells& cells) {
  TwinBoard board = produce(twin.board, twin.spread, seed);
  // Boards of one curvature, whatever their size: the spread is of 100 mm.
  const Eigen::Vector2d length = board.size_mm / 100;
  board.shape.bow_x_um *= length.x() * length.x();
  board.shape.bow_y_um *= length.y() * length.y();
  board.shape.twist_um *= length.x() * length.y();
  std::vector<PartState> state(twin.recipe.components.size());
  for (std::size_t i = 0; i < state.size(); ++i) {
    state[i] = static_cast<PartState>((static_cast<int>(i) + frame) % part_states);
    const Check& height = twin.recipe.components[i].checks.front();
    const double tolerance = (*height.upper - *height.lower) / 2;
    board.bodies[i].height_um = (*height.upper + *height.lower) / 2 + shift_of(state[i]) * tolerance;
    board.bodies[i].missing = state[i] == PartState::missing;
  }
  TwinSensor sensor = twin.sensor;
  sensor.noise = drift(twin.sensor.noise, twin.spread, seed);
  HeightFrame image = render(look_at(board, twin.view), twin.view, sensor, seed);
  image.frame_id = std::to_string(seed);
  InspectionInputs inputs;
  inputs.recipe = &twin.recipe;
  inputs.sensor = &twin.profile;
  inputs.threads = 1;
  const BoardVerdict verdict = inspect(image, inputs, cpu_backend(1));
  for (std::size_t i = 0; i < state.size(); ++i) {
    if (!twin.counted[i]) continue;
    const ComponentVerdict& c = verdict.components.at(i);
    if (state[i] == PartState::missing) {
      ++cells.missing.cases;
      ++cells.missing.beyond;
      cells.missing.beyond_passed += c.decision == Decision::pass;
      cells.missing.invalid += c.checks.back().decision == Decision::invalid;
    } else {
      count_height(c.checks.front(), state[i], board.bodies[i].height_um, cells.height);
    }
  }
}

}  // namespace

std::vector<DesignRow> design_rows() {
  using design::Side;
  // StickHub is full on both sides: a ring of the usual width has no floor, and connectors throw shadows of 1.5 mm on wide ones.
  return {
      {"twin of kit-dev-coldfire, top", "kit-dev-coldfire-xilinx_5213"},
      {"twin of kit-dev-coldfire, bottom", "kit-dev-coldfire-xilinx_5213", Side::bottom},
      {"twin of complex_hierarchy", "complex_hierarchy"},
      {"twin of pic_programmer", "pic_programmer"},
      {"twin of flat_hierarchy", "flat_hierarchy"},
      {"twin of video, top", "video"},
      {"twin of video, bottom", "video", Side::bottom},
      {"twin of StickHub, top", "StickHub", Side::top, 4, 0.25},
      {"twin of StickHub, bottom", "StickHub", Side::bottom, 4, 0.15},
  };
}

bool demo_designs_are_here() {
  const auto rows = design_rows();
  return std::any_of(rows.begin(), rows.end(),
                     [](const DesignRow& row) { return board_file(row.board).has_value(); });
}

Wanted wanted_in(const DesignCells& cells) {
  Wanted wanted;
  constexpr double lost = 0.05;  // to pixels without a height, where the import counts just enough
  wanted.invalid_most = 1 - static_cast<double>(cells.floors) / cells.parts + cells.row.shaded + lost;
  return wanted;
}

void run_designs(const DesignPlan& plan, const std::function<void(const DesignCells&)>& done) {
  for (const DesignRow& row : plan.rows) {
    const auto file = board_file(row.board);
    if (!file) continue;
    const DesignTwin twin = make_twin(row, *file);
    DesignCells cells{row, static_cast<int>(twin.recipe.components.size()), twin.floors, {}, {}};
    std::vector<DesignCells> frames(static_cast<std::size_t>(plan.frames), cells);
    std::atomic<int> next{0};
    std::exception_ptr failure;
    std::mutex mutex;
    const auto work = [&] {
      try {
        for (int i; (i = next++) < plan.frames;)
          measure_twin(twin, plan.seed * 1000003 + static_cast<std::uint64_t>(i), i,
                       frames[static_cast<std::size_t>(i)]);
      } catch (...) {
        const std::lock_guard lock(mutex);
        failure = std::current_exception();
      }
    };
    std::vector<std::thread> others;
    for (unsigned i = 1; i < plan.threads; ++i) others.emplace_back(work);
    work();
    for (std::thread& other : others) other.join();
    if (failure) std::rethrow_exception(failure);
    for (const DesignCells& one : frames) {
      cells.height += one.height;
      cells.missing += one.missing;
    }
    done(cells);
  }
}

}  // namespace datum::statistics
