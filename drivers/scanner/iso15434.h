// ISO/IEC 15434 transfer syntax: the envelope that a two-dimensional symbol carries,
//
//   [)> RS  06 GS field GS field ... RS  EOT        RS 0x1E, GS 0x1D, EOT 0x04
//
// Of its formats only 06 is read: fields that begin with a data identifier of ISO/IEC 15418 (ANSI MH10.8.2), at most three digits and a
// letter: S serial number, 1P part number, 1T lot.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace datum {

struct DataField {
  std::string identifier, value;
};

struct Iso15434 {
  std::vector<DataField> fields;  // of all envelopes of format 06, in their order
  std::string fault;              // empty: it is a whole envelope
};

/// It begins like one.
bool is_iso15434(std::string_view bytes);
/// Never throws: what is wrong stands in `fault`.
Iso15434 parse_iso15434(std::string_view bytes);

}  // namespace datum
