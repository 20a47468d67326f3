#include "daemon/teach/design_change.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>
#include <stdexcept>

#include "config/toml_reader.h"
#include "daemon/inspection/recipe/recipe.h"
#include "daemon/teach/recipe_lookup.h"
#include "daemon/teach/toml_edit.h"
#include "daemon/teach/toml_values.h"

namespace datum::teach {
namespace {

using config::TomlNode;

constexpr double step_mm = 2e-4;  // recipes state lengths in steps of 0.1 um, and so do both imports

std::string package_of(const Component& c) { return c.package.substr(0, c.package.find('#')); }

bool is_near(const Eigen::Vector2d& a, const Eigen::Vector2d& b) {
  return (a - b).cwiseAbs().maxCoeff() < step_mm;
}

bool is_same_angle(double a, double b) { return std::abs(std::remainder(a - b, 360)) < 1e-3; }

bool is_same(const Check& a, const Check& b) {
  return a.characteristic == b.characteristic && a.parameter == b.parameter && a.lower == b.lower &&
         a.upper == b.upper;
}

bool has_same_height(const Component& a, const Component& b) {
  return a.nominal_height_um == b.nominal_height_um && a.nominal_source == b.nominal_source &&
         a.nominal_confirmed == b.nominal_confirmed && is_same(a.checks.front(), b.checks.front());
}

bool has_same_further_checks(const Component& a, const Component& b) {
  return std::equal(a.checks.begin() + 1, a.checks.end(), b.checks.begin() + 1, b.checks.end(),
                    [](const Check& x, const Check& y) { return is_same(x, y); });
}

/// The ring's outline in the body's own axes: size, then offset.
std::pair<Eigen::Vector2d, Eigen::Vector2d> outline_of(const Component& c) {
  if (!c.floor_outline) return {c.body.size_mm, Eigen::Vector2d::Zero()};
  const double turn = -c.body.rotation_deg * std::numbers::pi / 180;
  const Eigen::Vector2d off = c.floor_outline->centre_mm - c.body.centre_mm;
  return {c.floor_outline->size_mm,
          {std::cos(turn) * off.x() - std::sin(turn) * off.y(),
           std::sin(turn) * off.x() + std::cos(turn) * off.y()}};
}

bool has_same_ring(const Component& a, const Component& b) {
  const auto [size_a, off_a] = outline_of(a);
  const auto [size_b, off_b] = outline_of(b);
  return is_near(size_a, size_b) && is_near(off_a, off_b);
}

TomlAssignments height_of(const Component& c) {
  const Check& check = c.checks.front();
  TomlAssignments keys{{"nominal_um", toml_number(c.nominal_height_um, 6)},
                       {"nominal_source", toml_text(c.nominal_source)},
                       {"nominal_confirmed", c.nominal_confirmed ? "true" : "false"},
                       {"characteristic", toml_text(name_of(check.characteristic))}};
  if (has_quantile(check.characteristic)) keys.emplace_back("quantile", toml_number(check.parameter, 9));
  if (check.characteristic == Characteristic::top_mean)
    keys.emplace_back("top_count", fmt::format("{:.0f}", check.parameter));
  if (check.lower) keys.emplace_back("lower_um", toml_number(*check.lower, 6));
  if (check.upper) keys.emplace_back("upper_um", toml_number(*check.upper, 6));
  return keys;
}

/// Tables of the recipe's text that no import makes, with their comments, from [board] on; none where others stand between.
std::optional<std::string> tail_of(const std::string& text) {
  const std::size_t begin = text.find("\n[board]");
  if (begin == std::string::npos) return std::nullopt;
  for (const char* made : {"\n[[component]]", "\n[[package", "\n[package", "\n[[exclusion]]", "\n[[hole]]"})
    if (text.find(made, begin) != std::string::npos) return std::nullopt;
  return text.substr(begin + 1);
}

class Updater {
 public:
  explicit Updater(const DesignChange& change)
      : change_(change),
        former_(accepted_recipe(change.recipe, change.recipe_name)),
        now_(accepted_recipe(change.imported, "the new design's recipe")),
        edit_(change.imported, "the new design's recipe"),
        old_(change.recipe, change.recipe_name) {
    if (change.former_import) base_ = accepted_recipe(*change.former_import, "the former design's recipe");
  }

