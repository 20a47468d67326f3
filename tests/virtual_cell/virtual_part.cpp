// virtual-part: a 3D sensor that scans a machined part. Writes the part's model as STL and delivers its
// snapshots, one per stage position, into a drop folder, at once or per trigger.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <fstream>

#include "config/program_options.h"
#include "tests/virtual_cell/virtual_part_cell.h"
#include "tests/virtual_cell/virtual_program.h"

namespace datum {
namespace {

struct Options {
  std::filesystem::path twin, calibration, model, drop, truth, trigger;
  std::vector<std::string> parts;
  std::vector<double> displaced;
  DropFormat format = DropFormat::tiff16;
  std::uint64_t seed = 1, first_frame = 1;
  std::size_t only = 0;
  bool positions = false, bores = false;
};

Options read_options(int argc, char** argv, int& status) {
  Options o;
  ProgramOptions app("virtual-part: snapshots of a virtual machined part, with its model and its truth");
  app.add_option("--twin", o.twin, "where the part lies, the stage's positions, the sensor's errors")
      .required()
      .existing_file();
  app.add_option("--calibration", o.calibration, "calibration that places the sensor")
      .required()
      .existing_file();
  app.add_option("--model", o.model, "write the part as drawn to this STL file, in mm");
  app.add_option("--drop", o.drop, "folder to deliver snapshots into").existing_folder();
  app.add_option(
      "--part", o.parts,
      "one part per option: good, dent=UM, hole=DX:DY or post=MM, joined by commas; of a plate with bores "
      "made, plugged=N");
  app.add_option(
         "--displaced", o.displaced,
         "X,Y,Z,MRAD: each part lies off its place by so many mm, turned about its z, more with each part")
      .delimiter(',')
      .expected(4);
  app.add_option("--only", o.only, "deliver this snapshot of each part alone, counted from 1");
  app.add_option("--seed", o.seed, "of the first snapshot's noise; the next one has the next seed");
  app.add_option("--frame-id", o.first_frame, "number of the first frame");
  app.add_option("--truth", o.truth, "append the truth of each part to this file, one JSON object per line");
  app.add_option("--on-trigger", o.trigger,
                 "deliver one snapshot for each line read from this FIFO (made if absent)");
  app.add_flag("--positions", o.positions, "print the stage's position for each snapshot, X Y Z in mm");
  app.add_flag("--bores", o.bores,
               "print the bores of the first --part as the machine's scales read them: X Y Z RADIUS in mm");
  app.add_choice(
      "--format", o.format,
      std::map<std::string, DropFormat>{
          {"tiff16", DropFormat::tiff16}, {"png16", DropFormat::png16}, {"float", DropFormat::float32}},
      "tiff16, png16 or float");
  if (const auto ended = app.read(argc, argv)) {
    status = *ended == 0 ? 0 : 2;
    return o;
  }
  status = -1;
  return o;
}

void append(const std::filesystem::path& file, const std::string& line) {
  std::ofstream stream(file, std::ios::app);
  stream << line << '\n';
  if (!stream.flush()) throw std::runtime_error(file.string() + ": can't be written");
}

void deliver_part(const Options& o, const VirtualPartCell& cell, const std::string& text, OrderPipe& trigger,
                  std::uint64_t& n) {
  const std::vector<PartFacet> part = part_facets(cell.shape, parse_defects(text));
  if (!o.truth.empty()) append(o.truth, truth_of(cell, parse_defects(text)));
  for (std::size_t i = 0; i < cell.positions_mm.size(); ++i) {
    if (o.only != 0 && i + 1 != o.only) continue;
    trigger.wait();
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const auto utc_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
    const HeightFrame frame = snapshot_of(cell, part, {i, o.seed + n, o.first_frame + n, utc_ns});
    deliver(frame, o.format, DropFault::none, o.drop,
            fmt::format("{}_{}", frame.sensor_serial, frame.frame_id));
    say("virtual-part", fmt::format("snapshot {} of {} ({}, frame {})", i + 1, cell.positions_mm.size(), text,
                                    frame.frame_id));
    ++n;
  }
}

/// Displacement of the n-th part: n times `by`, as parts are never placed equally.
void displace(VirtualPartCell& cell, const std::vector<double>& by) {
  if (by.empty()) return;
  Eigen::Matrix4d off = Eigen::Matrix4d::Identity();
  off.topLeftCorner<3, 3>() = rotation_from_vector({0, 0, by[3] / 1000});
  off.topRightCorner<3, 1>() << by[0], by[1], by[2];
  cell.machine_from_part = cell.machine_from_part * off;
}

int run(const Options& o) {
  VirtualPartCell cell = load_part_cell(o.twin, o.calibration);
  for (const std::string& text : o.parts) parse_defects(text);  // validates all before the first trigger
  if (!o.parts.empty() && o.drop.empty() && !o.bores)
    throw std::invalid_argument("--part needs --drop FOLDER");
  if (o.only > cell.positions_mm.size())
    throw std::invalid_argument(fmt::format("--only {}: 1 to {}", o.only, cell.positions_mm.size()));
  if (!o.model.empty()) write_stl(o.model, part_facets(cell.shape, {}));
  if (o.positions)
    for (const Eigen::Vector3d& q : cell.positions_mm)
      fmt::print("{:.6g} {:.6g} {:.6g}\n", q.x(), q.y(), q.z());
  if (o.bores)
    for (const ScaledBore& b : bores_of(cell, parse_defects(o.parts.empty() ? "good" : o.parts.front())))
      fmt::print("{:.6f} {:.6f} {:.6f} {:.6f}\n", b.center_mm.x(), b.center_mm.y(), b.center_mm.z(),
                 b.radius_mm);
  std::fflush(stdout);
  if (o.drop.empty()) return 0;
  OrderPipe trigger(o.trigger);
  std::uint64_t n = 0;
  for (const std::string& text : o.parts) {
    displace(cell, o.displaced);
    deliver_part(o, cell, text, trigger, n);
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
  std::fprintf(stderr, "virtual-part: %s\n", e.what());
  return 1;
}
