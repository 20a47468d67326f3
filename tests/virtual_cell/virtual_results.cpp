// virtual-results: adds results to the store of a cell whose daemon does not run, by the store's own code, faster than frames are rendered and
// measured. Each is a copy of the newest PASS with a serial number and a time of its own; their code says what made them.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>

#include "config/program_options.h"
#include "config/utc_time.h"
#include "daemon/store/result_store.h"

namespace {

using namespace datum;

constexpr std::size_t at_once = 50;  // results in a transaction

void add(const std::string& file, std::size_t boards, const std::string& unit) {
  ResultStore store{std::filesystem::path(file)};
  ResultFilter good;
  good.decision = Decision::pass;
  const auto newest = store.list(good, 1);
  if (newest.empty()) throw std::runtime_error(file + ": holds no PASS to be copied");
  BoardVerdict verdict = newest.back().verdict();
  verdict.code = "virtual-results";
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const std::int64_t begin_s =
      std::chrono::duration_cast<std::chrono::seconds>(now).count() - static_cast<std::int64_t>(boards);
  std::vector<BoardVerdict> copies;
  std::vector<BoardVerdict*> pointers;
  for (std::size_t n = 0; n < boards; n += copies.size()) {
    copies.assign(std::min(at_once, boards - n), verdict);
    pointers.clear();
    for (std::size_t i = 0; i < copies.size(); ++i) {
      copies[i].unit_id = fmt::format("{}-{}", unit, n + i + 1);
      copies[i].measured_at = iso8601_from_utc(begin_s + static_cast<std::int64_t>(n + i));
      pointers.push_back(&copies[i]);
    }
    store.store(pointers);
  }
}

}  // namespace

int main(int argc, char** argv) {
  ProgramOptions app("virtual-results: adds copies of the newest PASS to a store that no daemon has open");
  std::string file, unit = "copy";
  std::size_t boards = 1;
  app.add_option("--store", file, "the store").required().existing_file();
  app.add_option("--boards", boards, "number of results").in_range(1, 1'000'000);
  app.add_option("--unit", unit, "beginning of their serial numbers");
  if (const auto ended = app.read(argc, argv)) return *ended;
  try {
    add(file, boards, unit);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "virtual-results: {}\n", error.what());
    return 1;
  }
}
