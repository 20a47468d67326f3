// The serial number of a board whose measurement begins: stated before its trigger, by its delivery, or by a code that the frame shows.
#pragma once

#include <future>
#include <string>

#include "daemon/cell/board.h"
#include "drivers/codes/code_reader.h"
#include "drivers/scanner/settings.h"

namespace datum {

/// What the recipe's [serial.code] region says.
struct CodeFinding {
  std::string text;      // the number; empty: none
  std::string read_hex;  // the code's bytes, lower-case hex
  std::string fault;     // why the board's number is in doubt; empty: it is not
};

/// The number that was stated; one in doubt refuses the board (SERIAL).
void settle_stated_serial(BoardOrder& order);
/// A board that has no number becomes what its recipe says.
void settle_missing_serial(BoardOrder& order);
/// What the verdict says of its number; the store counts attempts.
SerialEvidence serial_evidence(const BoardOrder& order);
/// The serial numbers of a panel's boards as a host stated them for this trigger stand in for those of the delivery.
void settle_panel_serials(BoardOrder& order);

/// Looks at the code where the board lies by the recipe, or by the `stages` of its verdict where they found it elsewhere. Not valid: there is
/// nothing to look at. The order's frame and reader outlive it; the rest is read before it returns.
std::future<CodeFinding> look_at_code(const BoardOrder& order, const InspectionInputs& in,
                                      const std::vector<StepRecord>& stages);
/// The number that all codes of one picture name.
CodeFinding read_code(const CodeReader& reader, const GreyImage& image, const ScanPayload& payload);
/// The code's number is the board's; another one than was stated, and a stated one that no code confirms, refuse the board (SERIAL).
void settle_code(BoardOrder& order, const CodeFinding& found);

}  // namespace datum
