// Registration of boards against known placements: how often found, how far off, how well covered by its own uncertainty.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tests/statistics/placement_case.h"
#include "tests/statistics/placement_record.h"

namespace datum::statistics {

struct PlacementPlan {
  int placements = 1000;  // of each board
  double shift_mm = 2, rotation_deg = 3, place_mm = 0.01;
  double stretch_ppm = 0;  // above 0: boards stretched by up to so much, alignment.model = "affine"
  std::uint64_t seed = 1;
  std::optional<int> only;  // this placement alone
  unsigned threads = 1;
  std::string record;  // file that keeps each result; empty: none
};

struct PlacementTally {
  std::string board;
  int parts = 0;
  int designed = 0, found = 0;        // boards as designed, with enough marks
  int unmarked = 0;                   // others, with too few whole marks
  int beyond = 0, beyond_placed = 0;  // others, stretched by more than the recipe allows; found all the same
  int turned = 0, named = 0;          // turned by 180 degrees or mirrored; named so
  int foreign = 0, foreign_passed = 0,
      wrong_passed = 0;                      // another board; PASS of one; PASS of a turned or stretched one
  int foreign_placed = 0, wrong_placed = 0;  // found as designed: their verdict is one on the parts
  std::vector<double> off_um, off_mdeg;      // |error| of those found
  std::vector<double> own_um,
      own_mdeg;  // the same against the motion of their parts; with marks the error itself
  std::vector<double> shift_sigmas, turn_sigmas,
      stretch_sigmas;  // signed errors over their standard uncertainty; two shifts a board, three
                       // numbers of its stretch
  std::vector<double> cpu_ms;
  std::vector<std::string> missed;  // text of each board not found, wrongly passed
};

/// Placements that the record has are not measured again.
PlacementTally run_placements(const std::vector<PlacedBoard>& boards, std::size_t which,
                              const PlacementPlan& plan);

/// Share of errors within k = 2.
double share_covered(const std::vector<double>& sigmas);

/// A table, a row for each board, and what falls short; the exit status is 1 then.
void print_heading();
void print_row(const PlacementTally& tally);
int print_summary(const std::vector<PlacementTally>& tallies);

}  // namespace datum::statistics
