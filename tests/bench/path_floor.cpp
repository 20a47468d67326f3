#include "tests/bench/path_floor.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <functional>
#include <stdexcept>

#include "tests/fresh_folder.h"
#include "tests/scenario/scenario_program.h"

namespace datum::bench {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t piece_bytes = 1 << 20, record_bytes = 8192;

double took_ms(const std::function<void()>& work) {
  const auto from = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - from).count();
}

/// Read in pieces, and each copied once into memory that is ready.
void read_and_copy(const fs::path& image, std::vector<char>& to) {
  static std::vector<char> piece(piece_bytes);
  const int fd = ::open(image.c_str(), O_RDONLY | O_CLOEXEC);
  std::size_t at = 0;
  for (ssize_t n = 0; (n = ::read(fd, piece.data(), piece.size())) > 0; at += static_cast<std::size_t>(n))
    std::memcpy(to.data() + at, piece.data(), static_cast<std::size_t>(n));
  ::close(fd);
  if (at != to.size()) throw std::runtime_error("can't read " + image.string());
}

void append_record(int fd) {
  static const std::vector<char> record(record_bytes, 'x');
  if (::write(fd, record.data(), record.size()) != static_cast<ssize_t>(record.size()) ||
      ::fdatasync(fd) != 0)
    throw std::runtime_error("can't append to a file beside the store");
}

/// A program that reads the file; its start is part of what a user waits for.
void run_program(const std::vector<std::string>& words, const fs::path& folder) {
  if (const auto outcome = scenario::run(words, folder); outcome.status != 0)
    throw std::runtime_error(words[0] + ": " + outcome.output);
}

std::string program_in_path(const std::string& name) {
  for (const char* folder : {"/usr/bin/", "/bin/", "/usr/local/bin/"})
    if (::access((folder + name).c_str(), X_OK) == 0) return folder + name;
  return "";
}

}  // namespace

Floor floor_of(const fs::path& image, const fs::path& disk, int repeats) {
  const testing::FreshFolder folder;
  const std::string shell = program_in_path("sh"), openssl = program_in_path("openssl");
  std::vector<char> ready(fs::file_size(image));
  const fs::path log = disk / "datum-bench-append";
  const int appended = ::open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644);
  ::unlink(log.c_str());
  std::vector<double> cat, hash, read, append;
  for (int i = -2; i < repeats; ++i) {  // two to warm up
    const double cat_ms = took_ms([&] {
      run_program({shell, "-c", "cat '" + image.string() + "' | cat >/dev/null"}, folder.path());
    });
    const double hash_ms = openssl.empty() ? 0 : took_ms([&] {
      run_program({openssl, "dgst", "-sha256", image.string()}, folder.path());
    });
    const double read_ms = took_ms([&] { read_and_copy(image, ready); });
    const double append_ms = took_ms([&] { append_record(appended); });
    if (i < 0) continue;
    cat.push_back(cat_ms);
    hash.push_back(hash_ms);
    read.push_back(read_ms);
    append.push_back(append_ms);
  }
  ::close(appended);
  return {{"cat FILE | cat >/dev/null", cat},
          {"openssl dgst -sha256 FILE", openssl.empty() ? std::nullopt : std::optional(hash)},
          {"read in pieces, memcpy", read},
          {"append 8 KiB, fdatasync", append}};
}

}  // namespace datum::bench
