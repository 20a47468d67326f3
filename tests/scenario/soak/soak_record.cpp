#include "tests/scenario/soak/soak_record.h"

#include <sstream>

namespace datum::soak {
namespace {

namespace fs = std::filesystem;

/// The complete lines of a file; truncates an incomplete last line.
std::vector<std::string> whole_lines(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::vector<std::string> lines;
  std::uintmax_t whole = 0;
  for (std::string line; std::getline(in, line) && !in.eof(); lines.push_back(line)) whole += line.size() + 1;
  in.close();
  if (fs::exists(file)) fs::resize_file(file, whole);
  return lines;
}

}  // namespace

Record::Record(const fs::path& folder) {
  for (const std::string& text : whole_lines(folder / "boards")) {
    std::istringstream in(text);
    BoardLine line;
    char mark = '-';
    in >> line.number >> line.sequence >> line.decision >> line.latency_us >> mark;
    line.mark = static_cast<Mark>(mark);
    boards_.push_back(line);
  }
  for (const std::string& text : whole_lines(folder / "usage")) {
    std::istringstream in(text);
    UsageLine line;
    in >> line.life >> line.number >> line.usage.rss_kib >> line.usage.anon_kib >> line.usage.peak_kib >>
        line.usage.descriptors >> line.usage.threads;
    usage_.push_back(line);
  }
  for (const std::string& text : whole_lines(folder / "faults")) ++faults_.at(std::stoul(text));
  for (const std::string& text : whole_lines(folder / "seconds")) seconds_ += std::stod(text);
  const auto mode = std::ios::app | std::ios::binary;
  boards_file_.open(folder / "boards", mode);
  usage_file_.open(folder / "usage", mode);
  faults_file_.open(folder / "faults", mode);
  seconds_file_.open(folder / "seconds", mode);
}

void Record::add(const BoardLine& line) {
  boards_.push_back(line);
  boards_file_ << line.number << ' ' << line.sequence << ' ' << line.decision << ' ' << line.latency_us << ' '
               << static_cast<char>(line.mark) << std::endl;
}

void Record::add(const UsageLine& line) {
  usage_.push_back(line);
  const scenario::Usage& u = line.usage;
  usage_file_ << line.life << ' ' << line.number << ' ' << u.rss_kib << ' ' << u.anon_kib << ' ' << u.peak_kib
              << ' ' << u.descriptors << ' ' << u.threads << std::endl;
}

void Record::add(Fault fault) {
  ++faults_.at(static_cast<std::size_t>(fault));
  faults_file_ << static_cast<int>(fault) << std::endl;
}

void Record::ran(double seconds) {
  seconds_ += seconds;
  seconds_file_ << seconds << std::endl;
}

}  // namespace datum::soak
