#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "tests/scenario/soak/soak_record.h"

namespace datum::soak {
namespace {

/// The first boards of a life are excluded: pools, caches and symbol tables fill.
constexpr int warm_up_boards = 3000;
constexpr std::size_t least_samples = 20;
// Limits of the regression slope, and of a single step such as an allocator arena for a storm's threads.
constexpr double flat = 0.01, most_span = 0.05;

/// Nearest rank.
double quantile_ms(const std::vector<std::int64_t>& sorted_us, double q) {
  if (sorted_us.empty()) return 0;
  const auto rank = static_cast<std::size_t>(std::ceil(q * static_cast<double>(sorted_us.size())));
  return static_cast<double>(sorted_us[std::max<std::size_t>(rank, 1) - 1]) / 1000;
}

void latencies(const std::string& what, std::vector<std::int64_t> us) {
  std::sort(us.begin(), us.end());
  fmt::print("       latency of {} {}: p50 {:.1f}  p99 {:.1f}  p99.9 {:.1f}  max {:.1f} ms\n", us.size(),
             what, quantile_ms(us, 0.5), quantile_ms(us, 0.99), quantile_ms(us, 0.999), quantile_ms(us, 1));
}

int verdicts(const Record& record, std::uint64_t seed, const Rhythm& rhythm) {
  std::map<std::pair<std::string, std::string>, int> counts;  // true and reported verdict
  std::set<int> seen;
  int wrong = 0, repeated = 0, gaps = 0;
  std::uint64_t before = 0;
  for (const BoardLine& line : record.boards()) {
    gaps += line.sequence != ++before ? 1 : 0;
    before = line.sequence;
    repeated += seen.insert(line.number).second ? 0 : 1;
    const std::string truth = board(seed, line.number, rhythm).truth;
    ++counts[{truth, line.decision}];
    wrong += truth == line.decision ? 0 : 1;
  }
  for (const auto& [key, count] : counts)
    fmt::print("       {} boards that are {}: {}\n", count, key.first, key.second);
  const int missing = seen.empty() ? 0 : *seen.rbegin() - static_cast<int>(seen.size());
  return say(wrong > 0, fmt::format("{} verdicts other than the truth", wrong)) +
         say(gaps > 0, fmt::format("{} gaps or repetitions in the sequence of {} results", gaps,
                                   record.boards().size())) +
         say(missing > 0, fmt::format("{} boards without a result", missing)) +
         say(repeated > 0, fmt::format("{} boards with a second result", repeated));
}

int memory(const Record& record) {
  std::map<int, std::vector<UsageLine>> lives;
  for (const UsageLine& line : record.usage()) lives[line.life].push_back(line);
  int failures = 0;
  for (const auto& [life, lines] : lives) {
    std::vector<double> rss, anon;
    std::set<int> descriptors, threads;
    for (const UsageLine& line : lines) {
      if (line.number - lines.front().number < warm_up_boards) continue;
      rss.push_back(line.usage.rss_kib);
      anon.push_back(line.usage.anon_kib);
      descriptors.insert(line.usage.descriptors);
      threads.insert(line.usage.threads);
    }
    if (rss.size() < least_samples) continue;
    const auto growth = scenario::growth_of(rss), of_anon = scenario::growth_of(anon);
    failures += say(
        std::abs(growth.whole) > flat || growth.span > most_span,
        fmt::format(
            "life {}: {} samples over {} boards: RSS {:.0f} KiB, growth {:+.2f} % (not of files {:+.2f} %), "
            "largest less smallest {:.2f} %, peak {:.0f} KiB",
            life, rss.size(), lines.back().number - lines.front().number - warm_up_boards, growth.mean,
            100 * growth.whole, 100 * of_anon.whole, 100 * growth.span, lines.back().usage.peak_kib));
    const scenario::Usage& last = lines.back().usage;  // a leak persists until the end
    failures += say(last.descriptors > *descriptors.begin() || last.threads > *threads.begin(),
                    fmt::format("life {}: descriptors {} to {}, {} at its end; threads {} to {}, {}", life,
                                *descriptors.begin(), *descriptors.rbegin(), last.descriptors,
                                *threads.begin(), *threads.rbegin(), last.threads));
  }
  return failures;
}

double store_bytes(const std::filesystem::path& store) {
  double bytes = 0;
  for (const char* part : {"", "-wal"})
    if (std::filesystem::exists(store.string() + part))
      bytes += static_cast<double>(std::filesystem::file_size(store.string() + part));
  return bytes;
}

}  // namespace

int say(bool wrong, const std::string& text) {
  fmt::print("{}{}\n", wrong ? "WRONG  " : "       ", text);
  return wrong ? 1 : 0;
}

int report(const Record& record, std::uint64_t seed, const Rhythm& rhythm,
           const std::filesystem::path& store) {
  const auto boards = static_cast<double>(record.boards().size());
  fmt::print("{} boards in {:.0f} s: {:.1f} boards/s; seed {}\n", boards, record.seconds(),
             boards / record.seconds(), seed);
  for (int fault = 1; fault < faults; ++fault)
    fmt::print("       {:>6} x {}\n", record.count(static_cast<Fault>(fault)),
               name_of(static_cast<Fault>(fault)));
  int failures = verdicts(record, seed, rhythm);
  std::vector<std::int64_t> plain, bursts, broken;
  for (const BoardLine& line : record.boards())
    if (line.latency_us >= 0)
      (line.mark == Mark::plain   ? plain
       : line.mark == Mark::burst ? bursts
                                  : broken)
          .push_back(line.latency_us);
  latencies("boards alone, frame to result", plain);
  latencies("boards among many at once", bursts);
  latencies("boards over which datumd was killed, its start included", broken);
  failures += memory(record);
  failures += check_store(record, store);
  fmt::print("       store: {:.0f} bytes a result\n", boards > 0 ? store_bytes(store) / boards : 0);
  return failures;
}

}  // namespace datum::soak
