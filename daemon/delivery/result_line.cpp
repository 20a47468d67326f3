#include "daemon/delivery/result_line.h"

#include <fmt/format.h>
#include <zlib.h>

#include <charconv>
#include <ctime>
#include <vector>

#include "drivers/frame/percent_text.h"

namespace datum {
namespace {

/// Separators of fields and of the checksum.
constexpr std::string_view separators = ",*";

std::string text_in_field(std::string_view field) {
  if (auto text = percent_decoded(field)) return *text;
  throw std::runtime_error("result line: '%' is not followed by two hex digits");
}

Decision decision_of(std::string_view word) {
  for (const auto d : {Decision::pass, Decision::inconclusive, Decision::fail, Decision::invalid})
    if (word == name_of(d)) return d;
  throw std::runtime_error(fmt::format("result line: decision '{}' is not known", word));
}

}  // namespace

std::int64_t utc_us_from_iso8601(const std::string& text) {
  const auto refuse = [&] {
    throw std::invalid_argument("'" + text + "' is not a time such as 2026-11-21T07:18:17.123Z");
  };
  std::tm t{};
  const char* rest = strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &t);
  if (!rest) refuse();
  std::int64_t us = 0;
  if (*rest == '.') {
    int digits = 0;
    for (++rest; *rest >= '0' && *rest <= '9'; ++rest, ++digits)
      if (digits < 6) us = us * 10 + (*rest - '0');
    if (digits == 0 || digits > 9) refuse();
    for (; digits < 6; ++digits) us *= 10;
  }
  if (std::string_view(rest) != "Z") refuse();
  return static_cast<std::int64_t>(timegm(&t)) * 1000000 + us;
}

std::string result_line(const BoardVerdict& verdict, LineCheck check) {
  if (verdict.sequence == 0 || verdict.store_id.empty())
    throw std::invalid_argument("a result is announced only after it was stored");
  const std::array<std::uint32_t, 4> n = component_counts(verdict);
  std::string boards;
  if (!verdict.boards.empty()) {
    const BoardCounts of = counts_of(verdict.boards);
    boards = fmt::format(",{},{},{},{},{}", of.of[0], of.of[1], of.of[2], of.of[3], of.skipped);
  }
  return with_crc(
      fmt::format("R,{},{},{},{},{},{},{},{},{},{}{}", verdict.store_id, verdict.sequence,
                  utc_us_from_iso8601(verdict.measured_at), percent_encoded(verdict.recipe, separators),
                  percent_encoded(verdict.frame_id, separators), name_of(verdict.decision), n[0], n[1], n[2],
                  n[3], boards),
      check);
}

std::string gap_line(const std::string& store_id, std::uint64_t from, std::uint64_t to, LineCheck check) {
  return with_crc(fmt::format("GAP,{},{},{}", store_id, from, to), check);
}

ResultLine parse_result_line(std::string_view line) {
  const auto f = checked_line(line).fields;
  if ((f.size() != 11 && f.size() != 16) || f[0] != "R")
    throw std::runtime_error("result line: not R with 10 fields, or 15 of a panel");
  ResultLine r;
  r.store_id = f[1];
  r.sequence = number_in_line<std::uint64_t>(f[2], "sequence");
  r.utc_us = number_in_line<std::int64_t>(f[3], "time");
  r.recipe = text_in_field(f[4]);
  r.frame = text_in_field(f[5]);
  r.decision = decision_of(f[6]);
  r.n_pass = number_in_line<std::uint32_t>(f[7], "pass count");
  r.n_inconclusive = number_in_line<std::uint32_t>(f[8], "inconclusive count");
  r.n_fail = number_in_line<std::uint32_t>(f[9], "fail count");
  r.n_invalid = number_in_line<std::uint32_t>(f[10], "invalid count");
  if (f.size() == 16) {
    BoardCounts& boards = r.boards.emplace();
    for (std::size_t i = 0; i < 4; ++i)
      boards.of[i] = number_in_line<std::uint32_t>(f[11 + i], "board count");
    boards.skipped = number_in_line<std::uint32_t>(f[15], "count of skipped boards");
  }
  return r;
}

}  // namespace datum
