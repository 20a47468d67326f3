#include "daemon/plant_view/plant_pages.h"

#include <string_view>

#include "daemon/plant_view/plant_tables.h"

namespace datum {
namespace {

constexpr int cells_refresh_s = 10, fault_refresh_s = 10, charts_refresh_s = 60;
constexpr std::size_t most_back = 1000;

PageFrame titled(const std::string& title, int refresh_s = 0) {
  PageFrame frame;
  frame.title = title;
  frame.refresh_s = refresh_s;
  frame.menu = {{"/", "Cells"},
                {"/yield", "Yield"},
                {"/pareto", "Pareto"},
                {"/component", "Component"},
                {"/fails", "Fails"}};
  return frame;
}

PageAnswer fault(int status, const std::string& title, const std::string& words) {
  return fault_page(titled(title, status >= 500 ? fault_refresh_s : 0), words, status);
}

/// The database takes no NUL, and the C interface would cut the text there.
void refuse_nul(const PageRequest& request) {
  for (const auto& [name, value] : request.query)
    if (value.find('\0') != value.npos) throw BadRequest(name + ": a text without NUL is needed");
}

}  // namespace

PageAnswer PlantPages::answer(const PageRequest& request) {
  try {
    return answered(request);
  } catch (const BadRequest& error) {
    return fault(400, "Not understood", error.what());
  } catch (const PlantRefusal& error) {
    return fault(400, "Not understood", error.what());
  } catch (const PlantTimeout& error) {
    return fault(503, "Too much for one page",
                 std::string("The database stopped reading: ") + error.what() + ". Ask for fewer days.");
  } catch (const PlantAway& error) {
    return fault(503, "The database is away",
                 std::string(error.what()) +
                     ". Cells and datumd-collect are not concerned; results wait at the cells. This page "
                     "asks again by itself.");
  } catch (const PlantUnfit& error) {
    return fault(503, "Not the plant's database", error.what());
  } catch (const std::exception& error) {
    return fault(500, "Fault", error.what());
  }
}

PageAnswer PlantPages::answered(const PageRequest& request) {
  const std::string& path = request.path;
  if (path == "/style.css") return {200, "text/css; charset=utf-8", page_style(), false};
  refuse_nul(request);
  const std::int64_t now = settings_.utc_s();
  std::string body;
  const auto read = [&](const auto& make) {
    database_.read([&](PlantDatabase& plant) { body = make(plant); });
  };
  if (path == "/") {
    const std::size_t back = asked(request, "back") == "0" ? 0 : asked_number(request, "back", 0, most_back);
    read([&](PlantDatabase& plant) {
      return cells_body(plant, shift_at(settings_.shift_minutes, now, back), back);
    });
    return refreshing(request, titled("Cells", cells_refresh_s), body);
  }
  if (path == "/yield") {
    read([&](PlantDatabase& plant) { return yield_body(plant, request, now); });
    return whole(titled("Yield"), body);
  }
  if (path == "/pareto") {
    read([&](PlantDatabase& plant) { return pareto_body(plant, request, now); });
    return whole(titled("Pareto"), body);
  }
  if (path == "/component") {
    read([&](PlantDatabase& plant) { return component_body(plant, request, now); });
    return refreshing(request, titled("Component " + asked(request, "reference"), charts_refresh_s), body);
  }
  if (path == "/fails") {
    read([&](PlantDatabase& plant) { return fails_body(plant, request, now); });
    return refreshing(request, titled("Fails", charts_refresh_s), body);
  }
  if (path == "/search") {
    read([&](PlantDatabase& plant) { return unit_body(plant, request); });
    return whole(titled("Unit"), body);
  }
  return fault(404, "No such page", "The pages are named at the top.");
}

}  // namespace datum
