// "12.000, -3.500, 0.250" with each checksum and number format; the first byte selects them.
#include "tests/fuzz/cmm_bytes.h"

using namespace datum;

static CmmSettings positional(unsigned kind) {
  CmmSettings s;
  s.layout = Layout::positional;
  s.integrity = static_cast<Integrity>(kind & 3);
  if (kind & 4) s.framing.start = '<';
  if (kind & 8) s.number.decimals = 3;
  if (kind & 16) s.number.point = ',', s.delimiters = ";";
  if (kind & 32) s.unit_token = UnitToken::required;
  if (kind & 64) s.unit = LengthUnit::inch;
  for (int axis = 0; axis < 3; ++axis) {
    AxisSettings a;
    a.label = std::string(1, static_cast<char>('X' + axis));
    a.machine_axis = axis;
    s.axes.push_back(a);
  }
  return s;
}

DATUM_FUZZ_TARGET(cmm_positional) {
  if (bytes.empty()) return;
  fuzz::receive(positional(static_cast<unsigned char>(bytes.front())), bytes.substr(1));
}
