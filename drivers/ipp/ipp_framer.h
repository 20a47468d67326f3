// IppFramer: lines from the bytes of an I++ DME server. No I/O, no clock.
//
// Line layer of I++ DME 1.4.3: characters 32 to 126, ended by CR LF as a pair; columns 1 to 5 the tag, 6 a
// blank, 7 the mark, 8 a blank if text follows. "#data" without that blank occurs and is accepted.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "drivers/frame/probe_point.h"

namespace datum {

/// Fault of a line, whose text is then not used.
enum class IppFault : std::uint8_t {
  none,
  too_long,    // dropped up to the next CR LF
  character,   // outside 32 to 126
  terminator,  // a CR or LF alone
  tag,         // not five digits, nor E and four digits, and a blank
  mark,        // none of & % # !
};
const char* name_of(IppFault fault);

enum class IppMark : char { acknowledge = '&', complete = '%', data = '#', error = '!' };

struct IppLine {
  std::string tag;  // "00012", "E0007"; unsolicited: "E0000"
  IppMark mark = IppMark::acknowledge;
  std::string text;  // after the mark, without surrounding blanks
  IppFault fault = IppFault::none;
  MonotonicNs first_byte_ns = 0, last_byte_ns = 0;

  bool event() const { return !tag.empty() && tag[0] == 'E'; }
  bool unsolicited() const { return tag == "E0000"; }
};

/// Five digits 00001 to 99999, or E and four digits.
bool is_ipp_tag(const std::string& tag);

class IppFramer {
 public:
  /// The standard allows 65536 characters, and servers of version 2.5 send longer XML. Lines with positions
  /// are far shorter.
  static constexpr std::size_t longest = 1 << 20;

  explicit IppFramer(std::size_t most = longest) : most_(most) {}

  /// The link was opened: clears the buffer.
  void reset();
  std::optional<IppLine> push(std::uint8_t byte, MonotonicNs at);

 private:
  IppLine finish(MonotonicNs at);

  std::size_t most_;
  std::string text_;
  IppFault fault_ = IppFault::none;
  bool carriage_return_ = false;
  MonotonicNs first_byte_ns_ = 0;
};

}  // namespace datum
