// placements: registration of boards against known placements. Exit status 1 where a board falls short.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <thread>

#include "config/program_options.h"
#include "tests/statistics/placement_campaign.h"
#include "tests/statistics/placement_holes.h"
#include "tests/statistics/placement_marks.h"

int main(int argc, char** argv) {
  using namespace datum::statistics;  // NOLINT(google-build-using-namespace): a program's one file
  datum::ProgramOptions app("Registration of boards' twins against known placements.");
  PlacementPlan plan;
  plan.threads = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::string> files;
  std::string twin;
  int most_px = 2000;
  bool fiducials = false, holes = false;
  double holes_offset_um = datum::AlignmentRecipe{}.holes_offset_um;
  app.add_option("boards", files, "RECIPE or RECIPE,DESIGN").required();
  app.add_option("--twin", twin, "the twin's file").required();
  app.add_option("--placements", plan.placements, "of each board").show_default();
  app.add_option("--place-mm", plan.place_mm, "standard deviation of the parts' places").show_default();
  app.add_flag("--fiducials", fiducials, "boards with marks in their intensity image");
  app.add_flag("--holes", holes, "boards with drilled holes and a routed outline");
  app.add_option("--holes-offset-um", holes_offset_um,
                 "standard deviation of what all holes are displaced by")
      .show_default();
  app.add_option("--record", plan.record,
                 "file of single results: a run with the same file goes on where it ended");
  app.add_option("--stretch-ppm", plan.stretch_ppm,
                 "largest scale and shear of the boards, registered as affine")
      .show_default();
  app.add_option("--pixels", most_px, "along the longer side").show_default();
  app.add_option("--seed", plan.seed).show_default();
  app.add_option("--only", plan.only, "number of one placement, from 0; its text is printed");
  app.add_option("--threads", plan.threads).show_default();
  if (const auto ended = app.read(argc, argv)) return *ended;
  try {
    std::vector<PlacedBoard> boards;
    for (const std::string& file : files) {
      const auto comma = file.find(',');
      boards.push_back(load_placed_board(
          file.substr(0, comma), comma == std::string::npos ? "" : file.substr(comma + 1), twin, most_px));
      PlacedBoard& board = boards.back();
      const double pixel_mm = board.cell.view.x.scale_mm;
      if (fiducials) board.marks = marks_of(board.recipe, pixel_mm);
      if (!holes) continue;
      board.holes_offset_um = holes_offset_um;
      board.holes = holes_of(board.recipe, board.cell.nominal.relief, board.marks, pixel_mm);
      board.edges = whole_sides_of(board.recipe, board.cell.nominal.relief);
    }
    std::vector<PlacementTally> tallies;
    print_heading();
    for (std::size_t i = 0; i < boards.size(); ++i) {
      tallies.push_back(run_placements(boards, i, plan));
      print_row(tallies.back());
    }
    return print_summary(tallies);
  } catch (const std::exception& e) {
    fmt::print(stderr, "placements: {}\n", e.what());
    return 2;
  }
}
