#include "daemon/store/store_mark.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <sstream>

#include "daemon/store/result_store.h"
#include "daemon/text/checked_line.h"

namespace datum {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t block_bytes = 4096;  // one page of the page cache, whole sectors of every disk
constexpr std::size_t most_former = 24;    // 24 lines of at most 45 bytes fit in a block

[[noreturn]] void fail(const fs::path& file, const char* what) {
  throw StoreError(StoreError::Kind::io,
                   fmt::format("{}: {}: {}; check that the folder exists and may be written by this user",
                               file.string(), what, std::strerror(errno)));
}

/// Identity of the file; birth time 0 on a file system without it.
std::string identity_of(int fd) {
  struct statx s {};
  if (::statx(fd, "", AT_EMPTY_PATH, STATX_INO | STATX_BTIME, &s) != 0) return "0 0";
  const bool born = (s.stx_mask & STATX_BTIME) != 0;
  const std::int64_t birth_ns = born ? s.stx_btime.tv_sec * 1'000'000'000 + s.stx_btime.tv_nsec : 0;
  return fmt::format("{} {}", s.stx_ino, birth_ns);
}

std::string text_of(const Mark& mark, const std::string& identity) {
  std::string text =
      fmt::format("datumd mark 1\nturn {}\nfile {}\nstore {} {} {}\n", mark.turn, identity,
                  mark.place.store_id, mark.place.given, mark.place.sha256.empty() ? "-" : mark.place.sha256);
  for (const auto& [id, given] : mark.former) text += fmt::format("former {} {}\n", id, given);
  return text + fmt::format("crc {:08X}\n", crc32(text));
}

/// None: not a complete block of a mark.
std::optional<Mark> mark_from(const std::string& text, const std::string& identity) {
  const auto sum = text.rfind("crc ");
  if (text.rfind("datumd mark 1\n", 0) != 0 || sum == std::string::npos ||
      text.compare(sum, std::string::npos, fmt::format("crc {:08X}\n", crc32(text.substr(0, sum)))) != 0)
    return std::nullopt;
  Mark mark;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string what, id;
    words >> what;
    if (what == "turn") words >> mark.turn;
    if (what == "file") mark.copied = line.substr(5) != identity;
    if (what == "store") words >> mark.place.store_id >> mark.place.given >> mark.place.sha256;
    std::uint64_t given = 0;
    if (what == "former" && words >> id >> given) mark.former.emplace_back(id, given);
  }
  if (mark.place.sha256 == "-") mark.place.sha256.clear();
  return mark;
}

std::optional<Mark> newest_in(int fd) {
  std::optional<Mark> newest;
  for (off_t at = 0; at < static_cast<off_t>(2 * block_bytes); at += block_bytes) {
    std::string block(block_bytes, '\0');
    const ssize_t n = ::pread(fd, block.data(), block.size(), at);
    if (n <= 0) break;
    block.resize(std::min(block.find('\0'), static_cast<std::size_t>(n)));
    auto mark = mark_from(block, identity_of(fd));
    if (mark && (!newest || mark->turn > newest->turn)) newest = std::move(mark);
  }
  return newest;
}

}  // namespace

fs::path mark_of(const fs::path& store) { return store.string() + ".mark"; }

std::optional<std::uint64_t> Mark::given(const std::string& store_id) const {
  std::optional<std::uint64_t> highest;
  if (place.store_id == store_id) highest = place.given;
  for (const auto& [id, number] : former)
    if (id == store_id) highest = std::max(highest.value_or(0), number);
  return highest;
}

std::optional<Mark> read_mark(const fs::path& store) {
  const fs::path file = mark_of(store);
  const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0 && errno == ENOENT) return std::nullopt;
  if (fd < 0) fail(file, "can't read the mark of the result store");
  auto mark = newest_in(fd);
  ::close(fd);
  return mark;
}

StoreMark::StoreMark(const fs::path& store) : file_(mark_of(store)) {
  fd_ = ::open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (fd_ < 0) fail(file_, "can't open the mark of the result store");
  identity_ = identity_of(fd_);
  found_ = newest_in(fd_);
  if (found_) now_ = *found_;
}

StoreMark::~StoreMark() { ::close(fd_); }

bool StoreMark::write() {
  ++now_.turn;
  std::string block = text_of(now_, identity_);
  block.resize(block_bytes);
  const auto at = static_cast<off_t>(now_.turn % 2 * block_bytes);
  if (::pwrite(fd_, block.data(), block.size(), at) != static_cast<ssize_t>(block.size())) return false;
  // The write begins now; the flush of the next commit makes it durable.
  ::sync_file_range(fd_, at, block_bytes, SYNC_FILE_RANGE_WRITE);
  return true;
}

void StoreMark::keep(const MarkedPlace& place) {
  auto& former = now_.former;
  const std::string before = now_.place.store_id;
  if (!before.empty() && before != place.store_id) {
    const std::uint64_t given = *now_.given(before);
    former.erase(
        std::remove_if(former.begin(), former.end(), [&](const auto& f) { return f.first == before; }),
        former.end());
    former.emplace_back(before, given);
    if (former.size() > most_former) former.erase(former.begin());
  }
  now_.place = place;
  // Both blocks, which repairs a damaged or copied mark.
  if (!write() || !write() || ::fsync(fd_) != 0) fail(file_, "can't write the mark of the result store");
  const fs::path folder = file_.has_parent_path() ? file_.parent_path() : fs::path(".");
  const int at = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool synced = at >= 0 && ::fsync(at) == 0;
  if (at >= 0) ::close(at);
  if (!synced) fail(folder, "can't bring the folder of the result store to the disk");
}

bool StoreMark::advance(std::uint64_t given, const std::string& sha256) {
  now_.place.given = given;
  now_.place.sha256 = sha256;
  return write();
}

}  // namespace datum