  UpdatedRecipe take() {
    std::size_t both = 0;
    for (const Component& c : now_.components) both += component_of(former_, c.reference) != nullptr;
    if (both == 0)
      throw std::invalid_argument(change_.recipe_name +
                                  ": no component of it is on this side of the design; --side, --turn and "
                                  "--library say how it was imported");
    for (const Component& c : now_.components) update(c);
    keep_checks();
    for (const Component& c : former_.components)
      if (!component_of(now_, c.reference)) keep_or_remove(c);
    keep_cuts("exclusion");
    keep_cuts("hole");
    done_.text = with_tables();
    done_.text = with_true_head(done_.text, accepted_recipe(done_.text, change_.recipe_name + " (updated)"));
    return std::move(done_);
  }

 private:
  template <class... Args>
  void say(fmt::format_string<Args...> format, Args&&... args) {
    done_.changes.push_back(fmt::format(format, std::forward<Args>(args)...));
  }

  void update(const Component& c) {
    const Component* before = component_of(former_, c.reference);
    if (!before) {
      done_.open = done_.open || !c.nominal_confirmed;
      return say("{}: added ({}, {}confirmed)", c.reference, c.package, c.nominal_confirmed ? "" : "not ");
    }
    if (!is_near(before->body.centre_mm, c.body.centre_mm))
      say("{}: moved from [{:g}, {:g}] to [{:g}, {:g}] mm", c.reference, before->body.centre_mm.x(),
          before->body.centre_mm.y(), c.body.centre_mm.x(), c.body.centre_mm.y());
    if (!is_same_angle(before->body.rotation_deg, c.body.rotation_deg))
      say("{}: turned from {:g} to {:g} degrees", c.reference, before->body.rotation_deg,
          c.body.rotation_deg);
    if (must_be_empty(*before) != must_be_empty(c)) {
      done_.open = done_.open || !c.nominal_confirmed;
      return say("{}: {}", c.reference,
                 must_be_empty(c) ? "must be empty now" : "is populated now, as imported");
    }
    if (package_of(*before) != package_of(c) || !is_near(before->body.size_mm, c.body.size_mm))
      return lose(*before, c);
    keep(*before, c);
  }

  void lose(const Component& before, const Component& c) {
    const bool lost = before.nominal_confirmed && !c.nominal_confirmed;
    done_.open = done_.open || lost;
    say("{}: package changed from {} ({:g} x {:g} mm) to {} ({:g} x {:g} mm): nominal_um {:g} -> {:g}{}",
        c.reference, before.package, before.body.size_mm.x(), before.body.size_mm.y(), c.package,
        c.body.size_mm.x(), c.body.size_mm.y(), before.nominal_height_um, c.nominal_height_um,
        lost ? ", its confirmation is lost" : "");
  }

