// The store of a soak, checked by the operator's programs: datumctl verify results and datumctl export.
#include <fmt/format.h>

#include <map>
#include <sstream>
#include <stdexcept>

#include "tests/scenario/scenario_program.h"
#include "tests/scenario/soak/soak_record.h"

namespace datum::soak {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t results_of_a_timeout = 50'000;  // results that both programs process in some 10 s

scenario::Outcome run(std::vector<std::string> arguments, const fs::path& store, std::size_t results) {
  const std::string log = arguments[1] + ".log";
  fs::remove(store.parent_path() / log);
  arguments.insert(arguments.end(), {"--store", store.filename().string()});
  scenario::Program program(arguments, store.parent_path(), log);
  for (std::size_t n = results / results_of_a_timeout;
       n > 0 && !scenario::readable({program.ended()}, scenario::timeout()); --n)
    continue;
  const int status = program.wait();
  return {status, program.output()};
}

struct Row {
  int number = 0;
  std::string decision;
};

/// Rows by sequence number. No earlier cell of the soak contains a comma.
std::map<std::uint64_t, Row> rows_of(const fs::path& csv) {
  std::ifstream in(csv);
  const auto cells = [&] {
    std::vector<std::string> found;
    std::string line, cell;
    std::getline(in, line);
    for (std::istringstream text(line); std::getline(text, cell, ',');) found.push_back(cell);
    return found;
  };
  std::map<std::string, std::size_t> at;
  for (const std::string& name : cells()) at.emplace(name, at.size());
  std::map<std::uint64_t, Row> rows;
  for (auto row = cells(); !row.empty(); row = cells())
    rows[std::stoull(row.at(at.at("sequence")))] = {number_of(row.at(at.at("frame_id"))),
                                                    row.at(at.at("board_decision"))};
  return rows;
}

std::uint64_t count_different(const Record& record, const std::map<std::uint64_t, Row>& rows) {
  std::uint64_t different = 0;
  for (const BoardLine& line : record.boards()) {
    const auto row = rows.find(line.sequence);
    const bool same =
        row != rows.end() && row->second.number == line.number && row->second.decision == line.decision;
    different += same ? 0 : 1;
  }
  return different;
}

}  // namespace

int check_store(const Record& record, const fs::path& store) {
  const std::size_t results = record.boards().size();
  if (!fs::exists(store)) return say(results > 0, store.string() + " is not there");
  const auto verified = run({"datumctl", "verify", "results"}, store, results);
  std::istringstream lines(verified.output);
  for (std::string line; std::getline(lines, line);) fmt::print("       datumctl verify results: {}\n", line);
  int failures =
      say(verified.status != 0, fmt::format("verify results ends with status {}", verified.status));
  const auto exported =
      run({"datumctl", "export", "--rows", "boards", "--output", "soak.csv"}, store, results);
  if (exported.status != 0) return failures + say(true, "datumctl export: " + exported.output);
  const std::uint64_t different = count_different(record, rows_of(store.parent_path() / "soak.csv"));
  fs::remove(store.parent_path() / "soak.csv");
  failures +=
      say(different > 0, fmt::format("{} of {} announced results are missing in the store, or not the "
                                     "same there",
                                     different, results));
  return failures;
}

}  // namespace datum::soak
