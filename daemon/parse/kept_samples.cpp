#include "daemon/parse/kept_samples.h"

#include <fcntl.h>

#include <algorithm>
#include <system_error>

#include "drivers/sensor/descriptor.h"
#include "drivers/sensor/file_bytes.h"

namespace datum {
namespace {

namespace fs = std::filesystem;

/// A name of a file here, whatever the input was called.
std::string plain_name(const std::string& name) {
  constexpr std::size_t most = 64;
  std::string plain = fs::path(name).filename().string();
  plain = plain.substr(plain.size() > most ? plain.size() - most : 0);
  std::replace_if(
      plain.begin(), plain.end(), [](char c) { return c < '!' || c > '~' || c == '/'; }, '_');
  return plain;
}

/// False: it is there already, or can't be written.
bool write_new(const fs::path& file, std::span<const std::uint8_t> bytes) {
  const Descriptor out(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0640));
  return out.get() >= 0 &&
         ::write(out.get(), bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size());
}

}  // namespace

fs::path KeptSamples::keep(const std::string& name, std::span<const std::uint8_t> bytes,
                           const std::string& reason) const try {
  std::error_code error;
  fs::create_directories(folder_, error);
  const auto files = std::distance(fs::directory_iterator(folder_, error), fs::directory_iterator());
  if (error || static_cast<std::size_t>(files) >= 2 * most_samples || bytes.size() > most_sample_bytes)
    return {};
  const fs::path file = folder_ / (sha256_hex({bytes}).substr(0, 16) + "-" + plain_name(name));
  if (!write_new(file, bytes)) return {};
  const std::string text = reason + "\n";
  write_new(file.string() + ".reason.txt", {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  return file;
} catch (const std::exception&) {
  return {};
}

}  // namespace datum
