#include "config/toml_reader.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <sys/stat.h>
#include <toml++/toml.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <numeric>
#include <set>

#include "config/toml_bounds.h"

namespace datum::config {

namespace {

/// The whole of a regular file, of a size that is bounded; never waits.
std::string bytes_of(const std::filesystem::path& path) {
  const auto refuse = [&](const std::string& problem, const std::string& allowed) {
    throw ConfigError({path.string(), 0, 0}, "", problem, allowed);
  };
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  const std::unique_ptr<const int, void (*)(const int*)> closes(&fd, [](const int* f) {
    if (*f >= 0) ::close(*f);
  });
  struct stat info {};
  if (fd < 0 || ::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode))
    refuse("cannot be read", "a readable TOML file (check the path and its permissions)");
  if (static_cast<std::size_t>(info.st_size) > max_toml_bytes)
    refuse("has " + std::to_string(info.st_size) + " bytes",
           "at most " + std::to_string(max_toml_bytes) + " bytes");
  std::string bytes;
  char block[65536];
  // One that grows meanwhile is refused by its size as text.
  while (bytes.size() <= max_toml_bytes) {
    const ssize_t n = ::read(fd, block, sizeof block);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) refuse("cannot be read", "a readable TOML file (check the path and its permissions)");
    if (n == 0) break;
    bytes.append(block, static_cast<std::size_t>(n));
  }
  return bytes;
}

std::pair<int, int> place(const toml::key& key) {
  return {static_cast<int>(key.source().begin.line), static_cast<int>(key.source().begin.column)};
}

/// Levenshtein distance: insertions, deletions and replacements that make `b` of `a`.
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

/// The known key that a typing error most likely meant; empty where none is close (a third of its length).
std::string nearest(std::string_view key, const std::set<std::string, std::less<>>& known) {
  std::string best;
  std::size_t least = key.size() / 3 + 1;
  for (const std::string& candidate : known) {
    const std::size_t distance = edits(key, candidate);
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

}  // namespace

std::string sha256_hex(std::string_view bytes) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest, &size, EVP_sha256(), nullptr) != 1) {
    throw std::runtime_error("SHA-256 is not available in this OpenSSL");
  }
  std::string hex;
  for (unsigned i = 0; i < size; ++i) {
    hex += "0123456789abcdef"[digest[i] >> 4];
    hex += "0123456789abcdef"[digest[i] & 15];
  }
  return hex;
}

struct TomlTable::Impl {
  std::shared_ptr<toml::table> document;  // keeps the nodes alive
  toml::table* table = nullptr;
  std::string file;
  std::string sha256;
  std::string prefix;
  std::set<std::string, std::less<>> asked;

  toml::node* find(std::string_view key) {
    asked.emplace(key);
    return table->get(key);
  }
};

