// virtual-fringe: a fringe projection sensor with its computer. Delivers raw sets of boards, at once or per
// trigger, or of a flat plate at several heights for the sensor's calibration.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "config/program_options.h"
#include "drivers/profile/sensor_profile_file.h"
#include "tests/virtual_cell/virtual_fringe_cell.h"

namespace datum {
namespace {

namespace fs = std::filesystem;

struct Options {
  VirtualCellFiles files;
  fs::path sensor, camera, drop, truth;
  std::vector<std::string> boards;
  std::vector<double> plate_mm;
  std::uint64_t seed = 1, first_frame = 1;
};

std::int64_t utc_ns() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

SetSidecar identity(const VirtualCell& cell, std::uint64_t frame) {
  SetSidecar s;
  s.job_name = cell.recipe;
  s.job_hash = "none";
  s.frame_id = fmt::format("{:06}", frame);
  s.captured = {utc_ns(), ClockDomain::utc};
  return s;
}

void append_truth(const fs::path& file, const std::string& frame_id, const FringeBoardSpec& spec,
                  const VirtualCell& cell, std::uint64_t seed) {
  TwinBoard board = produce(cell.nominal, cell.spread, seed);
  for (const std::string& defect : spec.defects) apply_defect(board, defect);
  nlohmann::ordered_json out{{"frame_id", frame_id}, {"board", spec.text}, {"seed", seed}};
  for (const TwinTruth& t : truth_of(board))
    out["components"].push_back(
        {{"reference", t.reference}, {"present", t.present}, {"height_um", t.height_um}});
  std::ofstream stream(file, std::ios::app);
  stream << out.dump() << '\n';
  if (!stream.flush()) throw std::runtime_error(file.string() + ": can't be written");
}

int run(const Options& o) {
  const VirtualCell cell = load_cell(o.files);
  const FringeTwin twin = load_fringe_twin(o.camera);
  const SensorProfile profile = config::load_sensor_profile(o.sensor);
  if (!profile.fringe) throw std::invalid_argument(o.sensor.string() + ": has no table [fringe]");
  const FringeSender sender{profile.serial, profile.handedness, *profile.fringe};
  std::uint64_t frame = o.first_frame, seed = o.seed;
  for (const double z_mm : o.plate_mm) {
    const SetSidecar who = identity(cell, frame);
    const std::string stem = fmt::format("plate_{}", who.frame_id);
    deliver_set(sender, twin, cell.view, plate_scene(cell.view, z_mm, twin.plate), {}, seed++, who, o.drop,
                stem);
    fmt::print("{}@{}\n", (o.drop / (stem + ".json")).string(), z_mm);
    ++frame;
  }
  std::vector<FringeBoardSpec> specs;
  for (const std::string& text : o.boards) specs.push_back(parse_fringe_board(text, cell));
  for (const FringeBoardSpec& spec : specs) {
    const SetSidecar who = identity(cell, frame);
    const FringeScene scene = board_scene(cell, twin, spec, seed);
    deliver_set(sender, twin, cell.view, scene, spec, seed, who, o.drop,
                fmt::format("{}_{}", profile.serial, who.frame_id));
    if (!o.truth.empty()) append_truth(o.truth, who.frame_id, spec, cell, seed);
    fmt::print("virtual-fringe: frame {} of {} ({}, seed {})\n", who.frame_id, cell.recipe, spec.text, seed);
    std::fflush(stdout);
    ++frame;
    ++seed;
  }
  return 0;
}

}  // namespace
}  // namespace datum

int main(int argc, char** argv) try {
  datum::Options o;
  datum::ProgramOptions app(
      "virtual-fringe: raw images of projected fringes with known truth, into datumd's drop folder");
  app.add_option("--recipe", o.files.recipe, "recipe of the board, in sensor coordinates")
      .required()
      .existing_file();
  app.add_option("--twin", o.files.twin, "the true board and the camera's grid").required().existing_file();
  app.add_option("--camera", o.camera, "the true camera and projector").required().existing_file();
  app.add_option("--sensor", o.sensor, "the sensor's profile: which images it makes")
      .required()
      .existing_file();
  app.add_option("--drop", o.drop, "folder to deliver into").required().existing_folder();
  app.add_option("--plate", o.plate_mm,
                 "heights in mm of a matt flat plate, a set of each; prints SET.json@HEIGHT")
      .delimiter(',');
  app.add_option("--board", o.boards,
                 "one board per option: a comma list of good, lifted=REF[:um], missing=REF, height=REF:um, "
                 "occluded=REF, level=REF[:um], ramp=REF[:um], "
                 "shiny=REF, dark=REF, and the faults incomplete, mixed");
  app.add_option("--seed", o.seed, "of the first set; the next one has the next seed");
  app.add_option("--frame-id", o.first_frame, "number of the first frame");
  app.add_option("--truth", o.truth, "append the truth of each board to this file, one JSON object per line");
  if (const auto ended = app.read(argc, argv)) return *ended;
  return datum::run(o);
} catch (const std::exception& e) {
  std::fprintf(stderr, "virtual-fringe: %s\n", e.what());
  return 1;
}
