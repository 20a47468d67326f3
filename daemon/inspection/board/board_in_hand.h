// One board of a frame between its placement and its verdict, so that the boards of a panel are measured in one call.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "daemon/inspection/board/pipeline.h"
#include "daemon/inspection/board/pipeline_alignment.h"
#include "daemon/inspection/board/pipeline_parts.h"
#include "daemon/inspection/board/site_scan.h"
#include "daemon/inspection/verdict/placement_budget.h"

namespace datum {

/// Borrows frame and recipe.
struct BoardInHand {
  InspectionInputs in;  // with the board's own recipe
  BoardVerdict verdict;
  Htm<Board, Sensor> placement;
  BoardView view;
  std::optional<RegisteredPlace> registered;
  std::optional<Refusal> why;  // it can't be measured
  std::shared_ptr<const PlannedBoard> planned;
  std::unique_ptr<SiteScan> scan;
  std::shared_ptr<const Recipe> stretched;  // `in.recipe` is this one, where the board is stretched
  std::string correlated_by = {};           // who correlated its alignment; empty: nobody is to be named
};

/// The board where the recipe and the stage's position put it.
BoardInHand board_as_stated(BoardVerdict v, const HeightFrame& frame, const InspectionInputs& in);

/// Moves it to where its alignment found it, or notes why it can't.
void move_board(BoardInHand& board, const HeightFrame& frame, const BoardShift& shift);

/// The board at its place, by its alignment where the recipe has one.
BoardInHand place_board(BoardVerdict v, const HeightFrame& frame, const InspectionInputs& in);

/// Finds its pixels, or takes them from the cache.
void plan_sites(BoardInHand& board, const HeightFrame& frame);

/// Measures the planned boards; those with `why` are left out. The same bytes as one board after the other.
void measure_boards(std::span<BoardInHand> boards, const HeightFrame& frame, BoardMeasurer& measurer,
                    unsigned threads);

/// Its verdict, INVALID with `why` where it has one.
BoardVerdict judge_board(BoardInHand& board, const HeightFrame& frame, const BoardMeasurer& measurer);

}  // namespace datum
