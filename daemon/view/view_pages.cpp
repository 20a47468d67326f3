#include "daemon/view/view_pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "config/utc_time.h"
#include "daemon/inspection/verdict/known_verdict.h"
#include "daemon/pictures/picture_name.h"
#include "daemon/report/board_page.h"
#include "daemon/report/lot_page.h"
#include "daemon/report/page_text.h"
#include "daemon/store/result_export.h"
#include "daemon/store/studied_results.h"
#include "daemon/view/component_chart.h"
#include "daemon/view/newest_boards.h"
#include "daemon/view/result_index.h"
#include "daemon/view/result_reader.h"
#include "daemon/view/study_pages.h"

namespace datum {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_in_lot = 2000, usual_lot = 200, most_found = 200, most_names = 2000,
                      newest_values = 30, most_days = 366;
constexpr int boards_refresh_s = 5, health_refresh_s = 10, component_refresh_s = 60;
constexpr std::uintmax_t most_picture_bytes = 32u << 20;

PageFrame titled(const std::string& title, int refresh_s = 0) {
  PageFrame frame;
  frame.title = title;
  frame.refresh_s = refresh_s;
  return frame;
}

PageAnswer fault(int status, const std::string& title, const std::string& words) {
  return fault_page(titled(title, status >= 500 ? health_refresh_s : 0), words, status);
}

void set_live(PageData& data, const LiveState& live) {
  const std::string state = live.state();
  data.set("is_live", live.fault.empty() && !state.empty());
  data.set("state", state);
  data.set("armed", live.value("datumd_armed") == 1.0 && state != "ARMED");
  data.set("fault", live.fault.empty() ? "its metrics do not name a state" : live.fault);
}

}  // namespace

PageAnswer ViewPages::answer(const PageRequest& request) const {
  try {
    return answered(request);
  } catch (const BadRequest& error) {
    return fault(400, "Not understood", error.what());
  } catch (const std::invalid_argument& error) {
    return fault(400, "Not understood", error.what());
  } catch (const PageTimeout&) {
    return fault(
        503, "Too much for one page",
        fmt::format("Reading took longer than {} ms. Ask for fewer results.", settings_.page_limit.count()));
  } catch (const StoreError& error) {
    return fault(503, "No results", error.what());
  } catch (const std::exception& error) {
    return fault(500, "Fault", error.what());
  }
}

PageAnswer ViewPages::answered(const PageRequest& request) const {
  const std::string& path = request.path;
  const auto below = [&](const std::string& folder) -> std::optional<std::string> {
    return path.starts_with(folder) ? std::optional(path.substr(folder.size())) : std::nullopt;
  };
  if (path == "/") return boards_page(request);
  if (path == "/style.css") return {200, "text/css; charset=utf-8", page_style(), false};
  if (path == "/lot") return lot(request);
  if (path == "/component") return component(request);
  if (path == "/search") return search(request);
  if (path == "/calibrations") return calibrations();
  if (path == "/studies") return whole(titled("Studies"), studies_page(studies(), settings_.page_limit));
  if (path == "/study") return study(asked(request, "id"));
  if (path == "/health") return health(request);
  if (const auto number = below("/board/")) return board(*number);
  if (const auto number = below("/picture/")) return picture(*number);
  return fault(404, "No such page", "The pages are named at the top.");
}

std::string ViewPages::read(const std::function<std::string(ResultReader&)>& make) const {
  return read_page(settings_.store, settings_.page_limit, make);
}

ResultIndex ViewPages::index() const {
  std::error_code ignored;
  if (!fs::exists(settings_.index, ignored))
    throw StoreError(StoreError::Kind::missing,
                     "the index of the results is not made yet; the boards' own pages need none");
  return {settings_.index, ResultIndex::Access::reading};
}

std::optional<ResultIndex> ViewPages::index_if_any() const {
  try {
    return index();
  } catch (const StoreError&) {
    return std::nullopt;
  }
}

std::string ViewPages::lag(ResultIndex& index) const {
  const auto has = index.progress();
  ResultReader store(settings_.store, settings_.page_limit);
  const auto extent = store.extent();
  if (has.store_id != store.store_id()) return "The index of the results is being made.";
  if (has.last >= extent.last) return "";
  return fmt::format("The index of the results has come to result {} of {}; newer ones are missing here.",
                     has.last, extent.last);
}

