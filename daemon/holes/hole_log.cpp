#include "daemon/holes/hole_log.h"

#include <fstream>

namespace datum {

namespace {

void append(const std::filesystem::path& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary | std::ios::app);
  out << text << std::flush;
  if (!out)
    throw HoleLogError(file.string() + ": cannot be written; check the folder's permissions and room");
}

}  // namespace

void HoleLog::begin(const std::filesystem::path& folder, const std::string& utc) {
  std::string name = "hole_";
  for (const char c : utc)
    if (c != '-' && c != ':') name += c;
  std::error_code why;
  std::filesystem::create_directories(folder, why);
  file_ = folder / (name + ".jsonl");
  for (int n = 2; std::filesystem::exists(file_, why); ++n)
    file_ = folder / (name + "~" + std::to_string(n) + ".jsonl");
  written_ = 0;
  append(file_, "");
}

void HoleLog::write(const HybridRun& run) {
  const std::string& log = run.log();
  append(file_, log.substr(written_));
  written_ = log.size();
}

void HoleLog::source(const std::string& line) const {
  std::filesystem::path file = file_;
  append(file.replace_extension(".sources"), line + "\n");
}

}  // namespace datum
