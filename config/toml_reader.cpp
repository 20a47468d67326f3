#include "config/toml_reader.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>

#include "config/suggestion.h"
#include "config/toml_bounds.h"
#include "config/toml_document.h"

namespace datum::config {

namespace {

std::pair<int, int> place(const TomlEntry& entry) { return {entry.line, entry.column}; }

bool is_number(const TomlNode& node) {
  return node.kind == TomlNode::Kind::whole || node.kind == TomlNode::Kind::real;
}

double number_of(const TomlNode& node) {
  return node.kind == TomlNode::Kind::whole ? static_cast<double>(node.whole) : node.real;
}

/// A number in quotes is a frequent mistake; its remedy is to remove them.
std::string not_a_number(const TomlNode& node, const char* what) {
  char* end = nullptr;
  if (node.kind != TomlNode::Kind::text || (std::strtod(node.text.c_str(), &end), end) == node.text.c_str())
    return std::string("is not ") + what;
  const std::string quoted = "\"" + node.text + "\" is in quotes, which makes it a text";
  return *end == '\0' ? quoted
                      : quoted + "; write the number alone, with a decimal point and in the unit of the key";
}

}  // namespace

std::string toml_file_bytes(const std::filesystem::path& path) {
  const auto refuse = [&](const std::string& problem, const std::string& allowed) {
    throw ConfigError({path.string(), 0, 0}, "", problem, allowed);
  };
  // Opening a pipe does not block.
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
  // A file that grows meanwhile is refused by its text's size.
  while (bytes.size() <= max_toml_bytes) {
    const ssize_t n = ::read(fd, block, sizeof block);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) refuse("cannot be read", "a readable TOML file (check the path and its permissions)");
    if (n == 0) break;
    bytes.append(block, static_cast<std::size_t>(n));
  }
  return bytes;
}

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
  std::shared_ptr<const TomlNode> document;  // keeps the nodes alive
  const TomlNode* table = nullptr;
  std::string file;
  std::string sha256;
  std::string prefix;
  Words asked, declared;  // declared: empty before only_keys()

  const TomlNode* find(std::string_view key) {
    asked.emplace(key);
    return table->find(key);
  }
};