  void keep(const Component& before, const Component& c) {
    const TomlNode& table = *edit_.element("component", "reference", c.reference);
    TomlAssignments keys;
    if (!has_same_height(before, c)) {
      keys = height_of(before);
      ++kept_heights_;
    }
    if (before.warp_fallback != c.warp_fallback)
      keys.emplace_back("fallback", before.warp_fallback ? "\"warp\"" : "\"none\"");
    if (is_by_hand(before, c)) {
      const auto [size, offset] = outline_of(before);
      keys.emplace_back("floor_outline_mm", toml_pair(size));
      keys.emplace_back("floor_outline_offset_mm", toml_pair(offset));
      say("{}: its ring's outline is kept{}", c.reference,
          base_ ? ", edited by hand" : "; the design's differs (--old tells whether by hand)");
    }
    const Component* base = base_ ? component_of(*base_, c.reference) : nullptr;
    if (before.surface_um && before.surface_um != c.surface_um &&
        (base ? base->surface_um != before.surface_um : before.surface_um > c.surface_um))
      keys.emplace_back("surface_um", toml_number(*before.surface_um));
    std::set<std::string> overlaps(c.overlaps.begin(), c.overlaps.end());
    for (const std::string& other : before.overlaps)
      if (component_of(now_, other)) overlaps.insert(other);
    if (overlaps.size() > c.overlaps.size())
      keys.emplace_back("overlaps", toml_texts({overlaps.begin(), overlaps.end()}));
    if (!keys.empty()) edit_.set(table, "reference", keys);
  }

  bool is_by_hand(const Component& before, const Component& c) const {
    if (has_same_ring(before, c)) return false;
    const Component* base = base_ ? component_of(*base_, c.reference) : nullptr;
    return !base || !has_same_ring(before, *base);
  }

  /// Further checks stand with the package: they are kept where its components agree on them.
  void keep_checks() {
    std::map<std::string, std::vector<std::pair<const Component*, const Component*>>> of_package;
    for (const Component& c : now_.components)
      if (const Component* before = component_of(former_, c.reference);
          before && must_be_empty(*before) == must_be_empty(c) && package_of(*before) == package_of(c) &&
          is_near(before->body.size_mm, c.body.size_mm))
        of_package[c.package].emplace_back(before, &c);
    for (const auto& [package, parts] : of_package) {
      const Component& first = *parts.front().first;
      bool differs = false, agree = true;
      for (const auto& [before, now] : parts) {
        differs = differs || !has_same_further_checks(*before, *now);
        agree = agree && has_same_further_checks(*before, first);
      }
      if (!differs) continue;
      const TomlNode* tables = edit_.root().find("package");
      const TomlNode* table = tables ? tables->find(package) : nullptr;
      if (!agree || !table) {
        done_.open = true;
        say("package {}: NOT KEPT: its components' further checks differ from each other; put them in by "
            "hand",
            package);
        continue;
      }
      edit_.set(*table, "body_mm", {{"check", checks_text(first)}});
      say("package {}: its further checks are kept", package);
    }
  }
  static std::string checks_text(const Component& c) {
    std::string all;
    for (std::size_t i = 1; i < c.checks.size(); ++i) {
      const Check& check = c.checks[i];
      std::string keys = "characteristic = " + toml_text(name_of(check.characteristic));
      if (has_quantile(check.characteristic)) keys += ", quantile = " + toml_number(check.parameter, 9);
      if (check.characteristic == Characteristic::top_mean)
        keys += fmt::format(", top_count = {:.0f}", check.parameter);
      const std::string unit = std::string("_") + unit_of(check.characteristic) + " = ";
      if (check.lower) keys += ", lower" + unit + toml_number(*check.lower, 6);
      if (check.upper) keys += ", upper" + unit + toml_number(*check.upper, 6);
      all += (all.empty() ? "{ " : ", { ") + keys + " }";
    }
    return "[ " + all + " ]";
  }

  void keep_or_remove(const Component& c) {
    const TomlNode& table = *old_.element("component", "reference", c.reference);
    const bool is_own = table.find("body_mm") && table.find("nominal_um") && table.find("characteristic");
    const bool by_hand = base_ ? !component_of(*base_, c.reference) : is_own;
    const auto why = change_.gone.find(c.reference);
    if (!by_hand || !is_own) {
      done_.open = done_.open || by_hand;
      return say("{}: removed{}{}", c.reference, why == change_.gone.end() ? "" : ": " + why->second,
                 by_hand ? " (put in by hand, by keys of a package that is gone)" : "");
    }
    TomlAssignments keys;
    for (const config::TomlEntry& entry : table.entries) keys.emplace_back(entry.key, toml_of(entry.value));
    edit_.add_element("component", keys);
    say("{}: kept, no part of the design", c.reference);
  }

