// Boards a second of datumd-batch over generated frames of 30.5 MB, by number of workers and of GPUs, beside a plain read of the
// same files with SHA-256 in the same run.
//
//   bench_batch [--boards N] [--distinct N] [--workers 1,2,...] [--gpus 1,2,...] [--folder FOLDER] [--cold]     README.md
#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/evp.h>
#include <sys/resource.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>

#include "tests/bench/batch_archive.h"
#include "tests/scenario/scenario_program.h"

namespace {

using namespace datum;
using namespace datum::bench;
namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

struct Options {
  int boards = 60, distinct = 8, rounds = 2;
  std::vector<unsigned> workers, gpus;
  unsigned lanes = 0;
  fs::path folder = "/dev/shm";
  bool cold = false;
};

/// Processor time of this process, or of the ended programs that it started, ms.
double cpu_ms(int who) {
  rusage used{};
  ::getrusage(who, &used);
  const auto ms = [](const timeval& t) {
    return 1e3 * static_cast<double>(t.tv_sec) + 1e-3 * static_cast<double>(t.tv_usec);
  };
  return ms(used.ru_utime) + ms(used.ru_stime);
}

/// Reads each file of the archive with its SHA-256 on so many threads.
double read_and_hash_per_s(const BatchArchive& archive, unsigned threads) {
  std::atomic<int> next{0};
  const auto from = Clock::now();
  std::vector<std::thread> readers;
  for (unsigned i = 0; i < threads; ++i)
    readers.emplace_back([&] {
      std::vector<char> bytes(fs::file_size(archive.image(0)));
      unsigned char sum[EVP_MAX_MD_SIZE];
      for (int n = next++; n < archive.boards(); n = next++) {
        const int fd = ::open(archive.image(n).c_str(), O_RDONLY | O_CLOEXEC);
        std::size_t at = 0;
        for (ssize_t got = 0; (got = ::read(fd, bytes.data() + at, bytes.size() - at)) > 0;)
          at += static_cast<std::size_t>(got);
        ::close(fd);
        ::EVP_Digest(bytes.data(), at, sum, nullptr, ::EVP_sha256(), nullptr);
      }
    });
  for (std::thread& reader : readers) reader.join();
  return archive.boards() / std::chrono::duration<double>(Clock::now() - from).count();
}

scenario::Outcome batch(const BatchArchive& archive, std::vector<std::string> words) {
  words.insert(words.begin(), program_beside_bench("datumd-batch"));
  // A board a second would be far slower than any core.
  const auto most = std::chrono::seconds(60 + archive.boards());
  scenario::Outcome out = scenario::run(words, archive.path(), Clock::now() + most);
  if (out.status != 0) throw std::runtime_error("datumd-batch " + words[1] + ": " + out.output);
  return out;
}

/// By the run's own time, from its first order to its last output: without the start of workers and of the GPU's driver.
double measured_per_s(const BatchArchive& archive, const std::string& name,
                      const std::vector<std::string>& more) {
  fs::remove_all(archive.path() / name / "outputs");
  std::vector<std::string> words{"run", name};
  words.insert(words.end(), more.begin(), more.end());
  const std::string said = batch(archive, words).output;
  const auto at = said.find(" measured in ");
  if (at == std::string::npos) throw std::runtime_error("datumd-batch run states no time: " + said);
  return archive.boards() / std::stod(said.substr(at + 13));
}

/// The best of the rounds of each: what else runs can only slow.
struct Row {
  std::string what;
  unsigned count = 0;
  double boards_per_s = 0, read_per_s = 0;
  double cpu_ms = 1e9, read_cpu_ms = 1e9;  // of a board; that of workers with their start
};

void print(const std::vector<Row>& rows) {
  fmt::print("{:<18} {:>10} {:>11} {:>10} {:>16} {:>10} {:>8}\n", "", "boards/s", "efficiency", "CPU ms",
             "read + SHA-256/s", "CPU ms", "share");
  for (const Row& row : rows) {
    const auto one = std::find_if(rows.begin(), rows.end(),
                                  [&](const Row& r) { return r.what == row.what && r.count == 1; });
    const std::string efficiency =
        one == rows.end() ? "-"
                          : fmt::format("{:.0f} %", 100 * row.boards_per_s / (one->boards_per_s * row.count));
    fmt::print("{:<18} {:>10.2f} {:>11} {:>10.1f} {:>16.2f} {:>10.1f} {:>6.0f} %\n",
               fmt::format("{} {}", row.count, row.what), row.boards_per_s, efficiency, row.cpu_ms,
               row.read_per_s, row.read_cpu_ms, 100 * row.boards_per_s / row.read_per_s);
  }
}

void measure(const Options& o, const BatchArchive& archive, const std::string& name, const char* option,
             Row& row) {
  std::vector<std::string> words{option, std::to_string(row.count)};
  if (o.lanes > 0) words.insert(words.end(), {"--lanes", std::to_string(o.lanes)});
  // A GPU's lanes read on all cores; a worker of the CPU on one.
  const unsigned threads = name == "cuda" ? std::max(std::thread::hardware_concurrency(), 1U) : row.count;
  for (int round = 0; round < o.rounds; ++round) {  // in turns, so that what else runs slows both
    if (o.cold) archive.forget_pages();
    const double own = cpu_ms(RUSAGE_SELF);
    row.read_per_s = std::max(row.read_per_s, read_and_hash_per_s(archive, threads));
    row.read_cpu_ms = std::min(row.read_cpu_ms, (cpu_ms(RUSAGE_SELF) - own) / archive.boards());
    if (o.cold) archive.forget_pages();
    const double of_programs = cpu_ms(RUSAGE_CHILDREN);
    row.boards_per_s = std::max(row.boards_per_s, measured_per_s(archive, name, words));
    row.cpu_ms = std::min(row.cpu_ms, (cpu_ms(RUSAGE_CHILDREN) - of_programs) / archive.boards());
  }
}

std::vector<Row> rows_of(const Options& o, const BatchArchive& archive) {
  std::vector<Row> rows;
  const auto plan = [&](const char* backend) {
    batch(archive, {"manifest", backend, "--archive", "archive", "--sensor", "sensor.toml", "--recipe",
                    "recipe.toml", "--backend", backend});
  };
  if (!o.workers.empty()) plan("cpu");
  for (const unsigned count : o.workers)
    measure(o, archive, "cpu", "--workers", rows.emplace_back(Row{"CPU workers", count}));
  if (!o.gpus.empty()) plan("cuda");
  for (const unsigned count : o.gpus)
    measure(o, archive, "cuda", "--gpus", rows.emplace_back(Row{"GPUs", count}));
  return rows;
}

}  // namespace

