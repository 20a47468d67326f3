#include "daemon/pictures/picture_panel.h"

#include "daemon/inspection/board/pipeline_alignment.h"
#include "daemon/pictures/picture_parts.h"

namespace datum::picture {
namespace {

constexpr Rgb skipped_color{110, 114, 122};

Htm<Board, Board> motion_of(const PanelBoard& board) {
  const Htm<Board, Sensor> back = moved(Htm<Board, Sensor>(Eigen::Matrix4d::Identity()), board.stages);
  return Htm<Board, Board>(back.inverse().matrix());
}

}  // namespace

Recipe panel_as_seen(const Recipe& recipe, const BoardVerdict& verdict) {
  std::vector<Htm<Board, Board>> lies;
  std::vector<bool> skipped;
  for (const PanelBoard& board : verdict.boards) {
    // A board that was refused was measured nowhere: it is shown at its place.
    lies.push_back(board.reason == Reason::none ? motion_of(board)
                                                : Htm<Board, Board>(Eigen::Matrix4d::Identity()));
    skipped.push_back(!board.decision);
  }
  return panel_as_board(recipe, lies, skipped);
}

void draw_boards(Page& page, const BoardWindow& window, const Recipe& recipe, const BoardVerdict& verdict) {
  const PanelRecipe& panel = *recipe.panel;
  page.clipped(window.box(), [&] {
    for (std::size_t i = 0; i < std::min(panel.places.size(), verdict.boards.size()); ++i) {
      const PanelBoard& board = verdict.boards[i];
      const std::vector<PagePoint> outline =
          window.corners(on_panel(panel.places[i], {recipe.board_size_mm / 2, recipe.board_size_mm, 0}));
      const Pen pen = board.decision ? pen_of(*board.decision) : Pen{skipped_color, 1.5};
      draw_cased(page, outline, pen);
      if (!board.decision)
        for (const std::size_t k : {0u, 1u}) page.line({outline[k], outline[k + 2]}, pen);
      const std::string text = board.name + " " + word_of(board);
      double left = outline[0].x, bottom = outline[0].y;
      for (const PagePoint& p : outline) left = std::min(left, p.x), bottom = std::max(bottom, p.y);
      const PageBox box{left + 2, bottom - Page::height_of(small) - 3, Page::width_of(text, small) + 4,
                        Page::height_of(small) + 1};
      page.fill(box, paper);
      page.text({box.x + 2, box.y}, text, board.decision ? color_of(*board.decision) : skipped_color, small);
    }
  });
}

}  // namespace datum::picture
