// The page of a lot: yields, defects in order of their number, spreads by package, and its boards.
#pragma once

#include <cstdint>
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

/// The same as a file of its own, of results of this store.
std::string lot_document(const LotPage& page, const std::string& store_id);

/// Which results a lot has, in words; what is empty or 0 is not said.
std::string lot_choice(const std::string& recipe, const std::string& from, const std::string& to,
                       std::uint64_t first, std::uint64_t last);

/// "95.0 %", or "95.0 to 97.5 %" where it is an interval; "-" of nothing.
std::string yield_text(const Yield& yield);

}  // namespace datum
