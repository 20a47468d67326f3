#include "tests/virtual_cell/virtual_plc_answers.h"

#include <fmt/format.h>

#include <charconv>

namespace datum::plc {
namespace {

template <class T>
T number_of(std::string_view text, const char* what) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size())
    throw ProtocolError(fmt::format("{} '{}' is not a number", what, text));
  return value;
}

/// SCPI-99 numbers without value: 9.91E37 is not a number, +-9.9E37 are infinities.
std::optional<double> value_of(std::string_view text, const char* what) {
  const double v = number_of<double>(text, what);
  return v > 9.8e37 || v < -9.8e37 ? std::nullopt : std::optional(v);
}

std::string shown(const std::optional<double>& value, int decimals) {
  return value ? fmt::format("{:.{}f}", *value, decimals) : "-";
}

}  // namespace

std::uint16_t crc16(std::string_view text) {
  unsigned crc = 0xFFFF;
  for (unsigned char byte : text) {
    crc ^= byte;
    for (int bit = 0; bit < 8; ++bit) crc = crc & 1 ? crc >> 1 ^ 0xA001 : crc >> 1;
  }
  return static_cast<std::uint16_t>(crc);
}

bool is_pushed(std::string_view line) { return line.substr(0, 2) == "R," || line.substr(0, 4) == "GAP,"; }

ResultLine read_result(std::string_view line) {
  const auto star = line.rfind('*');
  if (star == std::string_view::npos) throw ProtocolError(fmt::format("result line without CRC: {}", line));
  const std::string expected = fmt::format("{:04X}", crc16(line.substr(0, star)));
  if (line.substr(star + 1) != expected)
    throw ProtocolError(
        fmt::format("result line with CRC {}, {} is right: {}", line.substr(star + 1), expected, line));
  const std::vector<std::string> f = split(line.substr(0, star));
  if ((f.size() != 11 && f.size() != 16) || f[0] != "R")
    throw ProtocolError(fmt::format("not a result line of 11 fields: {}", line));
  return {f[1], number_of<std::uint64_t>(f[2], "sequence"), f[4], f[5], f[6]};
}

std::vector<std::string> split(std::string_view answer) {
  std::vector<std::string> fields(1);
  char quote = 0;
  for (std::size_t i = 0; i < answer.size(); ++i) {
    const char c = answer[i];
    if (quote) {
      if (c != quote) {
        fields.back() += c;
      } else if (i + 1 < answer.size() && answer[i + 1] == quote) {
        fields.back() += answer[++i];
      } else {
        quote = 0;
      }
    } else if (c == '"') {
      quote = c;
    } else if (c == ',') {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  if (quote) throw ProtocolError(fmt::format("a quote is not closed: {}", answer));
  return fields;
}

Components read_components(std::string_view answer) {
  constexpr std::size_t per_row = 10;
  const std::vector<std::string> f = split(answer);
  if (f.size() < 2) throw ProtocolError(fmt::format("components: too short: {}", answer));
  Components c;
  c.sequence = number_of<std::uint64_t>(f[0], "sequence");
  const auto rows = number_of<std::size_t>(f[1], "number of rows");
  if (rows > f.size() || f.size() != 2 + rows * per_row)
    throw ProtocolError(fmt::format("components: {} rows announced, {} fields came", rows, f.size() - 2));
  for (std::size_t i = 2; i < f.size(); i += per_row) {
    c.rows.push_back({f[i], f[i + 1], f[i + 2], f[i + 3], value_of(f[i + 4], "value"),
                      value_of(f[i + 5], "U"), value_of(f[i + 6], "lower"), value_of(f[i + 7], "upper"),
                      f[i + 8], f[i + 9]});
  }
  return c;
}

int exit_code_of(std::string_view decision) {
  if (decision == "PASS") return 0;
  if (decision == "INCONCLUSIVE") return 10;
  return decision == "FAIL" ? 11 : 12;
}

std::string table_of(const std::vector<Row>& rows) {
  std::string out = fmt::format("{:<6} {:<11} {:>10} {:>8} {:>9} {:>9}  {:<8} {}\n", "ref", "what", "value",
                                "U (k=2)", "lower", "upper", "unit", "verdict");
  for (const Row& r : rows) {
    const int decimals = r.unit == "um" ? 2 : 0;
    std::string verdict = r.decision;
    if (r.reason != "NONE") verdict += " " + r.reason;
    if (!r.words.empty()) verdict += ": " + r.words;
    out += fmt::format("{:<6} {:<11} {:>10} {:>8} {:>9} {:>9}  {:<8} {}\n", r.reference, r.characteristic,
                       shown(r.value, decimals), shown(r.u_expanded, decimals), shown(r.lower, decimals),
                       shown(r.upper, decimals), r.unit, verdict);
  }
  return out;
}

}  // namespace datum::plc
