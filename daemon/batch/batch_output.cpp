#include "daemon/batch/batch_output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <system_error>

#include "config/toml_reader.h"
#include "daemon/system/durable_file.h"

namespace datum {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& file, const char* what) {
  throw std::system_error(errno, std::generic_category(), file.string() + ": " + what);
}

/// A file with a name of its own, removed unless it was renamed.
class OwnPart {
 public:
  explicit OwnPart(const fs::path& file)
      : name_((file.parent_path() / ("." + file.filename().string() + ".XXXXXX")).string()),
        fd_(::mkostemp(name_.data(), O_CLOEXEC)) {
    if (fd_ < 0) fail(file, "cannot be made");
  }
  ~OwnPart() {
    ::close(fd_);
    if (!renamed_) ::unlink(name_.c_str());
  }
  OwnPart(const OwnPart&) = delete;
  OwnPart& operator=(const OwnPart&) = delete;

  void write(const std::string& text) const {
    for (std::size_t done = 0; done < text.size();) {
      const ssize_t n = ::write(fd_, text.data() + done, text.size() - done);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) fail(name_, "cannot be written");
      done += static_cast<std::size_t>(n);
    }
    if (::fchmod(fd_, 0644) != 0 || ::fsync(fd_) != 0) fail(name_, "cannot be brought to the disk");
  }
  void rename_to(const fs::path& file) {
    if (::rename(name_.c_str(), file.c_str()) != 0) fail(file, "cannot be renamed to");
    renamed_ = true;
  }

 private:
  std::string name_;
  int fd_;
  bool renamed_ = false;
};

std::string line_at(const std::string& text, std::size_t& at) {
  const std::size_t end = text.find('\n', at);
  if (end == std::string::npos) throw std::runtime_error("is cut off");
  std::string line = text.substr(at, end - at);
  at = end + 1;
  return line;
}

std::string sum_line(std::string_view text) {
  return fmt::format("{{\"sha256\":\"{}\"}}\n", config::sha256_hex(text));
}

}  // namespace

fs::path output_file(const fs::path& batch, const std::string& key) {
  return batch / "outputs" / key.substr(0, 2) / (key + ".json");
}

fs::path poison_file(const fs::path& batch, const std::string& key) {
  return batch / "poison" / (key + ".json");
}

std::string output_text(const std::string& key, const std::string& backend, const BoardVerdict& measured) {
  std::string text =
      fmt::format("{{\"datumd_batch_output\":1,\"what_if\":true,\"key\":\"{}\",\"backend\":\"{}\"}}\n{}\n",
                  key, backend, to_json(comparable(measured)));
  return text + sum_line(text);
}

BatchOutput output_from_text(const std::string& text) {
  BatchOutput output;
  std::size_t at = 0;
  const std::string head = line_at(text, at);
  output.verdict = line_at(text, at);
  if (text.substr(at) != sum_line(std::string_view(text).substr(0, at)))
    throw std::runtime_error("its bytes are not those of its SHA-256");
  try {
    const auto json = nlohmann::json::parse(head);
    if (json.at("datumd_batch_output") != 1) throw std::runtime_error("is no output of version 1");
    output.key = json.at("key").get<std::string>();
    output.backend = json.at("backend").get<std::string>();
  } catch (const nlohmann::json::exception& error) {
    throw std::runtime_error(std::string("is no output: ") + error.what());
  }
  return output;
}

FoundOutput find_output(const fs::path& batch, const std::string& key) {
  FoundOutput found;
  const fs::path file = output_file(batch, key);
  std::ifstream in(file, std::ios::binary);
  if (!in) {
    std::error_code none;
    if (!fs::exists(fs::symlink_status(file, none))) return found;
    return {OutputState::damaged, file.string() + ": can't be read", {}};
  }
  try {
    found.output = output_from_text({std::istreambuf_iterator<char>(in), {}});
    if (found.output.key != key) throw std::runtime_error("is the output of unit " + found.output.key);
    found.state = OutputState::good;
  } catch (const std::exception& error) {
    found = {OutputState::damaged, fmt::format("{}: {}", file.string(), error.what()), {}};
  }
  return found;
}

void write_beside_others(const fs::path& file, const std::string& text) {
  if (fs::create_directories(file.parent_path())) sync_name_of(file.parent_path());
  OwnPart part(file);
  part.write(text);
  part.rename_to(file);
  sync_name_of(file);
}

void remove_left_overs(const fs::path& batch) {
  std::error_code none;
  for (const auto& entry : fs::recursive_directory_iterator(batch / "outputs", none))
    if (entry.path().filename().string().starts_with('.')) fs::remove(entry.path(), none);
}

}  // namespace datum
