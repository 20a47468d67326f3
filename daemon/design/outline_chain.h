// Closed loops from the lines of an outline layer.
#pragma once

#include "daemon/design/design.h"

namespace datum::design {

/// Chains paths whose ends meet within 10 um. The loop of the largest area becomes design.outline, all others its cut-outs.
/// Paths that close no loop are refused with their open end; DesignError names `name`. No path: the outline stays empty.
void chain_outline(const std::vector<Polygon>& paths, const std::string& name, Design& design);

}  // namespace datum::design
