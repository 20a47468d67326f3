// The boards of a panel in its picture.
#pragma once

#include "daemon/inspection/recipe/panel_recipe.h"
#include "daemon/inspection/verdict/verdict.h"
#include "daemon/pictures/page.h"
#include "daemon/pictures/picture_map.h"

namespace datum::picture {

/// panel_as_board() with each board where its registration found it, without the parts of skipped boards.
Recipe panel_as_seen(const Recipe& recipe, const BoardVerdict& verdict);

/// Outlines of the boards at their places, with name and verdict; a skipped board is crossed out.
void draw_boards(Page& page, const BoardWindow& window, const Recipe& recipe, const BoardVerdict& verdict);

}  // namespace datum::picture