TomlTable::TomlTable(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TomlTable::~TomlTable() = default;
TomlTable::TomlTable(TomlTable&&) noexcept = default;
TomlTable& TomlTable::operator=(TomlTable&&) noexcept = default;

TomlTable TomlTable::from_text(std::string_view text, const std::string& name, const TomlParser* apart) {
  auto impl = std::make_unique<Impl>();
  impl->document =
      std::make_shared<const TomlNode>(apart ? apart->parse(text, name) : parse_toml(text, name));
  impl->table = impl->document.get();
  impl->file = name;
  impl->sha256 = sha256_hex(text);
  return TomlTable(std::move(impl));
}

TomlTable TomlTable::from_file(const std::filesystem::path& path, const TomlParser* apart) {
  return from_text(toml_file_bytes(path), path.string(), apart);
}

const std::string& TomlTable::sha256() const { return impl_->sha256; }

bool TomlTable::has(std::string_view key) const { return impl_->table->find(key) != nullptr; }

std::string TomlTable::path(std::string_view key) const {
  return impl_->prefix.empty() ? std::string(key) : impl_->prefix + "." + std::string(key);
}

Location TomlTable::where() const { return {impl_->file, impl_->table->line, impl_->table->column}; }

Location TomlTable::where(std::string_view key) const {
  const TomlNode* node = impl_->table->find(key);
  if (!node) return where();
  return {impl_->file, node->line, node->column};
}

void TomlTable::refuse(std::string_view key, const std::string& problem, const std::string& allowed) const {
  throw ConfigError(where(key), path(key), problem, allowed);
}

std::string TomlTable::text(std::string_view key) {
  const TomlNode* node = impl_->find(key);
  if (!node) refuse(key, "missing", "a text in quotes");
  if (node->kind != TomlNode::Kind::text) refuse(key, "is not a text", "a text in quotes");
  return node->text;
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

std::string TomlTable::word(std::string_view key, const Words& words, const std::string& allowed) {
  const TomlNode* node = impl_->find(key);
  if (!node) refuse(key, "missing", allowed);
  if (node->kind != TomlNode::Kind::text) refuse(key, "is not a text in quotes", allowed);
  if (!words.count(node->text))
    refuse(key, "'" + node->text + "' is not known" + did_you_mean(node->text, words), allowed);
  return node->text;
}

bool TomlTable::boolean(std::string_view key) {
  const TomlNode* node = impl_->find(key);
  if (!node) refuse(key, "missing", "true or false");
  if (node->kind != TomlNode::Kind::truth) refuse(key, "is not a truth value", "true or false");
  return node->whole != 0;
}

bool TomlTable::boolean_or(std::string_view key, bool fallback) {
  impl_->asked.emplace(key);
  return has(key) ? boolean(key) : fallback;
}

double TomlTable::number(std::string_view key, Range allowed) {
  const TomlNode* node = impl_->find(key);
  if (!node) refuse(key, "missing", "a number, " + shown(allowed));
  if (!is_number(*node)) refuse(key, not_a_number(*node, "a number"), "a number, " + shown(allowed));
  const double value = number_of(*node);
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
  const TomlNode* node = impl_->find(key);
  if (!node) refuse(key, "missing", allowed);
  if (node->kind == TomlNode::Kind::real) refuse(key, "has a decimal point", allowed);
  if (node->kind != TomlNode::Kind::whole) refuse(key, not_a_number(*node, "a whole number"), allowed);
  const std::int64_t value = node->whole;
  if (value < min || value > max) refuse(key, std::to_string(value) + " is out of range", allowed);
  return value;
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
  const TomlNode* node = impl_->find(key);
  if (!node) refuse(key, "missing", allowed);
  if (node->kind != TomlNode::Kind::array) refuse(key, "is not an array", allowed);
  const std::vector<TomlNode>& array = node->elements;
  if (array.size() < least || array.size() > most) {
    refuse(key, "has " + std::to_string(array.size()) + " elements", allowed);
  }
  std::vector<double> values;
  for (const TomlNode& element : array) {
    if (element.kind == TomlNode::Kind::text)
      refuse(key, not_a_number(element, "an array of numbers"), allowed);
    if (!is_number(element) || !std::isfinite(number_of(element)))
      refuse(key, "has an element that is not a finite number", allowed);
    const double value = number_of(element);
    if (value < range.min || value > range.max) refuse(key, shown(value) + " is out of range", allowed);
    values.push_back(value);
  }
  return values;
}

std::vector<std::string> TomlTable::texts(std::string_view key) {
  const TomlNode* node = impl_->find(key);
  if (!node) refuse(key, "missing", "an array of texts");
  if (node->kind != TomlNode::Kind::array) refuse(key, "is not an array", "an array of texts");
  std::vector<std::string> values;
  for (const TomlNode& element : node->elements) {
    if (element.kind != TomlNode::Kind::text)
      refuse(key, "has an element that is not a text", "an array of texts");
    values.push_back(element.text);
  }
  return values;
}

std::vector<std::string> TomlTable::texts_or(std::string_view key, std::vector<std::string> fallback) {
  impl_->asked.emplace(key);
  return has(key) ? texts(key) : std::move(fallback);
}

TomlTable TomlTable::table(std::string_view key) {
  const TomlNode* node = impl_->find(key);
  if (!node) refuse(key, "missing", "a table [" + path(key) + "]");
  if (node->kind != TomlNode::Kind::table) refuse(key, "is not a table", "a table [" + path(key) + "]");
  auto impl = std::make_unique<Impl>();
  impl->document = impl_->document;
  impl->table = node;
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
  const TomlNode* node = impl_->find(key);
  if (!node) return all;
  if (node->kind != TomlNode::Kind::array) refuse(key, "is not an array of tables", "[[" + path(key) + "]]");
  std::size_t index = 0;
  for (const TomlNode& element : node->elements) {
    if (element.kind != TomlNode::Kind::table)
      refuse(key, "has an element that is not a table", "[[" + path(key) + "]]");
    auto impl = std::make_unique<Impl>();
    impl->document = impl_->document;
    impl->table = &element;
    impl->file = impl_->file;
    impl->sha256 = impl_->sha256;
    impl->prefix = path(key) + "[" + std::to_string(index++) + "]";
    all.push_back(TomlTable(std::move(impl)));
  }
  return all;
}

std::vector<std::string> TomlTable::table_names() const {
  std::vector<std::pair<int, std::string>> found;
  for (const TomlEntry& entry : impl_->table->entries) {
    if (entry.value.kind == TomlNode::Kind::table) found.emplace_back(entry.value.line, entry.key);
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string> names;
  for (auto& [line, name] : found) names.push_back(std::move(name));
  return names;
}

void TomlTable::name_by(std::string_view key) {
  const TomlNode* node = impl_->table->find(key);
  if (!node || node->kind != TomlNode::Kind::text || node->text.empty() || node->text.size() > 64) return;
  const auto plain = [](unsigned char c) { return c > ' ' && c < 127; };
  if (std::all_of(node->text.begin(), node->text.end(), plain)) impl_->prefix = node->text;
}

const TomlEntry* TomlTable::first_beyond(const Words& known) const {
  const TomlEntry* first = nullptr;
  for (const TomlEntry& entry : impl_->table->entries) {
    if (known.count(entry.key)) continue;
    if (!first || place(entry) < place(*first)) first = &entry;
  }
  return first;
}

void TomlTable::refuse_entry(const TomlEntry& entry, const std::string& problem, const Words& known) const {
  throw ConfigError({impl_->file, entry.line, entry.column}, path(entry.key), problem,
                    one_of(known, "no key at all"));
}

void TomlTable::only_keys(std::initializer_list<const char*> keys) {
  only_keys(Words(keys.begin(), keys.end()));
}

void TomlTable::only_keys(const Words& keys) {
  impl_->declared = keys;
  if (const TomlEntry* first = first_beyond(impl_->declared))
    refuse_entry(*first, "unknown key" + did_you_mean(first->key, impl_->declared), impl_->declared);
}

void TomlTable::finish() const {
  const TomlEntry* first = first_beyond(impl_->asked);
  if (!first) return;
  refuse_entry(*first,
               impl_->declared.count(first->key) ? "has no effect beside the other keys of this table"
                                                 : "unknown key" + did_you_mean(first->key, impl_->asked),
               impl_->asked);
}

}  // namespace datum::config
