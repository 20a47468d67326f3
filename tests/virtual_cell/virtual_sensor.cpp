// virtual-sensor: a 3D sensor with its computer. Renders boards into a drop folder, at once or per trigger.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "config/program_options.h"
#include "tests/virtual_cell/virtual_program.h"
#include "tests/virtual_cell/virtual_sensor_board.h"
#include "tests/virtual_cell/virtual_sensor_cell.h"

namespace datum {
namespace {

struct Options {
  VirtualCellFiles files;
  std::vector<double> position_mm;
  std::string calibration;
  std::filesystem::path drop, truth, trigger;
  std::vector<std::string> boards;
  DropFormat format = DropFormat::tiff16;
  std::uint64_t seed = 1, first_frame = 1;
  int count = 1, snapshots = 1;
};

Options read_options(int argc, char** argv, int& status) {
  Options o;
  ProgramOptions app("virtual-sensor: renders seeded boards with known truth into datumd's drop folder");
  app.add_option("--recipe", o.files.recipe, "recipe of the board").required().existing_file();
  app.add_option("--twin", o.files.twin, "what a daemon can't know: true board and sensor errors")
      .required()
      .existing_file();
  const auto calibration =
      app.add_option("--calibration", o.calibration, "calibration that places the sensor").existing_file();
  const auto artefact =
      app.add_option("--artefact", o.files.artefact,
                     "drawing of the artefact that --board artefact shows; needs --calibration")
          .existing_file();
  const auto mount =
      app.add_option("--mount", o.files.mount, "where that artefact truly stands in the machine")
          .existing_file()
          .needs(artefact);
  artefact.needs(mount).needs(calibration);
  app.add_option("--design", o.files.design,
                 "the board's design: its copper, mask, legend and holes lie under the recipe's bodies")
      .existing_path();
  app.add_choice(
      "--side", o.files.side,
      std::map<std::string, design::Side>{{"top", design::Side::top}, {"bottom", design::Side::bottom}},
      "the side of the design that is seen: top or bottom");
  app.add_choice("--turn", o.files.turn,
                 std::map<std::string, design::Turn>{{"vertical", design::Turn::vertical},
                                                     {"horizontal", design::Turn::horizontal}},
                 "how it is turned over for its bottom: vertical or horizontal");
  app.add_option("--position", o.position_mm, "stage position X,Y,Z in mm (default: the calibration's own)")
      .delimiter(',')
      .expected(3);
  app.add_option("--drop", o.drop, "folder to deliver into").required().existing_folder();
  app.add_option("--board", o.boards,
                 "one board per option: artefact, or a comma list of good, lifted=REF[:um], missing=REF, "
                 "height=REF:um, "
                 "occluded=REF, level=REF[:um], ramp=REF[:um], dark=REF, placed=X:Y:DEG, and "
                 "the faults truncated, wrong-sha, duplicate, sidecar-first");
  app.add_option("--count", o.count, "number of good boards, where no --board is given").in_range(1, 1000000);
  app.add_option("--seed", o.seed, "seed of the first board; the next one has the next seed");
  app.add_option("--frame-id", o.first_frame, "number of the first frame");
  app.add_option("--truth", o.truth, "append the truth of each board to this file, one JSON object per line");
  const auto on_trigger =
      app.add_option("--on-trigger", o.trigger,
                     "deliver one board for each line read from this FIFO (made if absent); a line "
                     "\"X Y Z\" moves the stage there before");
  app.add_option("--snapshots", o.snapshots, "of each board, one for each line of --on-trigger")
      .in_range(1, 64)
      .needs(on_trigger);
  app.add_choice(
      "--format", o.format,
      std::map<std::string, DropFormat>{
          {"tiff16", DropFormat::tiff16}, {"png16", DropFormat::png16}, {"float", DropFormat::float32}},
      "tiff16, png16 or float");
  if (const auto ended = app.read(argc, argv)) {
    status = *ended == 0 ? 0 : 2;
    return o;
  }
  if (!o.calibration.empty()) o.files.calibration = o.calibration;
  if (o.position_mm.size() == 3) o.files.position_mm = Eigen::Vector3d(o.position_mm.data());
  if (o.boards.empty()) o.boards.assign(static_cast<std::size_t>(o.count), "good");
  status = -1;
  return o;
}

void append_truth(const std::filesystem::path& file, const DeliveredBoard& board) {
  nlohmann::ordered_json out{{"frame_id", board.frame_id}, {"board", board.spec}, {"seed", board.seed}};
  for (const TwinTruth& t : board.truth) {
    out["components"].push_back({{"reference", t.reference},
                                 {"present", t.present},
                                 {"height_um", t.height_um},
                                 {"tilt_mdeg", t.tilt_mdeg}});
  }
  std::ofstream stream(file, std::ios::app);
  stream << out.dump() << '\n';
  if (!stream.flush()) throw std::runtime_error(file.string() + ": can't be written");
}

int run(const Options& o) {
  VirtualCellFiles files = o.files;
  VirtualCell cell = load_cell(files);
  std::vector<BoardSpec> specs;
  for (const std::string& text : o.boards)
    specs.push_back(parse_board(text, cell));  // validates all before the first trigger
  OrderPipe trigger(o.trigger);
  std::uint64_t n = 0;
  for (std::size_t i = 0; i < specs.size() * static_cast<std::size_t>(o.snapshots); ++i) {
    const BoardSpec& spec = specs[i / static_cast<std::size_t>(o.snapshots)];
    Eigen::Vector3d q;
    if (std::sscanf(trigger.wait().c_str(), "%lf %lf %lf", &q.x(), &q.y(), &q.z()) == 3) {
      files.position_mm = q;
      cell = load_cell(files);
    }
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const auto utc_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
    const DeliveredBoard board = deliver_board(cell, spec,
                                               {o.seed + n, o.first_frame + n, utc_ns, o.format,
                                                o.seed + n / static_cast<std::uint64_t>(o.snapshots)},
                                               o.drop);
    if (!o.truth.empty()) append_truth(o.truth, board);
    say("virtual-sensor",
        fmt::format("frame {} of {} ({}, seed {})", board.frame_id, cell.recipe, spec.text, board.seed));
    ++n;
  }
  return 0;
}

}  // namespace
}  // namespace datum

int main(int argc, char** argv) try {
  int status = -1;
  const datum::Options options = datum::read_options(argc, argv, status);
  if (status >= 0) return status;
  return datum::run(options);
} catch (const std::exception& e) {
  std::fprintf(stderr, "virtual-sensor: %s\n", e.what());
  return 1;
}