PageAnswer ViewPages::boards_page(const PageRequest& request) const {
  const LiveState live = settings_.live();
  std::optional<ResultIndex> index = index_if_any();
  const std::string body = read([&](ResultReader& store) {
    const bool indexed = index && index->progress().store_id == store.store_id();
    PageData data;
    set_live(data, live);
    set_newest_boards(data, store, indexed ? &*index : nullptr, settings_.pictures);
    return render("boards", data);
  });
  return refreshing(request, titled("Boards", boards_refresh_s), body);
}

PageAnswer ViewPages::board(const std::string& number) const {
  const auto sequence = whole_number_of(number);
  std::string title;
  const std::string body = !sequence ? "" : read([&](ResultReader& store) -> std::string {
    const auto found = store.get(*sequence);
    if (!found) return "";
    title = fmt::format("Board {} {}", found->sequence, name_of(found->decision));
    std::error_code ignored;
    const bool drawn =
        !settings_.pictures.empty() &&
        fs::exists(settings_.pictures / picture_name(found->sequence, found->decision), ignored);
    return board_page({*found, store.chain_sha256(*sequence), drawn ? "/picture/" + number : "", true});
  });
  if (body.empty()) return fault(404, "No such result", "Result " + number + " is not stored.");
  return whole(titled(title), body);
}

PageAnswer ViewPages::picture(const std::string& number) const {
  const auto sequence = whole_number_of(number);
  PageAnswer answer{200, "image/png", "", true};
  if (sequence && !settings_.pictures.empty()) {
    const std::string name = read([&](ResultReader& store) {
      const auto found = store.get(*sequence);
      return found ? picture_name(found->sequence, found->decision) : "";
    });
    const fs::path file = settings_.pictures / name;
    std::error_code failed;
    if (!name.empty() && fs::is_regular_file(file, failed) &&
        fs::file_size(file, failed) <= most_picture_bytes) {
      std::ifstream in(file, std::ios::binary);
      answer.body.assign(std::istreambuf_iterator<char>(in), {});
    }
  }
  return answer.body.empty() ? fault(404, "No such picture", "No picture of result " + number + " is kept.")
                             : answer;
}

PageAnswer ViewPages::lot(const PageRequest& request) const {
  const std::string recipe = asked(request, "recipe"), from = asked(request, "from"),
                    to = asked(request, "to");
  const std::size_t most = asked_number(request, "most", usual_lot, most_in_lot);
  ResultIndex index = this->index();
  auto chosen = index.choice(recipe, from.empty() ? "" : from_bound(from), to.empty() ? "" : before_bound(to),
                             most + 1);
  const bool is_cut = chosen.size() > most;
  if (is_cut) chosen.erase(chosen.begin());
  Lot lot;
  lot.leave_out(studied_results(studies(), index.progress().store_id));
  index.add_to(lot, chosen, std::chrono::steady_clock::now() + settings_.page_limit);
  const std::string limited = lag(index);
  const std::string body = read([&](ResultReader& store) {
    LotPage page{lot, recipe.empty() ? "All recipes" : "Recipe " + recipe, limited, true,
                 [&store](const std::string& sha256) { return store.recipe_text(sha256); }};
    if (!from.empty()) page.choice += ", from " + from;
    if (!to.empty()) page.choice += ", to " + to;
    if (is_cut) page.limited += fmt::format(" Only the newest {} of this choice.", most);
    return lot_page(page);
  });
  PageData form = texts({{"from", from},
                         {"to", to},
                         {"most", std::to_string(most)},
                         {"most_allowed", std::to_string(most_in_lot)}});
  form.set("recipes", names_data(index.recipes(most_names), recipe));
  return whole(titled("Lot"), render("lot_choice", form) + body);
}