  /// Elements of an array of tables by their values.
  static std::set<std::string> cuts_of(const TomlNode& root, const char* array) {
    std::set<std::string> all;
    if (const TomlNode* found = root.find(array))
      for (const TomlNode& one : found->elements) all.insert(toml_of(one));
    return all;
  }
  void keep_cuts(const char* array) {
    const std::set<std::string> now = cuts_of(edit_.root(), array);
    std::set<std::string> made = now;
    if (base_)
      made.merge(cuts_of(config::parse_toml(*change_.former_import, "the former design's recipe"), array));
    std::size_t kept = 0;
    if (const TomlNode* all = old_.root().find(array))
      for (const TomlNode& one : all->elements) {
        if (made.contains(toml_of(one))) continue;
        TomlAssignments keys;
        for (const config::TomlEntry& entry : one.entries) keys.emplace_back(entry.key, toml_of(entry.value));
        edit_.add_element(array, keys);
        ++kept;
      }
    if (kept > 0)
      say("{} {}s of the recipe are kept{}", kept, array,
          base_ ? ", put in by hand"
                : "; --old FORMER_DESIGN tells what was put in by hand from what is stale");
  }

  std::string with_tables() {
    std::string text = edit_.text();
    const auto own = tail_of(change_.recipe);
    const std::size_t made = text.find("\n[board]");
    if (made == std::string::npos) throw std::logic_error("the import has no [board]");
    std::size_t added = text.size();  // tables that were added behind the import's own
    for (const char* header : {"\n[[component]]", "\n[[exclusion]]", "\n[[hole]]"})
      added = std::min(added, text.find(header, made));
    const std::string behind = text.substr(added);
    text.resize(made + 1);
    if (own) {
      text += *own;
    } else {
      for (const config::TomlEntry& entry : old_.root().entries)
        if (!made_by_import().contains(entry.key)) text += table_text(entry);
    }
    TomlEdit whole(text + behind, change_.recipe_name);
    if (const TomlNode* board = whole.root().find("board");
        board && !is_near(former_.board_size_mm, now_.board_size_mm)) {
      whole.set(*board, "size_mm", {{"size_mm", toml_pair(now_.board_size_mm)}});
      done_.open = true;
      say("board: {:g} x {:g} mm, now {:g} x {:g}: its place (origin_mm) is kept, check it",
          former_.board_size_mm.x(), former_.board_size_mm.y(), now_.board_size_mm.x(),
          now_.board_size_mm.y());
    }
    if (kept_heights_ > 0) say("{} components keep heights, limits or confirmations", kept_heights_);
    return whole.text();
  }
  static const std::set<std::string>& made_by_import() {
    static const std::set<std::string> keys{"schema",    "name",      "sensor_serial", "package",
                                            "component", "exclusion", "hole"};
    return keys;
  }
  static std::string table_text(const config::TomlEntry& entry) {
    std::string text;
    const bool many = entry.value.kind == TomlNode::Kind::array;
    const auto add = [&](const TomlNode& table) {
      text += (many ? "[[" : "[") + entry.key + (many ? "]]\n" : "]\n");
      for (const config::TomlEntry& key : table.entries) text += key.key + " = " + toml_of(key.value) + "\n";
      text += '\n';
    };
    if (entry.value.kind == TomlNode::Kind::table)
      add(entry.value);
    else if (many)
      for (const TomlNode& one : entry.value.elements) add(one);
    return text;
  }

  const DesignChange& change_;
  Recipe former_, now_;
  std::optional<Recipe> base_;
  TomlEdit edit_, old_;
  std::size_t kept_heights_ = 0;
  UpdatedRecipe done_;
};

}  // namespace

UpdatedRecipe updated_recipe(const DesignChange& change) { return Updater(change).take(); }

}  // namespace datum::teach
