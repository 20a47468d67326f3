// [terminals] and [paste] of a package or component.
#include <algorithm>
#include <cmath>
#include <string>

#include "daemon/inspection/recipe/terminal_recipe.h"

namespace datum {
namespace {

Eigen::Vector2d pair_of(const std::vector<double>& numbers) { return {numbers[0], numbers[1]}; }

TerminalGroup read_group(config::TomlTable table) {
  table.only_keys({"shape", "centre_mm", "count", "pitch_mm", "size_mm"});
  TerminalGroup g;
  g.shape =
      table.choice<TerminalShape>("shape", {{"ball", TerminalShape::ball}, {"flat", TerminalShape::flat}});
  if (table.has("centre_mm")) g.centre_mm = pair_of(table.numbers("centre_mm", 2));
  g.size_mm = pair_of(table.numbers("size_mm", 2, config::positive));
  if (g.shape == TerminalShape::ball && g.size_mm.x() != g.size_mm.y())
    table.refuse("size_mm", "a ball's sizes differ", "its diameter twice");
  if (table.has("count")) {
    const std::vector<double> count = table.numbers("count", 2, {1, max_terminals});
    for (std::size_t k = 0; k < 2; ++k) {
      if (count[k] != std::floor(count[k]))
        table.refuse("count", config::shown(count[k]) + " is no whole number", "whole numbers");
      g.count[k] = static_cast<int>(count[k]);
    }
  }
  const bool grid = g.count[0] > 1 || g.count[1] > 1;
  if (grid || table.has("pitch_mm")) g.pitch_mm = pair_of(table.numbers("pitch_mm", 2, config::not_negative));
  for (std::size_t k = 0; k < 2; ++k) {
    const auto axis = static_cast<Eigen::Index>(k);
    if (g.count[k] > 1 && g.pitch_mm[axis] < g.size_mm[axis])
      table.refuse("pitch_mm",
                   config::shown(g.pitch_mm[axis]) + " is less than the terminals' size of " +
                       config::shown(g.size_mm[axis]),
                   "at least their size");
  }
  table.finish();
  return g;
}

}  // namespace

std::vector<TerminalPlace> places_of(const TerminalRecipe& terminals) {
  std::vector<TerminalPlace> places;
  for (const TerminalGroup& g : terminals.groups)
    for (int y = 0; y < g.count[1]; ++y)
      for (int x = 0; x < g.count[0]; ++x) {
        const Eigen::Vector2d step(x - (g.count[0] - 1) / 2.0, y - (g.count[1] - 1) / 2.0);
        places.push_back({g.centre_mm + step.cwiseProduct(g.pitch_mm), &g});
      }
  return places;
}

std::shared_ptr<const TerminalRecipe> read_terminals(config::TomlTable table) {
  table.only_keys({"side", "body_thickness_um", "body_thickness_tolerance_um", "group"});
  auto t = std::make_shared<TerminalRecipe>();
  t->up = table.choice<bool>("side", {{"up", true}, {"down", false}});
  t->body_thickness_um = table.number_if("body_thickness_um", config::positive);
  t->body_thickness_tolerance_um = table.number_if("body_thickness_tolerance_um", config::not_negative);
  if (t->body_thickness_um.has_value() != t->body_thickness_tolerance_um.has_value())
    table.refuse(t->body_thickness_um ? "body_thickness_tolerance_um" : "body_thickness_um", "missing",
                 "the body's thickness with its tolerance, of the data sheet");
  if (t->up && t->body_thickness_um)
    table.refuse("body_thickness_um", "side is \"up\": the sensor sees the body's underside itself",
                 "no such key, or side = \"down\"");
  double count = 0;
  for (config::TomlTable& group : table.tables("group")) {
    t->groups.push_back(read_group(std::move(group)));
    count += static_cast<double>(t->groups.back().count[0]) * t->groups.back().count[1];
  }
  if (count > max_terminals)
    table.refuse("group", config::shown(count) + " terminals", "at most " + std::to_string(max_terminals));
  if (count > 0 && count < 4)
    table.refuse("group", config::shown(count) + " terminals: any three lie in a plane", "at least 4");
  table.finish();
  return t;
}

std::shared_ptr<const PasteRecipe> read_paste(config::TomlTable table) {
  table.only_keys({"threshold_um", "pad_um", "shape"});
  auto p = std::make_shared<PasteRecipe>();
  p->threshold_um = table.number("threshold_um", config::positive);
  p->pad_um = table.number_or("pad_um", 0, config::not_negative);
  if (p->pad_um >= p->threshold_um)
    table.refuse("pad_um", config::shown(p->pad_um) + " is not below threshold_um: a bare pad would be paste",
                 "less than threshold_um");
  p->round = table.choice_or<bool>("shape", false, {{"rectangle", false}, {"round", true}});
  table.finish();
  return p;
}

void demand_terminals(const Component& c, const config::TomlTable& table) {
  for (const Check& check : c.checks) {
    const std::string name = name_of(check.characteristic);
    if (is_of_paste(check.characteristic) && !c.paste)
      table.refuse("check", name + " is asked for, and the package has no paste",
                   "a table paste with threshold_um");
    if (!is_of_terminals(check.characteristic)) continue;
    if (!c.terminals)
      table.refuse("check", name + " is asked for, and the package has no terminals",
                   "a table terminals with side");
    const bool by_thickness =
        check.characteristic == Characteristic::standoff && c.terminals->body_thickness_um;
    if (check.characteristic == Characteristic::standoff && !c.terminals->up && !by_thickness)
      table.refuse("check",
                   "standoff is asked for, and the sensor does not see the underside of a mounted body",
                   "terminals.body_thickness_um with its tolerance, or side = \"up\"");
    if (!by_thickness && c.terminals->groups.empty())
      table.refuse("check", name + " is asked for, and terminals has no group", "[[...terminals.group]]");
    if (!c.terminals->up && (check.characteristic == Characteristic::coplanarity ||
                             check.characteristic == Characteristic::coplanarity_regression))
      table.refuse("check",
                   name +
                       " is that of an unmounted part with its terminals up (JESD22-B108), and side is "
                       "\"down\"",
                   "terminal_range, the range of the terminals' heights over the floor");
  }
  if (c.paste && c.paste->threshold_um >= c.nominal_height_um)
    table.refuse("paste", "threshold_um is not below the stencil's thickness, nominal_um",
                 "less than " + config::shown(c.nominal_height_um));
}

}  // namespace datum
