#include "drivers/sensor/claim_record.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "drivers/frame/frame_error.h"
#include "drivers/frame/percent_text.h"
#include "drivers/sensor/descriptor.h"
#include "drivers/sensor/file_bytes.h"

namespace datum {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view title = "datum claim 1\n";
constexpr std::size_t max_record_bytes = 524288;  // of a panel of 1000 boards with 128 characters each as %XX

fs::path record_in(const fs::path& folder) { return folder / ".claim"; }

std::string boards_line(const std::vector<std::string>& boards) {
  std::string line;
  for (const std::string& serial : boards)
    line += (line.empty() ? "boards " : ",") + percent_encoded(serial, ",");
  return line.empty() ? line : line + "\n";
}

/// False: no such line.
bool read_boards(std::string_view line, std::vector<std::string>& boards) {
  constexpr std::string_view key = "boards ";
  if (!line.starts_with(key) || !line.ends_with('\n')) return false;
  line.remove_prefix(key.size());
  for (std::size_t end = 0; !line.empty(); line.remove_prefix(end + 1)) {
    end = line.find_first_of(",\n");
    if (line[end] == '\n' && end + 1 != line.size()) return false;
    const auto serial = percent_decoded(line.substr(0, end));
    if (!serial) return false;
    boards.push_back(*serial);
  }
  return true;
}

}  // namespace

std::string to_text(const ClaimRecord& r) {
  return fmt::format("{}recipe {}\nsha256 {}\ntrigger {}\nunit {}\n{}", title, percent_encoded(r.recipe),
                     percent_encoded(r.recipe_sha256), percent_encoded(r.trigger), percent_encoded(r.unit),
                     boards_line(r.boards));
}

std::optional<ClaimRecord> claim_record_from_text(std::string_view text) {
  if (!text.starts_with(title)) return std::nullopt;
  text.remove_prefix(title.size());
  ClaimRecord record;
  const std::pair<std::string_view, std::string*> lines[] = {{"recipe ", &record.recipe},
                                                             {"sha256 ", &record.recipe_sha256},
                                                             {"trigger ", &record.trigger},
                                                             {"unit ", &record.unit}};
  for (const auto& [key, value] : lines) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos || !text.starts_with(key)) return std::nullopt;
    const auto read = percent_decoded(text.substr(key.size(), end - key.size()));
    if (!read) return std::nullopt;
    *value = *read;
    text.remove_prefix(end + 1);
  }
  const bool good = (text.empty() || read_boards(text, record.boards)) && !record.recipe.empty() &&
                    record.recipe_sha256.size() == 64 &&
                    (record.trigger == "on_frame" || record.trigger == "bus");
  return good ? std::optional(record) : std::nullopt;
}

bool write_claim_record(const fs::path& folder, const ClaimRecord& record) {
  const Descriptor out(
      ::open(record_in(folder).c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
  const std::string text = to_text(record);
  return out.get() >= 0 && ::write(out.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

void sync_claim_record(const fs::path& folder) {
  const Descriptor record(::open(record_in(folder).c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (record.get() >= 0) ::fsync(record.get());
}

std::optional<ClaimRecord> claim_record_in(const fs::path& folder) {
  try {
    const Bytes bytes = read_bytes_below(folder, ".claim", max_record_bytes);
    return claim_record_from_text({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  } catch (const FrameError&) {
    return std::nullopt;
  }
}

void remove_claim_record(const fs::path& folder) { ::unlink(record_in(folder).c_str()); }

}  // namespace datum