int main(int argc, char** argv) try {
  CLI::App app{"bench_batch: boards a second of datumd-batch"};
  Options o;
  app.add_option("--boards", o.boards, "in the archive")->check(CLI::Range(1, 100'000));
  app.add_option("--distinct", o.distinct, "images of 30.5 MB on the disk; the boards are hard links to them")
      ->check(CLI::Range(1, 10'000));
  app.add_option("--rounds", o.rounds, "the best counts")->check(CLI::Range(1, 100));
  app.add_option("--workers", o.workers, "numbers of CPU workers (default: 1 and doubled up to the cores)")
      ->delimiter(',');
  app.add_option("--gpus", o.gpus, "numbers of GPUs (default: none)")->delimiter(',');
  app.add_option("--lanes", o.lanes, "boards in flight of a worker (default: as datumd-batch run)");
  app.add_option("--folder", o.folder, "where the archive is made")->check(CLI::ExistingDirectory);
  app.add_flag("--cold", o.cold, "without the files' pages in memory, as far as the kernel drops them");
  CLI11_PARSE(app, argc, argv);
  const unsigned cores = std::max(std::thread::hardware_concurrency(), 1U);
  if (o.workers.empty() && o.gpus.empty())
    for (unsigned count = 1; count <= cores; count *= 2) o.workers.push_back(count);
  const BatchArchive archive(o.folder, o.boards, o.distinct);
  fmt::print(
      "{} boards of 3904 x 3904 int16 (30.5 MB), {} distinct images and hard links to them in {}{}; 58 "
      "components; {} "
      "cores\n\n",
      o.boards, std::min(o.boards, o.distinct), o.folder.string(),
      o.cold ? ", pages dropped before each run" : "", cores);
  print(rows_of(o, archive));
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "bench_batch: %s\n", error.what());
  return 1;
}
