#include "daemon/fleet/bundle.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <tuple>

#include "config/toml_reader.h"
#include "daemon/sign/hex.h"
#include "drivers/frame/frame_error.h"
#include "drivers/sensor/file_bytes.h"

namespace datum {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view first_line = "datumd bundle 1";
constexpr std::size_t most_line = 300;

[[noreturn]] void refuse(const std::string& why) { throw BundleError(why); }

/// Names are the same on every file system, hold no folder, and are hidden from nobody.
bool is_name(std::string_view name) {
  const auto fits = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           std::string_view("._+#-").find(c) != std::string_view::npos;
  };
  return !name.empty() && name.size() <= 64 && name[0] != '.' && std::all_of(name.begin(), name.end(), fits);
}

/// Text of one line, for people.
bool is_words(std::string_view text) {
  const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  return !text.empty() && text.size() <= 128 && text.front() != ' ' && text.back() != ' ' &&
         std::none_of(text.begin(), text.end(), control);
}

auto order_of(const BundleFile& f) { return std::tie(f.kind, f.name); }

/// What no bundle may hold, whoever made it.
void check(const Bundle& b) {
  if (!is_name(b.name))
    refuse(fmt::format("name '{}'; allowed: 1 to 64 letters, digits and . _ + # -, no . first",
                       b.name.substr(0, 64)));
  if (b.number < 1 || b.number > most_bundle_number)
    refuse(fmt::format("number {}; allowed: 1 to {}", b.number, most_bundle_number));
  if (!is_words(b.by)) refuse("by: allowed: the name of a person, 1 to 128 bytes on one line");
  if (b.cells.empty() || b.cells.size() > most_bundle_cells)
    refuse(fmt::format("{} cells; allowed: 1 to {}, or * for every cell", b.cells.size(), most_bundle_cells));
  for (std::size_t i = 0; i < b.cells.size(); ++i) {
    if (!is_words(b.cells[i])) refuse("cell: allowed: the name of a cell, 1 to 128 bytes on one line, or *");
    if (i > 0 && b.cells[i] <= b.cells[i - 1])
      refuse(fmt::format("cell '{}' is there twice or out of order", b.cells[i]));
    if (b.cells[i] == "*" && b.cells.size() > 1) refuse("cell * stands beside other cells; allowed: * alone");
  }
  if (b.files.empty() || b.files.size() > most_bundle_files)
    refuse(fmt::format("{} files; allowed: 1 to {}", b.files.size(), most_bundle_files));
  for (std::size_t i = 0; i < b.files.size(); ++i) {
    const BundleFile& f = b.files[i];
    if (!is_name(f.name) || !f.name.ends_with(".toml") || f.name.size() < 6)
      refuse(
          fmt::format("file '{}'; allowed: a file name without a folder, of up to 64 letters, digits and "
                      ". _ + # -, no . first, that ends in .toml",
                      f.name.substr(0, 64)));
    if (i > 0 && order_of(f) <= order_of(b.files[i - 1]))
      refuse(fmt::format("{} '{}' is there twice or out of order", name_of(f.kind), f.name));
  }
}

std::string signed_lines(const Bundle& b) {
  std::string text = fmt::format("{}\nname {}\nnumber {}\nby {}\n", first_line, b.name, b.number, b.by);
  for (const std::string& cell : b.cells) text += fmt::format("cell {}\n", cell);
  for (const BundleFile& f : b.files)
    text += fmt::format("{} {} {} {}\n", name_of(f.kind), f.name, f.text.size(), f.sha256);
  return text + fmt::format("key {}\n", b.key);
}

std::uint64_t number_of(std::string_view text, std::uint64_t most, const std::string& what) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value > most)
    refuse(fmt::format("{} '{}'; allowed: a whole number up to {}", what, text.substr(0, 40), most));
  return value;
}

/// The manifest's lines, one after the other.
class Lines {
 public:
  explicit Lines(std::string_view bytes) : bytes_(bytes) {}

  std::string_view next() {
    const auto end = bytes_.substr(at_, most_line + 1).find('\n');
    if (end == std::string_view::npos)
      refuse(fmt::format("line {} of the manifest is cut off or longer than {} bytes; copy the bundle again",
                         line_ + 1, most_line));
    const std::string_view line = bytes_.substr(at_, end);
    at_ += end + 1;
    ++line_;
    return line;
  }
  /// The rest of the next line after this word.
  std::string_view value_of(std::string_view word) {
    const std::string_view line = next();
    if (!line.starts_with(word) || line.size() <= word.size() || line[word.size()] != ' ')
      refuse(
          fmt::format("line {} of the manifest is '{}'; allowed: '{} ...'", line_, line.substr(0, 40), word));
    return line.substr(word.size() + 1);
  }
  bool begins(std::string_view words) const { return bytes_.substr(at_).starts_with(words); }
  std::string_view rest() const { return bytes_.substr(at_); }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0, line_ = 0;
};

