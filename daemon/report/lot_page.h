// The page of a lot: yields, defects in order of their number, spreads by package, and its boards.
#pragma once

#include <string>

#include "daemon/report/heat_map.h"
#include "daemon/report/lot.h"
#include "daemon/report/page_template.h"

namespace datum {

struct LotPage {
  const Lot& lot;
  std::string choice;     // which results these are, in words
  std::string limited;    // why it is not all of them; empty: it is
  bool linked = false;    // with links to the other pages of datumd-view
  RecipeTexts recipes{};  // of the maps by place; null: none is kept
};

/// The body of the page.
std::string lot_page(const LotPage& page);

/// "95.0 %", or "95.0 to 97.5 %" where it is an interval; "-" of nothing.
std::string yield_text(const Yield& yield);

}  // namespace datum
