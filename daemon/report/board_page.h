// The page of one board: its decision and why, each check worst first, the floors, and what made the result.
#pragma once

#include <string>

#include "daemon/report/page_template.h"
#include "daemon/store/result_store.h"

namespace datum {

/// Word and shape of a decision, so that it is told without colour: `decision`, `class`, `symbol`.
void set_decision(PageData& data, Decision decision);

struct BoardPage {
  const StoredResult& result;
  std::string chain_sha256;  // of its entry; empty: none
  std::string picture;       // URL of its picture, or a data: URL; empty: none
  bool linked = false;       // with links to the other pages of datumd-view
};

/// The body of the page. A result whose JSON can't be read as a verdict becomes a page that says so. Every number is in the page
/// twice: rounded by its uncertainty for people, and with all digits of the store as the value of its <data> element.
std::string board_page(const BoardPage& page);

/// "data:image/png;base64,..." of a PNG's bytes.
std::string png_url(const std::string& bytes);

}  // namespace datum