struct StatedFile {
  BundleFile file;
  std::uint64_t bytes = 0;
};

StatedFile stated_file(BundleKind kind, std::string_view line) {
  const auto first = line.find(' ');
  const auto second = first == line.npos ? line.npos : line.find(' ', first + 1);
  if (second == line.npos)
    refuse(fmt::format("a line '{} ...' states no file name, bytes and SHA-256", name_of(kind)));
  StatedFile f{{kind, std::string(line.substr(0, first)), std::string(line.substr(second + 1)), ""}, 0};
  f.bytes = number_of(line.substr(first + 1, second - first - 1), most_bundle_bytes, "bytes of a file");
  return f;
}

}  // namespace

const char* name_of(BundleKind kind) { return kind == BundleKind::recipe ? "recipe" : "calibration"; }

std::string name_of(const Bundle& b) { return fmt::format("bundle {}, number {}", b.name, b.number); }

void sign(Bundle& b, const SigningKey& key) {
  std::sort(b.cells.begin(), b.cells.end());
  std::sort(b.files.begin(), b.files.end(),
            [](const BundleFile& x, const BundleFile& y) { return order_of(x) < order_of(y); });
  for (BundleFile& f : b.files) f.sha256 = config::sha256_hex(f.text);
  check(b);
  b.key = key.public_key();
  b.signature = key.sign(signed_lines(b));
  if (const std::size_t size = bytes_of(b).size(); size > most_bundle_bytes)
    refuse(fmt::format("the bundle would have {} bytes; allowed: {}", size, most_bundle_bytes));
}

bool is_good(const Bundle& b) { return is_signed_by(b.key, signed_lines(b), b.signature); }

std::string bytes_of(const Bundle& b) {
  std::string bytes = signed_lines(b) + fmt::format("signature {}\n\n", b.signature);
  for (const BundleFile& f : b.files) bytes += f.text;
  return bytes;
}

Bundle bundle_of(std::string_view bytes) {
  if (bytes.size() > most_bundle_bytes)
    refuse(fmt::format("has more than {} bytes, which no bundle has", most_bundle_bytes));
  Lines lines(bytes);
  if (!lines.begins(fmt::format("{}\n", first_line)))
    refuse("is no bundle of this version: it does not begin with 'datumd bundle 1'");
  lines.next();
  Bundle b;
  b.name = lines.value_of("name");
  b.number = number_of(lines.value_of("number"), most_bundle_number, "number");
  b.by = lines.value_of("by");
  while (lines.begins("cell ") && b.cells.size() <= most_bundle_cells)
    b.cells.emplace_back(lines.value_of("cell"));
  std::vector<StatedFile> stated;
  for (const BundleKind kind : {BundleKind::recipe, BundleKind::calibration})
    while (lines.begins(fmt::format("{} ", name_of(kind))) && stated.size() <= most_bundle_files)
      stated.push_back(stated_file(kind, lines.value_of(name_of(kind))));
  b.key = lines.value_of("key");
  b.signature = lines.value_of("signature");
  if (!is_hex(b.key, 64)) refuse("key: allowed: 64 hex digits in lower case");
  if (!is_hex(b.signature, 128)) refuse("signature: allowed: 128 hex digits in lower case");
  if (!lines.next().empty()) refuse("no empty line follows the signature");
  std::string_view rest = lines.rest();
  for (StatedFile& f : stated) {
    if (f.bytes > rest.size())
      refuse(fmt::format("{} '{}' is cut off: {} of {} bytes; copy the bundle again", name_of(f.file.kind),
                         f.file.name, rest.size(), f.bytes));
    f.file.text = rest.substr(0, f.bytes);
    rest.remove_prefix(f.bytes);
    b.files.push_back(std::move(f.file));
  }
  if (!rest.empty()) refuse(fmt::format("{} bytes stand behind the last file", rest.size()));
  check(b);
  for (const BundleFile& f : b.files)
    if (const std::string is = config::sha256_hex(f.text); is != f.sha256)
      refuse(fmt::format("{} '{}' has the SHA-256 {}; the manifest states {}", name_of(f.kind), f.name, is,
                         f.sha256.substr(0, 64)));
  // A number with leading zeros would be a second spelling that nobody signed.
  if (bytes_of(b) != bytes) refuse("a value of the manifest is not spelt as datumd spells it");
  return b;
}

std::string bundle_bytes(const fs::path& file) {
  try {
    const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
    const Bytes bytes = read_bytes_below(folder, file.filename(), most_bundle_bytes);
    return {bytes.begin(), bytes.end()};
  } catch (const FrameError& error) {
    refuse(fmt::format("{}: {}", file.string(), error.what()));
  }
}

}  // namespace datum
