#include "daemon/report/heat_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "config/toml_reader.h"
#include "daemon/inspection/recipe/panel_recipe.h"
#include "daemon/inspection/recipe/recipe.h"
#include "daemon/report/page_text.h"
#include "daemon/report/plot.h"

namespace datum {
namespace {

constexpr std::size_t most_recipes = 4, most_rows = 200, most_shapes = 2000, most_labels = 200;
constexpr std::size_t longest_name = 60;  // bytes of a tooltip
constexpr double width_px = 860, most_height_px = 640, least_side_px = 7, text_px = 14, digit_px = 8;

std::size_t of(const DecisionCounts& counts, Decision d) { return counts[static_cast<std::size_t>(d)]; }
std::size_t defects(const DecisionCounts& counts) { return total(counts) - of(counts, Decision::pass); }

/// Something with a place: a component of a board, or a board of a panel.
struct Spot {
  std::string name;
  std::optional<BoardRect> rect;  // none: the recipe has no place of this name
  DecisionCounts counts{};
};

struct Map {
  std::string id, title, what;  // what: "component", "board"
  Eigen::Vector2d size_mm = Eigen::Vector2d::Zero();
  std::vector<Spot> spots{};
};

/// Steps of the colours by the share of the measured ones; each is darker than the one before, in grey too.
int step_of(std::size_t n, std::size_t measured) {
  if (n == 0) return 0;
  const double share = static_cast<double>(n) / static_cast<double>(measured);
  int step = 1;
  for (const double bound : {0.001, 0.01, 0.05, 0.2}) step += share > bound;
  return step;
}

/// User units of a drawing from mm.
struct Scale {
  double px_per_mm = 1, height_px = 1;
  Eigen::Vector2d at(const Eigen::Vector2d& mm) const {
    return {mm.x() * px_per_mm, height_px - mm.y() * px_per_mm};
  }
};

std::optional<Scale> scale_of(const Eigen::Vector2d& size_mm) {
  if (!size_mm.allFinite() || !(size_mm.minCoeff() > 0)) return std::nullopt;
  Scale s;
  s.px_per_mm = std::min(width_px / size_mm.x(), most_height_px / size_mm.y());
  s.height_px = size_mm.y() * s.px_per_mm;
  return s;
}

std::string outline(BoardRect rect, const Scale& scale, bool enlarged) {
  if (enlarged) rect.size_mm = rect.size_mm.cwiseMax(least_side_px / scale.px_per_mm);
  std::string path;
  for (const Eigen::Vector2d& corner : corners_mm(rect)) {
    const Eigen::Vector2d p = scale.at(corner);
    path += (path.empty() ? "M" : "L") + coordinate(p.x()) + " " + coordinate(p.y());
  }
  return path + "Z";
}

/// Whole characters of UTF-8.
std::string shortened(const std::string& name) {
  if (name.size() <= longest_name) return name;
  std::size_t end = longest_name;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0) == 0x80) --end;
  return name.substr(0, end) + "...";
}