PageAnswer ViewPages::component(const PageRequest& request) const {
  ComponentHistory history;
  history.name = {asked(request, "recipe"), asked(request, "reference"), asked(request, "what")};
  const std::size_t days = asked_number(request, "days", most_days, most_days);
  ResultIndex index = this->index();
  PageData data = texts(
      {{"recipe", history.name.recipe}, {"reference", history.name.reference}, {"what", history.name.what}});
  data.set("recipes", names_data(index.recipes(most_names), history.name.recipe));
  PageData names = PageData::type::list;
  for (const SeriesName& s : index.series(history.name.recipe, most_names))
    names.push_back(texts({{"text", s.reference + " " + s.what},
                           {"link", "/component?recipe=" + url_part(s.recipe) + "&reference=" +
                                        url_part(s.reference) + "&what=" + url_part(s.what)}}));
  data.set("names", names);
  data.set("has_recipe", !history.name.recipe.empty());
  data.set("is_chosen", !history.name.reference.empty());
  history.days = index.days(history.name, "", days);
  const auto newest = index.choice(history.name.recipe, "", "", newest_values);
  const std::string limited = lag(index);
  const std::string body = read([&](ResultReader& store) {
    history.newest.clear();
    if (!history.name.reference.empty())
      for (auto at = newest.rbegin(); at != newest.rend(); ++at) {
        const auto r = store.get(*at);
        if (!r) continue;
        if (const auto c = known_component(r->json, history.name.reference))
          for (const CheckVerdict& check : c->checks)
            if (history.name.what == name_of(check.check.characteristic))
              history.newest.push_back({r->sequence, r->measured_at, r->unit_id, check});
      }
    set_history(data, history);
    data.set("limited", limited);
    return render("component", data);
  });
  return refreshing(request, titled("Component " + history.name.reference, component_refresh_s), body);
}

PageAnswer ViewPages::search(const PageRequest& request) const {
  const std::string unit = asked(request, "unit");
  ResultIndex index = this->index();
  PageData rows = PageData::type::list;
  const auto found = unit.empty() ? std::vector<IndexedBoard>() : index.by_unit(unit, most_found);
  for (const IndexedBoard& b : found) {
    PageData row = texts({{"sequence", std::to_string(b.sequence)},
                          {"measured_at", b.measured_at},
                          {"unit", b.unit_id},
                          {"recipe", b.recipe}});
    set_decision(row, b.decision);
    row.set("reading_of_check", b.artefact);
    rows.push_back(row);
  }
  PageData data = texts({{"unit", unit}, {"number", std::to_string(found.size())}, {"limited", lag(index)}});
  data.set("any", !found.empty());
  data.set("is_cut", found.size() == most_found);
  data.set("boards", rows);
  return whole(titled("Search"), render("search", data));
}

PageAnswer ViewPages::calibrations() const {
  ResultIndex index = this->index();
  PageData rows = PageData::type::list;
  for (const CalibrationUse& c : index.calibrations(most_found))
    rows.push_back(texts({{"id", c.id},
                          {"sha256", c.sha256},
                          {"results", std::to_string(c.results)},
                          {"first", std::to_string(c.first)},
                          {"first_at", c.first_at},
                          {"last", std::to_string(c.last)},
                          {"last_at", c.last_at}}));
  PageData data = texts({{"limited", lag(index)}});
  data.set("calibrations", rows);
  return whole(titled("Calibrations"), render("calibrations", data));
}

PageAnswer ViewPages::study(const std::string& id) const {
  const std::string body = read([&](ResultReader& store) { return study_page(studies(), id, store); });
  if (body.empty()) return fault(404, "No such study", "The studies are named on their page.");
  return whole(titled("Study " + id), body);
}

PageAnswer ViewPages::health(const PageRequest& request) const {
  const LiveState live = settings_.live();
  PageData data, metrics = PageData::type::list;
  set_live(data, live);
  for (const Metric& m : live.metrics) {
    if (m.name.ends_with("_bucket") || m.name.ends_with("_sum") || m.name.ends_with("_count")) continue;
    if (m.value == 0 && m.name.ends_with("_total")) continue;
    std::string labels;
    for (const auto& [name, value] : m.labels) labels += (labels.empty() ? "" : ", ") + name + " " + value;
    metrics.push_back(texts({{"name", m.name}, {"labels", labels}, {"value", fmt::format("{}", m.value)}}));
  }
  data.set("metrics", metrics);
  std::string store_fault, index_fault;
  try {
    const std::string extent = read([&](ResultReader& store) {
      const auto extent = store.extent();
      data.set("store_id", store.store_id());
      data.set("first", std::to_string(extent.first));
      data.set("last", std::to_string(extent.last));
      return std::string("read");
    });
  } catch (const std::exception& error) {
    store_fault = error.what();
  }
  try {
    ResultIndex index = this->index();
    index_fault = lag(index);
  } catch (const std::exception& error) {
    index_fault = error.what();
  }
  data.set("store_fault", store_fault);
  data.set("has_store", store_fault.empty());
  data.set("index_fault", index_fault.empty() ? "complete" : index_fault);
  return refreshing(request, titled("Health", health_refresh_s), render("health", data));
}

}  // namespace datum
