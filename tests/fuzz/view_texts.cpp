// What datumd-view reads besides HTTP, and what it writes of strangers' texts: escaped, it is text in any context of a page.
#include "daemon/report/page_text.h"
#include "daemon/view/live_state.h"
#include "daemon/view/view_server.h"
#include "tests/fuzz/fuzz_target.h"

using namespace datum;

DATUM_FUZZ_TARGET(view_texts) {
  const std::string text(bytes);
  const std::string shown = escaped(text);
  fuzz::expect(shown.find_first_of("<>\"'") == shown.npos, "no markup");
  fuzz::expect(escaped(shown).find_first_of("<>\"'") == shown.npos, "none of what was shown before");
  for (const unsigned char c : shown)
    fuzz::expect((c >= 0x20 && c != 0x7F) || c == '\t' || c == '\n' || c == '\r', "no control character");
  fuzz::expect(
      url_part(text).find_first_not_of(
          "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-._~%") == std::string::npos,
      "a part of a URL");
  LiveState{"", read_metrics_text(text)}.state();
  is_own_host(text, {"cell-3"});
  try {
    fuzz::expect(!read_listen_place(text).address.empty(), "a place has an address");
  } catch (const std::invalid_argument&) {
  }
}