std::string drawing(const Map& map, Decision decision, const Scale& scale) {
  std::vector<const Spot*> spots;
  for (const Spot& s : map.spots)
    if (s.rect) spots.push_back(&s);
  const auto n_of = [&](const Spot* s) { return of(s->counts, decision); };
  std::stable_sort(spots.begin(), spots.end(),
                   [&](const Spot* a, const Spot* b) { return n_of(a) > n_of(b); });
  const std::size_t left_out = spots.size() - std::min(spots.size(), most_shapes);
  spots.resize(spots.size() - left_out);

  PageData shapes = PageData::type::list, labels = PageData::type::list;
  std::vector<Eigen::Vector4d> taken;  // of numbers: from x, y to x, y
  for (const Spot* s : spots) {
    const std::size_t n = n_of(s);
    const Eigen::Vector2d at = scale.at(s->rect->centre_mm);
    const double half = digit_px * static_cast<double>(std::to_string(n).size()) / 2;
    const Eigen::Vector4d box(at.x() - half, at.y() - text_px / 2, at.x() + half, at.y() + text_px / 2);
    const bool is_free = std::none_of(taken.begin(), taken.end(), [&](const Eigen::Vector4d& t) {
      return box[0] < t[2] && t[0] < box[2] && box[1] < t[3] && t[1] < box[3];
    });
    if (n > 0 && is_free && taken.size() < most_labels) {
      taken.push_back(box);
      labels.push_back(
          texts({{"x", coordinate(at.x())}, {"y", coordinate(at.y())}, {"count", std::to_string(n)}}));
    }
  }
  // The worst ones last: they lie on top.
  for (auto at = spots.rbegin(); at != spots.rend(); ++at) {
    const std::size_t n = n_of(*at), measured = total((*at)->counts);
    PageData shape = texts({{"path", outline(*(*at)->rect, scale, n > 0)},
                            {"step", std::to_string(step_of(n, measured))},
                            {"name", shortened((*at)->name)},
                            {"count", std::to_string(n)},
                            {"measured", std::to_string(measured)}});
    shapes.push_back(shape);
  }
  PageData data = texts({{"decision", name_of(decision)},
                         {"what", map.what},
                         {"width", coordinate(width_px)},
                         {"height", coordinate(scale.height_px)},
                         {"board_width", coordinate(map.size_mm.x() * scale.px_per_mm)},
                         {"full_height", coordinate(scale.height_px + 40)},
                         {"legend_y", coordinate(scale.height_px + 14)},
                         {"legend_text_y", coordinate(scale.height_px + 25)},
                         {"left_out", std::to_string(left_out)}});
  data.set("is_cut", left_out > 0);
  data.set("shapes", shapes);
  data.set("labels", labels);
  return render("heat_map", data);
}

std::string table(const Map& map) {
  std::vector<const Spot*> rows;
  DecisionCounts all{};
  for (const Spot& s : map.spots) {
    for (std::size_t d = 0; d < all.size(); ++d) all[d] += s.counts[d];
    if (defects(s.counts) > 0) rows.push_back(&s);
  }
  std::sort(rows.begin(), rows.end(), [](const Spot* a, const Spot* b) {
    const std::size_t n = defects(a->counts), m = defects(b->counts);
    return n != m ? n > m : a->name < b->name;
  });
  NumberTable out(map.id,
                  fmt::format("{} places have components without PASS, of {}. A place is the centre, in mm.",
                              rows.size(), map.spots.size()),
                  {map.what, "x", "y", "measured", "FAIL", "INVALID", "INCONCLUSIVE", "PASS"});
  const auto add = [&](const std::string& name, const std::optional<BoardRect>& rect,
                       const DecisionCounts& c) {
    out.row(shortened(name));
    for (int axis = 0; axis < 2; ++axis)
      out.number(rect ? std::optional(rect->centre_mm[axis]) : std::nullopt, 6);
    out.text(std::to_string(total(c)));
    for (const auto d : {Decision::fail, Decision::invalid, Decision::inconclusive, Decision::pass})
      out.text(std::to_string(of(c, d)));
  };
  DecisionCounts other = all;
  for (std::size_t i = 0; i < std::min(rows.size(), most_rows); ++i) {
    add(rows[i]->name, rows[i]->rect, rows[i]->counts);
    for (std::size_t d = 0; d < other.size(); ++d) other[d] -= rows[i]->counts[d];
  }
  if (total(other) > 0) add("all others", std::nullopt, other);
  add("all", std::nullopt, all);
  return out.html();
}

std::string section(const Map& map) {
  std::string html = heading(3, map.title);
  const bool placed =
      std::any_of(map.spots.begin(), map.spots.end(), [](const Spot& s) { return s.rect.has_value(); });
  if (const auto scale = scale_of(map.size_mm); scale && placed)
    for (const auto d : {Decision::fail, Decision::invalid}) html += drawing(map, d, *scale);
  return html + table(map);
}

/// Adds to the spot of this name, a new one without a place where there is none.
class Spots {
 public:
  explicit Spots(Map& map) : map_(map) {}
  void place(const std::string& name, const BoardRect& rect) { spot(name).rect = rect; }
  bool has(const std::string& name) const { return at_.contains(name); }
  void add(const std::string& name, const DecisionCounts& counts) {
    Spot& s = spot(name);
    for (std::size_t d = 0; d < counts.size(); ++d) s.counts[d] += counts[d];
  }

