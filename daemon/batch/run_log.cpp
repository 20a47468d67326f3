#include "daemon/batch/run_log.h"

#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

namespace datum {
namespace {

namespace fs = std::filesystem;

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

/// A field of a CSV file (RFC 4180).
std::string field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

}  // namespace

RunLog::~RunLog() {
  if (fd_ >= 0) ::close(fd_);
}

void RunLog::note(const std::string& key, const std::string& backend, double read_ms, double measure_ms,
                  double write_ms) {
  if (fd_ < 0) {
    std::error_code none;
    fs::create_directories(batch_ / "runs", none);
    std::string name = (batch_ / "runs" / (host_name() + "-XXXXXX.jsonl")).string();
    fd_ = ::mkostemps(name.data(), 6, O_APPEND | O_CLOEXEC);
    if (fd_ < 0) return;
  }
  const nlohmann::ordered_json line = {
      {"key", key},         {"host", host_name()},      {"backend", backend},
      {"read_ms", read_ms}, {"measure_ms", measure_ms}, {"write_ms", write_ms}};
  const std::string text = line.dump() + '\n';
  [[maybe_unused]] const auto written = ::write(fd_, text.data(), text.size());
}

std::string run_table(const fs::path& batch) {
  std::vector<std::string> rows;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(batch / "runs", none)) {
    std::ifstream in(entry.path());
    for (std::string line; std::getline(in, line);) {
      try {
        const auto json = nlohmann::json::parse(line);
        const auto text = [&](const char* key) { return field(json.at(key).get<std::string>()); };
        const auto ms = [&](const char* key) { return fmt::format("{:.3f}", json.at(key).get<double>()); };
        rows.push_back(text("key") + ',' + text("host") + ',' + text("backend") + ',' + ms("read_ms") + ',' +
                       ms("measure_ms") + ',' + ms("write_ms") + '\n');
      } catch (const nlohmann::json::exception&) {
        continue;
      }
    }
  }
  std::sort(rows.begin(), rows.end());
  std::string text = "key,machine,backend,read_ms,measure_ms,write_ms\n";
  for (const std::string& row : rows) text += row;
  return text;
}

}  // namespace datum
