// Configurable formats beyond the presets: line ends, check digits, number formats, a regular expression, watches. The
// first two bytes select them.
#include "drivers/cmm/presets.h"
#include "tests/fuzz/cmm_bytes.h"

using namespace datum;

static void frame(CmmSettings& s, unsigned kind) {
  s.integrity = static_cast<Integrity>(kind & 7);
  if (kind & 8) s.framing.start = '<';
  if (kind & 16) s.framing.end = '>';
  if (s.integrity == Integrity::xor_byte) return;
  if ((kind & 96) == 32) s.framing.terminator.clear(), s.framing.gap_ms = 15;
  if ((kind & 96) == 64) s.framing.terminator.clear(), s.framing.fixed_length = 12, s.framing.start = '<';
}

static CmmSettings custom(unsigned framing, unsigned kind) {
  CmmSettings s = marlin();
  s.poll.strings.clear();
  frame(s, framing);
  if (kind & 1) s.number.group = ' ';
  if (kind & 2) s.number.exponent = true;
  if (kind & 4) s.watch = {100, 3, 2};
  if (kind & 8) s.layout = Layout::labelled, s.expression.clear();
  if (kind & 16) s.expression = s.expression.empty() ? "" : "(?<X>(?:.+)+)/(?<Y>(?:.+)+)/(?<Z>.+)";
  if (kind & 32)
    s.poll = proscale().poll, s.poll.strings = {"?", "!"}, s.poll.accepted = '\x06', s.poll.rejected = '\x15';
  if (kind & 64) s.axes.resize(4), s.axes[3].label = "E", s.axes[3].machine_axis = no_machine_axis;
  if (kind & 64) s.layout = Layout::labelled, s.expression.clear();
  return s;
}

DATUM_FUZZ_TARGET(cmm_custom) {
  if (bytes.size() < 2) return;
  fuzz::receive(custom(static_cast<unsigned char>(bytes[0]), static_cast<unsigned char>(bytes[1])),
                bytes.substr(2));
}
