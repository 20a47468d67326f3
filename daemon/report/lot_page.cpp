#include "daemon/report/lot_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "daemon/report/board_page.h"
#include "daemon/report/page_text.h"

namespace datum {
namespace {

constexpr std::size_t most_causes = 15;
constexpr double bar_px = 240;

PageData counts_data(const DecisionCounts& counts) {
  PageData rows = PageData::type::list;
  for (const auto d : {Decision::pass, Decision::inconclusive, Decision::fail, Decision::invalid}) {
    const std::size_t n = counts[static_cast<std::size_t>(d)];
    PageData row = texts({{"count", std::to_string(n)}, {"share", percent_of(n, total(counts))}});
    set_decision(row, d);
    rows.push_back(row);
  }
  return rows;
}

/// A chart and a table in one: each row has its bar.
PageData pareto(const char* id, const char* title, const char* of, const std::vector<Cause>& causes) {
  std::size_t all = 0, largest = 1, so_far = 0;
  for (const Cause& c : causes) {
    all += c.count;
    largest = std::max(largest, c.count);
  }
  PageData rows = PageData::type::list;
  for (const Cause& c : causes) {
    so_far += c.count;
    rows.push_back(
        texts({{"name", c.name},
               {"count", std::to_string(c.count)},
               {"share", percent_of(c.count, all)},
               {"so_far", percent_of(so_far, all)},
               {"width", coordinate(bar_px * static_cast<double>(c.count) / static_cast<double>(largest))}}));
  }
  PageData data = texts({{"id", id}, {"title", title}, {"of", of}, {"all", std::to_string(all)}});
  data.set("any", !causes.empty());
  data.set("rows", rows);
  return data;
}

PageData spread_data(const Spread& s, const Axis& axis) {
  const FiveNumbers& f = s.shares;
  const auto at = [&](double share) { return coordinate(axis.at(std::clamp(share, axis.from, axis.to))); };
  PageData row = texts({{"package", s.package.empty() ? "(no package)" : s.package},
                        {"what", s.what},
                        {"n", std::to_string(f.n)},
                        {"not_measured", std::to_string(s.not_measured)},
                        {"x_least", at(f.least)},
                        {"x_first", at(f.first_quartile)},
                        {"x_median", at(f.median)},
                        {"x_most", at(f.most)},
                        {"width", coordinate(axis.at(std::clamp(f.third_quartile, axis.from, axis.to)) -
                                             axis.at(std::clamp(f.first_quartile, axis.from, axis.to)))},
                        {"x_lower", at(-100)},
                        {"x_upper", at(100)},
                        {"x_middle", at(0)}});
  const auto number = [&](const char* name, double value) {
    row.set(std::string(name), all_digits(value));
    row.set(std::string(name) + "_shown", fmt::format("{:.1f}", value));
  };
  number("least", f.least);
  number("first", f.first_quartile);
  number("median", f.median);
  number("third", f.third_quartile);
  number("most", f.most);
  return row;
}

PageData spreads_data(const std::vector<Spread>& spreads) {
  double reach = 120;
  for (const Spread& s : spreads) reach = std::max({reach, -s.shares.least, s.shares.most});
  const Axis axis{-std::min(reach, 300.0), std::min(reach, 300.0), 4, 316};
  PageData rows = PageData::type::list;
  for (const Spread& s : spreads) rows.push_back(spread_data(s, axis));
  return rows;
}

/// The boards of a panel by place, each with its own serial number.
void set_panel(PageData& row, const std::vector<LotBoard::PanelPlace>& panel) {
  PageData places = PageData::type::list;
  std::map<std::string, std::size_t> counts;
  for (const LotBoard::PanelPlace& p : panel) {
    ++counts[p.word];
    PageData place = texts({{"name", p.name},
                            {"unit", p.unit_id},
                            {"word", p.word},
                            {"why", p.why},
                            {"attempt", std::to_string(p.attempt)}});
    place.set("has_attempt", p.attempt > 0);
    place.set("has_why", !p.why.empty());
    places.push_back(place);
  }
  std::string summary = fmt::format("{} boards:", panel.size());
  for (const auto& [word, n] : counts) summary += fmt::format(" {} {}", n, word);
  row.set("is_panel", !panel.empty());
  row.set("summary", summary);
  row.set("panel", places);
}

PageData boards_data(const LotPage& page) {
  PageData rows = PageData::type::list;
  for (const LotBoard& b : page.lot.boards()) {
    PageData row = texts({{"sequence", std::to_string(b.sequence)},
                          {"measured_at", b.measured_at},
                          {"unit", b.unit_id},
                          {"recipe", b.recipe},
                          {"why", b.why},
                          {"attempt", std::to_string(b.attempt)}});
    row.set("is_again", b.attempt > 1);
    set_decision(row, b.decision);
    set_panel(row, b.panel);
    rows.push_back(row);
  }
  return rows;
}

}  // namespace

std::string yield_text(const Yield& y) {
  if (y.of == 0 || y.least == y.most) return percent_of(y.least, y.of);
  const std::string least = percent_of(y.least, y.of);
  return least.substr(0, least.size() - 2) + " to " + percent_of(y.most, y.of);
}

std::string lot_page(const LotPage& page) {
  const Lot& lot = page.lot;
  const std::size_t n = lot.left_out();
  const std::string left_out =
      n > 0 ? fmt::format("; without {} result{} of gauge studies", n, n == 1 ? "" : "s") : "";
  const Lot::Units units = lot.units();
  const auto& boards = lot.boards();
  PageData data = texts(
      {{"choice", page.choice + left_out},
       {"limited", page.limited},
       {"number", std::to_string(boards.size())},
       {"from", boards.empty() ? "-" : boards.front().measured_at},
       {"to", boards.empty() ? "-" : boards.back().measured_at},
       {"first", boards.empty() ? "-" : std::to_string(boards.front().sequence)},
       {"last", boards.empty() ? "-" : std::to_string(boards.back().sequence)},
       {"unreadable", std::to_string(lot.unreadable())},
       {"entered", std::to_string(units.entered)},
       {"before", std::to_string(units.before)},
       {"all_units", std::to_string(units.final.of)},
       {"retests", std::to_string(units.retests)},
       {"retested", std::to_string(units.retested)},
       {"reworks", std::to_string(units.reworks)},
       {"reworked", std::to_string(units.reworked)},
       {"retest_pass", std::to_string(units.retest_pass)},
       {"invalid_first", std::to_string(units.first[static_cast<std::size_t>(Decision::invalid)])},
       {"yield", yield_text({lot.decisions()[0], lot.decisions()[0] + lot.decisions()[1], boards.size()})},
       {"first_pass", yield_text(units.first_pass)},
       {"first_pass_count", std::to_string(units.first_pass.least)},
       {"final", yield_text(units.final)},
       {"final_count", std::to_string(units.final.least)},
       {"components", std::to_string(total(lot.components()))},
       {"checks", std::to_string(lot.checks())}});
  data.set("linked", page.linked);
  data.set("any", !boards.empty());
  data.set("has_unreadable", lot.unreadable() > 0);
  data.set("is_limited", !page.limited.empty());
  data.set("decisions", counts_data(lot.decisions()));
  data.set("component_decisions", counts_data(lot.components()));
  PageData charts = PageData::type::list;
  charts.push_back(
      pareto("by_reason", "Defects by reason", "checks without PASS", lot.by_reason(most_causes)));
  charts.push_back(pareto("by_component", "Defects by component", "components without PASS",
                          lot.by_component(most_causes)));
  charts.push_back(
      pareto("by_package", "Defects by package", "components without PASS", lot.by_package(most_causes)));
  data.set("charts", charts);
  const auto spreads = lot.spreads();
  data.set("has_spreads", !spreads.empty());
  data.set("spreads", spreads_data(spreads));
  data.set("boards", boards_data(page));
  return render("lot", data) + heat_maps(lot, page.recipes) + render("lot_boards", data);
}

std::string lot_document(const LotPage& page, const std::string& store_id) {
  const auto& boards = page.lot.boards();
  PageFrame frame;
  frame.title = fmt::format("Lot of {} boards", boards.size());
  if (!boards.empty())
    frame.footer = fmt::format("Results {} to {} of store {}", boards.front().sequence,
                               boards.back().sequence, store_id);
  return whole_page(frame, lot_page(page));
}

std::string lot_choice(const std::string& recipe, const std::string& from, const std::string& to,
                       std::uint64_t first, std::uint64_t last) {
  std::string text = recipe.empty() ? "All recipes" : "Recipe " + recipe;
  if (!from.empty()) text += ", from " + from;
  if (!to.empty()) text += ", to " + to;
  if (first > 0) text += fmt::format(", from result {}", first);
  if (last > 0) text += fmt::format(", to result {}", last);
  return text;
}

}  // namespace datum
