// A host's parser of datumd's command link, written from the protocol's description alone: a PLC shares no
// code with the daemon. Pure: text in, values out.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace datum::plc {

/// The line contradicts the protocol.
class ProtocolError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// CRC-16/MODBUS.
std::uint16_t crc16(std::string_view text);

/// R,<store id>,<sequence>,<utc us>,<recipe>,<frame>,<decision>,<n pass>,<n inconclusive>,<n fail>,<n
/// invalid>*<crc>
struct ResultLine {
  std::string store_id;
  std::uint64_t sequence = 0;
  std::string recipe, frame, decision;
};
/// Throws ProtocolError: CRC missing or wrong, fields missing.
ResultLine read_result(std::string_view line);
/// Whether a line starts with the letters of a pushed line (R or GAP) and is no answer.
bool is_pushed(std::string_view line);

/// Splits at commas outside quotes; removes quotes, halves doubled ones.
std::vector<std::string> split(std::string_view answer);

/// One row of FETCh:COMPonents?
struct Row {
  std::string reference, characteristic, decision, reason;
  std::optional<double> value, u_expanded, lower, upper;  // none: 9.91E37, +-9.9E37
  std::string unit, words;
};
struct Components {
  std::uint64_t sequence = 0;
  std::vector<Row> rows;
};
/// Throws ProtocolError where the number of fields contradicts the announced rows.
Components read_components(std::string_view answer);

/// Exit code of a verdict: PASS 0, INCONCLUSIVE 10, FAIL 11, INVALID (and any other text) 12.
int exit_code_of(std::string_view decision);

/// Rows as a table with headings: reference, characteristic, value, U (k = 2), limits, verdict.
std::string table_of(const std::vector<Row>& rows);

}  // namespace datum::plc
