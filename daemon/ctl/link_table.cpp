#include "daemon/ctl/link_table.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "daemon/ctl/dialogue.h"

namespace datum {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t fields = 15;

std::uint64_t count_of(const std::string& text) {
  return static_cast<std::uint64_t>(number_of(text).value_or(0));
}

LinkRow row_of(const std::string* f) {
  return {f[0],
          f[1],
          f[2],
          f[3],
          f[4],
          number_of(f[5]),
          count_of(f[6]),
          count_of(f[7]),
          count_of(f[8]),
          number_of(f[9]),
          number_of(f[10]),
          number_of(f[11]),
          number_of(f[12]),
          f[13],
          number_of(f[14])};
}

Json or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

}  // namespace

std::vector<LinkRow> links_of(ScpiClient& host) {
  const std::vector<std::string> answer = ask(host, "DIAGnostic:LINKs:TABLe?");
  std::vector<LinkRow> rows;
  if (answer.size() == 1 && answer[0].empty()) return rows;
  if (answer.size() % fields != 0)
    throw std::runtime_error(
        fmt::format("DIAGnostic:LINKs:TABLe? answered {} fields, no multiple of {}", answer.size(), fields));
  for (std::size_t i = 0; i < answer.size(); i += fields) rows.push_back(row_of(&answer[i]));
  return rows;
}

std::string link_text(const LinkRow& l) {
  std::string text = fmt::format("{}, {}: {}", l.kind.empty() ? l.name : l.kind, l.peer, l.state);
  if (l.since_s) text += fmt::format(" since {:.1f} s", *l.since_s);
  if (l.delivered_s) text += fmt::format(", delivered {:.1f} s ago", *l.delivered_s);
  if (l.attempts > 0 && l.state != "OPEN") text += fmt::format(", {} attempts", l.attempts);
  if (l.lost > 0) text += fmt::format(", lost {} times", l.lost);
  if (l.clock_offset_s && l.clock_uncertainty_us)
    text += fmt::format(", clock {:+.6f} s within {:.1f} us", *l.clock_offset_s, *l.clock_uncertainty_us);
  if (!l.trouble.empty()) return text + "; " + l.trouble;
  if (!l.last_error.empty() && l.last_error_s)
    text += fmt::format("; last error {:.1f} s ago: {}", *l.last_error_s, l.last_error);
  return text;
}

Json link_json(const LinkRow& l) {
  return {{"name", l.name},
          {"kind", l.kind},
          {"peer", l.peer},
          {"state", l.state},
          {"trouble", l.trouble},
          {"since_s", or_null(l.since_s)},
          {"opened", l.opened},
          {"lost", l.lost},
          {"attempts", l.attempts},
          {"heard_age_s", or_null(l.heard_s)},
          {"delivered_age_s", or_null(l.delivered_s)},
          {"clock_offset_s", or_null(l.clock_offset_s)},
          {"clock_uncertainty_us", or_null(l.clock_uncertainty_us)},
          {"last_error", l.last_error},
          {"last_error_age_s", or_null(l.last_error_s)}};
}

}  // namespace datum
