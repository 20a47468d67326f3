#include "daemon/ctl/recipe_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "config/toml_reader.h"

namespace datum {
namespace {

using config::TomlNode;

std::string text_of(const TomlNode& node) {
  switch (node.kind) {
    case TomlNode::Kind::text:
      return '"' + node.text + '"';
    case TomlNode::Kind::whole:
      return std::to_string(node.whole);
    case TomlNode::Kind::real:
      return config::shown(node.real);
    case TomlNode::Kind::truth:
      return node.whole ? "true" : "false";
    case TomlNode::Kind::array: {
      std::string text;
      for (const TomlNode& e : node.elements) text += (text.empty() ? "" : ", ") + text_of(e);
      return "[" + text + "]";
    }
    case TomlNode::Kind::table: {
      std::string text;
      for (const auto& e : node.entries)
        text += (text.empty() ? "" : ", ") + e.key + " = " + text_of(e.value);
      return "{ " + text + " }";
    }
    case TomlNode::Kind::other:
      break;
  }
  return "a date";
}

bool is_array_of_tables(const TomlNode& node) {
  return node.kind == TomlNode::Kind::array && !node.elements.empty() &&
         std::all_of(node.elements.begin(), node.elements.end(),
                     [](const TomlNode& e) { return e.kind == TomlNode::Kind::table; });
}

/// What an element of an array of tables is called.
std::string name_of(const TomlNode& table) {
  for (const char* key : {"reference", "name", "characteristic"})
    if (const TomlNode* name = table.find(key); name && name->kind == TomlNode::Kind::text) return name->text;
  return "";
}

/// Leaf values, and whole tables that may be in one recipe only, by their keys.
class Flat {
 public:
  explicit Flat(const TomlNode& recipe) { add(recipe, ""); }
  std::map<std::string, std::string> values;
  std::map<std::string, std::string> tables;  // named ones: components, packages, checks

 private:
  void add(const TomlNode& node, const std::string& path) {
    if (node.kind == TomlNode::Kind::table) {
      for (const auto& e : node.entries) {
        const std::string key = path.empty() ? e.key : path + "." + e.key;
        if (path == "package") tables[key] = text_of(e.value);
        add(e.value, key);
      }
    } else if (is_array_of_tables(node)) {
      for (const TomlNode& e : node.elements) add_element(e, path);
    } else {
      values[path] = text_of(node);
    }
  }
  void add_element(const TomlNode& element, const std::string& path) {
    const std::string name = name_of(element);
    std::string key = path == "component" && !name.empty() ? name : fmt::format("{}[{}]", path, name);
    if (name.empty() || tables.count(key)) {  // by its place among its like
      int n = 0;
      std::string numbered;
      do numbered = name.empty() ? fmt::format("{}[{}]", path, n) : fmt::format("{}#{}", key, n + 2);
      while (++n, tables.count(numbered));
      key = numbered;
    }
    tables[key] = text_of(element);
    add(element, key);
  }
};

/// The table of this key, or of one above it, that the other recipe lacks; empty: none.
std::string only_here(const std::string& key, const Flat& here, const Flat& there) {
  for (std::size_t at = key.find('.'); at != std::string::npos; at = key.find('.', at + 1)) {
    const std::string table = key.substr(0, at);
    if (here.tables.count(table) && !there.tables.count(table)) return table;
  }
  return "";
}

}  // namespace

std::vector<RecipeDifference> differences_of(const TomlNode& a, const TomlNode& b) {
  const Flat in_a(a), in_b(b);
  std::map<std::string, RecipeDifference> found;
  const auto value = [](const Flat& of, const std::string& key) {
    const auto at = of.values.find(key);
    return at == of.values.end() ? "" : at->second;
  };
  for (const auto& [key, text] : in_a.values) {
    if (const std::string table = only_here(key, in_a, in_b); !table.empty())
      found[table] = {table, in_a.tables.at(table), ""};
    else if (value(in_b, key) != text)
      found[key] = {key, text, value(in_b, key)};
  }
  for (const auto& [key, text] : in_b.values) {
    if (const std::string table = only_here(key, in_b, in_a); !table.empty())
      found[table] = {table, "", in_b.tables.at(table)};
    else if (!in_a.values.count(key))
      found[key] = {key, "", text};
  }
  std::vector<RecipeDifference> all;
  for (auto& [key, difference] : found) all.push_back(std::move(difference));
  return all;
}

}  // namespace datum