 private:
  Spot& spot(const std::string& name) {
    const auto [at, is_new] = at_.try_emplace(name, map_.spots.size());
    if (is_new) map_.spots.push_back({name, std::nullopt, {}});
    return map_.spots[at->second];
  }
  Map& map_;
  std::unordered_map<std::string, std::size_t> at_;
};

/// The recipe, or why it can't be had.
std::optional<Recipe> recipe_of(const std::string& sha256, const RecipeTexts& texts, std::string& why) {
  try {
    const auto text = texts ? texts(sha256) : std::nullopt;
    if (!text) {
      why = "the store does not keep its text";
      return std::nullopt;
    }
    config::Problems problems;
    Recipe recipe = recipe_from_text(*text, "the recipe in the result store", problems);
    if (problems.errors().empty()) return recipe;
    why = problems.errors().front().what();
  } catch (const std::exception& error) {
    why = error.what();
  }
  return std::nullopt;
}

/// A panel's row "U4@2-3" as its board's reference and place; a place's name may hold an '@' itself.
std::optional<std::pair<std::string, std::string>> split(const std::string& row, const Spots& parts,
                                                         const Spots& places) {
  for (std::size_t at = row.find('@'); at != row.npos; at = row.find('@', at + 1))
    if (parts.has(row.substr(0, at)) && places.has(row.substr(at + 1)))
      return std::pair(row.substr(0, at), row.substr(at + 1));
  return std::nullopt;
}

std::string of_recipe(const Lot::RecipeParts& lot, std::size_t number, const RecipeTexts& recipe_texts) {
  std::string why;
  const auto recipe = recipe_of(lot.recipe_sha256, recipe_texts, why);
  if (recipe && recipe->surface)
    why = "it compares a part with its model, whose regions have no place on a board";
  Map parts{fmt::format("heat_{}", number), "By component", "component"},
      boards{fmt::format("heat_{}_places", number), "Over the panel, by the board's place", "board"};
  Spots part_spots(parts), board_spots(boards);
  if (why.empty()) {
    parts.size_mm = recipe->board_size_mm;
    for (const Component& c : recipe->components) part_spots.place(c.reference, c.body);
    if (recipe->panel) {
      parts.title = "By component, at all places of the panel together";
      boards.size_mm = recipe->panel->size_mm;
      for (const PanelPlace& p : recipe->panel->places)
        board_spots.place(p.name, on_panel(p, {recipe->board_size_mm / 2, recipe->board_size_mm, 0}));
    }
  }
  for (const auto& [reference, counts] : lot.parts) {
    const auto of_panel = boards.spots.empty() ? std::nullopt : split(reference, part_spots, board_spots);
    part_spots.add(of_panel ? of_panel->first : reference, counts);
    if (of_panel) board_spots.add(of_panel->second, counts);
  }
  std::string html =
      paragraph(fmt::format("Recipe {}, SHA-256 {}.", lot.recipe, lot.recipe_sha256.substr(0, 12)));
  if (!why.empty())
    html += paragraph("No map of this recipe: " + why + ".", fmt::format("heat_{}_without", number));
  if (!boards.spots.empty()) html += section(boards);
  return html + section(parts);
}

}  // namespace

std::string heat_maps(const Lot& lot, const RecipeTexts& texts) {
  const auto recipes = lot.parts_by_recipe();
  if (recipes.empty()) return "";
  std::string html = heading(2, "Defects by place");
  html += paragraph(
      "Components by their worst check, FAIL and INVALID apart. Each is drawn where the recipe that measured "
      "it "
      "has it, seen from above, x to the right and y up; a small one is drawn larger where it has defects. "
      "The number is the number of defects, where it finds room; the tables have all of the worst.");
  for (std::size_t i = 0; i < std::min(recipes.size(), most_recipes); ++i)
    html += of_recipe(recipes[i], i + 1, texts);
  if (recipes.size() > most_recipes)
    html += paragraph(fmt::format("{} more versions of recipes are not drawn; choose the results of one.",
                                  recipes.size() - most_recipes),
                      "heat_cut");
  return html;
}

}  // namespace datum