TomlTable::TomlTable(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TomlTable::~TomlTable() = default;
TomlTable::TomlTable(TomlTable&&) noexcept = default;
TomlTable& TomlTable::operator=(TomlTable&&) noexcept = default;

TomlTable TomlTable::from_text(std::string_view text, const std::string& name) {
  check_toml_bounds(text, name);
  try {
    auto impl = std::make_unique<Impl>();
    impl->document = std::make_shared<toml::table>(toml::parse(text, name));
    impl->table = impl->document.get();
    impl->file = name;
    impl->sha256 = sha256_hex(text);
    return TomlTable(std::move(impl));
  } catch (const toml::parse_error& error) {
    const auto at = error.source().begin;
    throw ConfigError({name, static_cast<int>(at.line), static_cast<int>(at.column)}, "",
                      "not valid TOML: " + std::string(error.description()).substr(0, 256), "");
  }
}

TomlTable TomlTable::from_file(const std::filesystem::path& path) {
  return from_text(bytes_of(path), path.string());
}

const std::string& TomlTable::sha256() const { return impl_->sha256; }

bool TomlTable::has(std::string_view key) const { return impl_->table->contains(key); }

std::string TomlTable::path(std::string_view key) const {
  return impl_->prefix.empty() ? std::string(key) : impl_->prefix + "." + std::string(key);
}

Location TomlTable::where() const {
  const auto at = impl_->table->source().begin;
  return {impl_->file, static_cast<int>(at.line), static_cast<int>(at.column)};
}

Location TomlTable::where(std::string_view key) const {
  const toml::node* node = impl_->table->get(key);
  if (!node) return where();
  const auto at = node->source().begin;
  return {impl_->file, static_cast<int>(at.line), static_cast<int>(at.column)};
}

void TomlTable::refuse(std::string_view key, const std::string& problem, const std::string& allowed) const {
  throw ConfigError(where(key), path(key), problem, allowed);
}

std::string TomlTable::text(std::string_view key) {
  const toml::node* node = impl_->find(key);
  if (!node) refuse(key, "missing", "a text in quotes");
  const auto value = node->value_exact<std::string>();
  if (!value) refuse(key, "is not a text", "a text in quotes");
  return *value;
}

std::string TomlTable::text_or(std::string_view key, std::string fallback) {
  impl_->asked.emplace(key);
  return has(key) ? text(key) : std::move(fallback);
}

std::optional<std::string> TomlTable::text_if(std::string_view key) {
  impl_->asked.emplace(key);
  if (!has(key)) return std::nullopt;
  return text(key);
}

bool TomlTable::boolean(std::string_view key) {
  const toml::node* node = impl_->find(key);
  if (!node) refuse(key, "missing", "true or false");
  const auto value = node->value_exact<bool>();
  if (!value) refuse(key, "is not a truth value", "true or false");
  return *value;
}

bool TomlTable::boolean_or(std::string_view key, bool fallback) {
  impl_->asked.emplace(key);
  return has(key) ? boolean(key) : fallback;
}

double TomlTable::number(std::string_view key, Range allowed) {
  const toml::node* node = impl_->find(key);
  if (!node) refuse(key, "missing", "a number, " + shown(allowed));
  if (!node->is_number()) refuse(key, "is not a number", "a number, " + shown(allowed));
  const double value = *node->value<double>();
  if (!std::isfinite(value) || value < allowed.min || value > allowed.max) {
    refuse(key, shown(value) + " is out of range", shown(allowed));
  }
  return value;
}

double TomlTable::number_or(std::string_view key, double fallback, Range allowed) {
  impl_->asked.emplace(key);
  return has(key) ? number(key, allowed) : fallback;
}

std::optional<double> TomlTable::number_if(std::string_view key, Range allowed) {
  impl_->asked.emplace(key);
  if (!has(key)) return std::nullopt;
  return number(key, allowed);
}

std::int64_t TomlTable::integer(std::string_view key, std::int64_t min, std::int64_t max) {
  const std::string allowed =
      min == max ? std::to_string(min)
                 : "a whole number from " + std::to_string(min) + " to " + std::to_string(max);
  const toml::node* node = impl_->find(key);
  if (!node) refuse(key, "missing", allowed);
  const auto value = node->value_exact<std::int64_t>();
  if (!value) refuse(key, "is not a whole number", allowed);
  if (*value < min || *value > max) refuse(key, std::to_string(*value) + " is out of range", allowed);
  return *value;
}

std::int64_t TomlTable::integer_or(std::string_view key, std::int64_t fallback, std::int64_t min,
                                   std::int64_t max) {
  impl_->asked.emplace(key);
  return has(key) ? integer(key, min, max) : fallback;
}

std::optional<std::int64_t> TomlTable::integer_if(std::string_view key, std::int64_t min, std::int64_t max) {
  impl_->asked.emplace(key);
  if (!has(key)) return std::nullopt;
  return integer(key, min, max);
}

std::vector<double> TomlTable::numbers(std::string_view key, std::size_t count, Range range) {
  return numbers_between(key, count, count, range);
}

std::vector<double> TomlTable::numbers_between(std::string_view key, std::size_t least, std::size_t most,
                                               Range range) {
  const bool any = std::isinf(range.min) && std::isinf(range.max);
  const std::string allowed = "an array of " + std::to_string(least) +
                              (least == most ? "" : " to " + std::to_string(most)) + " finite numbers" +
                              (any ? "" : ", each " + shown(range));
  toml::node* node = impl_->find(key);
  if (!node) refuse(key, "missing", allowed);
  const toml::array* array = node->as_array();
  if (!array) refuse(key, "is not an array", allowed);
  if (array->size() < least || array->size() > most) {
    refuse(key, "has " + std::to_string(array->size()) + " elements", allowed);
  }
  std::vector<double> values;
  for (const toml::node& element : *array) {
    const auto value = element.is_number() ? element.value<double>() : std::nullopt;
    if (!value || !std::isfinite(*value)) refuse(key, "has an element that is not a finite number", allowed);
    if (*value < range.min || *value > range.max) refuse(key, shown(*value) + " is out of range", allowed);
    values.push_back(*value);
  }
  return values;
}

std::vector<std::string> TomlTable::texts(std::string_view key) {
  toml::node* node = impl_->find(key);
  if (!node) refuse(key, "missing", "an array of texts");
  const toml::array* array = node->as_array();
  if (!array) refuse(key, "is not an array", "an array of texts");
  std::vector<std::string> values;
  for (const toml::node& element : *array) {
    const auto value = element.value_exact<std::string>();
    if (!value) refuse(key, "has an element that is not a text", "an array of texts");
    values.push_back(*value);
  }
  return values;
}

std::vector<std::string> TomlTable::texts_or(std::string_view key, std::vector<std::string> fallback) {
  impl_->asked.emplace(key);
  return has(key) ? texts(key) : std::move(fallback);
}

TomlTable TomlTable::table(std::string_view key) {
  toml::node* node = impl_->find(key);
  if (!node) refuse(key, "missing", "a table [" + path(key) + "]");
  if (!node->is_table()) refuse(key, "is not a table", "a table [" + path(key) + "]");
  auto impl = std::make_unique<Impl>();
  impl->document = impl_->document;
  impl->table = node->as_table();
  impl->file = impl_->file;
  impl->sha256 = impl_->sha256;
  impl->prefix = path(key);
  return TomlTable(std::move(impl));
}

std::optional<TomlTable> TomlTable::table_if(std::string_view key) {
  impl_->asked.emplace(key);
  if (!has(key)) return std::nullopt;
  return table(key);
}

std::vector<TomlTable> TomlTable::tables(std::string_view key) {
  std::vector<TomlTable> all;
  toml::node* node = impl_->find(key);
  if (!node) return all;
  toml::array* array = node->as_array();
  if (!array) refuse(key, "is not an array of tables", "[[" + path(key) + "]]");
  std::size_t index = 0;
  for (toml::node& element : *array) {
    if (!element.is_table()) refuse(key, "has an element that is not a table", "[[" + path(key) + "]]");
    auto impl = std::make_unique<Impl>();
    impl->document = impl_->document;
    impl->table = element.as_table();
    impl->file = impl_->file;
    impl->sha256 = impl_->sha256;
    impl->prefix = path(key) + "[" + std::to_string(index++) + "]";
    all.push_back(TomlTable(std::move(impl)));
  }
  return all;
}

std::vector<std::string> TomlTable::table_names() const {
  std::vector<std::pair<std::uint32_t, std::string>> found;
  for (const auto& [key, node] : *impl_->table) {
    if (node.is_table()) found.emplace_back(node.source().begin.line, std::string(std::string_view(key)));
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string> names;
  for (auto& [line, name] : found) names.push_back(std::move(name));
  return names;
}

void TomlTable::finish() const {
  const toml::key* first = nullptr;
  for (const auto& [key, node] : *impl_->table) {
    if (impl_->asked.count(key.str())) continue;
    if (!first || place(key) < place(*first)) first = &key;
  }
  if (!first) return;
  std::string known;
  for (const std::string& key : impl_->asked) known += (known.empty() ? "" : ", ") + key;
  const std::string near = nearest(first->str(), impl_->asked);
  throw ConfigError({impl_->file, place(*first).first, place(*first).second}, path(first->str()),
                    "unknown key" + (near.empty() ? "" : " (did you mean " + near + "?)"),
                    known.empty() ? "no key at all" : "one of: " + known);
}

}  // namespace datum::config
