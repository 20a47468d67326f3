#include "daemon/parse/flat_toml.h"

#include "config/toml_bounds.h"

namespace datum {
namespace {

using config::TomlNode;
using Kind = TomlNode::Kind;

/// A key of 16 parts is as many tables, and each of them may lie in 16 brackets and be an array's element.
constexpr int most_depth = 4 * config::max_toml_depth * config::max_toml_depth;
constexpr std::size_t most_refusal_bytes = 1024;

void put_node(FlatWriter& to, const TomlNode& node) {
  to.put(static_cast<std::uint8_t>(node.kind));
  to.put(static_cast<std::int32_t>(node.line));
  to.put(static_cast<std::int32_t>(node.column));
  switch (node.kind) {
    case Kind::other:
      return;
    case Kind::text:
      return to.put_text(node.text);
    case Kind::whole:
    case Kind::truth:
      return to.put(node.whole);
    case Kind::real:
      return to.put(node.real);
    case Kind::array:
      to.put(static_cast<std::uint32_t>(node.elements.size()));
      for (const TomlNode& element : node.elements) put_node(to, element);
      return;
    case Kind::table:
      to.put(static_cast<std::uint32_t>(node.entries.size()));
      for (const config::TomlEntry& entry : node.entries) {
        to.put_text(entry.key);
        to.put(static_cast<std::int32_t>(entry.line));
        to.put(static_cast<std::int32_t>(entry.column));
        put_node(to, entry.value);
      }
  }
}

TomlNode take_node(FlatReader& from, int depth);

/// No room is made for elements that are announced alone: each has 9 bytes and more.
std::uint32_t take_count(FlatReader& from) {
  const auto count = from.get<std::uint32_t>();
  if (count > from.left() / 9) throw FlatError("more elements than bytes");
  return count;
}

void take_entries(FlatReader& from, TomlNode& node, int depth) {
  const std::uint32_t count = take_count(from);
  node.entries.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    config::TomlEntry entry;
    entry.key = from.get_text(config::max_toml_bytes);
    entry.line = from.get<std::int32_t>();
    entry.column = from.get<std::int32_t>();
    entry.value = take_node(from, depth + 1);
    if (!node.entries.empty() && !(node.entries.back().key < entry.key))
      throw FlatError("keys that are not sorted");
    node.entries.push_back(std::move(entry));
  }
}

TomlNode take_node(FlatReader& from, int depth) {
  if (depth > most_depth) throw FlatError("nested too deep");
  TomlNode node;
  const auto kind = from.get<std::uint8_t>();
  if (kind > static_cast<std::uint8_t>(Kind::table))
    throw FlatError("a value of kind " + std::to_string(kind));
  node.kind = static_cast<Kind>(kind);
  node.line = from.get<std::int32_t>();
  node.column = from.get<std::int32_t>();
  if (node.kind == Kind::text) node.text = from.get_text(config::max_toml_bytes);
  if (node.kind == Kind::whole || node.kind == Kind::truth) node.whole = from.get<std::int64_t>();
  if (node.kind == Kind::real) node.real = from.get<double>();
  if (node.kind == Kind::array) {
    const std::uint32_t count = take_count(from);
    node.elements.reserve(count);
    for (std::uint32_t i = 0; i < count; ++i) node.elements.push_back(take_node(from, depth + 1));
  }
  if (node.kind == Kind::table) take_entries(from, node, depth);
  return node;
}

}  // namespace

void put_document(FlatWriter& to, const TomlNode& root) { put_node(to, root); }

TomlNode take_document(FlatReader& from) {
  TomlNode root = take_node(from, 0);
  from.finish();
  if (root.kind != Kind::table) throw FlatError("no table");
  return root;
}

void put_refusal(FlatWriter& to, const config::ConfigError& error) {
  to.put(static_cast<std::int32_t>(error.where().line));
  to.put(static_cast<std::int32_t>(error.where().column));
  to.put_text(std::string_view(error.problem()).substr(0, most_refusal_bytes));
  to.put_text(std::string_view(error.allowed()).substr(0, most_refusal_bytes));
}

config::ConfigError take_refusal(FlatReader& from, const std::string& name) {
  const auto line = from.get<std::int32_t>(), column = from.get<std::int32_t>();
  const std::string problem = from.get_text(most_refusal_bytes), allowed = from.get_text(most_refusal_bytes);
  from.finish();
  return config::ConfigError({name, line, column}, "", problem, allowed);
}

}  // namespace datum
