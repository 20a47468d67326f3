// A power cut: possible disks for hundreds of random cuts; the real daemon is started on each.
//
// The daemon is recorded once, under load and over three starts: every write, sync, change of names, and every byte sent
// to a host. A cut falls between two records; the remaining disk is random (disk_states.h).
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <random>
#include <regex>

#include "tests/faults/disk_states.h"
#include "tests/faults/faults.h"
#include "tests/faults/load.h"
#include "tests/virtual_cell/virtual_plc_answers.h"

namespace datum::faults {

namespace {

namespace fs = std::filesystem;

// SQLite rebuilds it from the other files.
bool is_stored_memory(const std::string& path) { return path.ends_with("-shm"); }

/// Files and folders below this one.
Tree tree_of(const fs::path& folder) {
  Tree tree;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    tree[entry.path().string() + (entry.is_directory() ? "/" : "")] =
        entry.is_regular_file() ? scenario::slurp(entry.path()) : "";
  return tree;
}

struct Recording {
  std::string folder;
  Tree before;
  std::vector<DiskRecord> log;
};

/// Records the real daemon with this number of boards over three starts. Checks that the recording is complete.
Recording record(int boards, Findings& findings) {
  scenario::Cell cell;
  Ledger ledger;
  Load load(cell, ledger);
  Recording made{cell.path().string(), tree_of(cell.path()), {}};
  const fs::path log = cell.path().string() + ".disk.log";
  for (int start = 1; start <= 3; ++start) {
    load.start(
        {{"LD_PRELOAD", FAULT_DISK_LIBRARY}, {disk_folder_variable, made.folder}, {disk_log_variable, log}});
    if (!load.measure(boards * start / 3)) throw std::runtime_error("it stopped:\n" + cell.daemon().output());
    if (load.end(SIGTERM) != 0) throw std::runtime_error("it failed:\n" + cell.daemon().output());
  }
  made.log = read_disk_log(log);
  fs::remove(log);
  DiskStates all(made.before);
  for (const DiskRecord& record : made.log) all.follow(record);
  const Tree seen = all.seen(), there = tree_of(cell.path());
  const std::string store = made.folder + "/results.db";
  findings.expect(seen.at(store) == there.at(store), "the recording is not what is on the disk");
  findings.count("records", made.log.size());
  return made;
}

/// Complete result lines by socket.
class Told {
 public:
  void follow(const DiskRecord& record, Ledger& ledger) {
    std::string& bytes = unfinished_[record.offset];
    bytes += record.bytes;
    for (std::size_t end = 0; (end = bytes.find('\n')) != std::string::npos; bytes.erase(0, end + 1))
      if (bytes.rfind("R,", 0) == 0) ledger.announced(bytes.substr(0, end));
  }

 private:
  std::map<std::uint64_t, std::string> unfinished_;
};

/// The board that a record moves out of the drop folder first; 0: none.
int board_in(const DiskRecord& record, const std::string& folder) {
  static const std::regex frame("/drop/f([0-9]+)\\.ptr");
  std::smatch match;
  const std::string inside = record.path.substr(std::min(record.path.size(), folder.size()));
  return record.act == DiskAct::rename && std::regex_match(inside, match, frame) ? std::stoi(match[1]) : 0;
}

std::string sum_line(const std::string& text) {
  return fmt::format("crc {:08X}\n", ::crc32_z(0, reinterpret_cast<const Bytef*>(text.data()), text.size()));
}

/// The mark contains the inode and birth time of its file. They are set to those of the written file, since the disk is
/// the original one and not a copy.
void name_its_own_file(const fs::path& mark) {
  const int fd = ::open(mark.c_str(), O_RDWR | O_CLOEXEC);
  if (fd < 0) return;
  struct statx own {};
  ::statx(fd, "", AT_EMPTY_PATH, STATX_INO | STATX_BTIME, &own);
  const std::string named =
      fmt::format("file {} {}\n", own.stx_ino, own.stx_btime.tv_sec * 1'000'000'000 + own.stx_btime.tv_nsec);
  constexpr std::size_t block_bytes = 4096;
  for (off_t at = 0; at < static_cast<off_t>(2 * block_bytes); at += block_bytes) {
    std::string block(block_bytes, '\0');
    if (::pread(fd, block.data(), block.size(), at) <= 0) break;
    std::string text = block.substr(0, block.find('\0'));
    const std::size_t from = text.find("file "), sum = text.rfind("crc ");
    if (from == std::string::npos || sum == std::string::npos ||
        text.substr(sum) != sum_line(text.substr(0, sum)))
      continue;  // incomplete by the cut
    text.replace(from, text.find('\n', from) + 1 - from, named);
    text = text.substr(0, text.rfind("crc "));
    text += sum_line(text);
    text.resize(block_bytes, '\0');
    if (::pwrite(fd, text.data(), text.size(), at) < 0) break;
  }
  ::close(fd);
}

/// Writes that disk into a cell; completed frames are empty files.
void lay_out(const Tree& disk, const Recording& recorded, const scenario::Cell& cell, std::mt19937& random) {
  for (const auto& [path, bytes] : disk) {
    const std::string inside = path.substr(recorded.folder.size() + 1);
    if (inside == "notify" || inside.ends_with(".log") || recorded.before.count(path)) continue;
    if (path.ends_with('/'))
      fs::create_directories(cell.path() / inside);
    else if (!inside.ends_with(".ptr"))
      cell.write(inside, is_stored_memory(inside) && random() % 2 == 0 ? std::string(32768, '\x5a') : bytes);
    else if (const int board = board_of(fs::path(inside).stem()); inside.rfind("drop/done", 0) != 0)
      cell.write(inside, scenario::frame_of_box(height_of_um(board), static_cast<std::uint32_t>(board)));
  }
  name_its_own_file(cell.path() / "results.db.mark");
}

}  // namespace

void cut_the_power(const Order& order, Findings& findings) {
  const Recording recorded = record(order.times < 100 ? 30 : 400, findings);
  std::mt19937 random(order.seed);
  std::vector<std::size_t> cuts(static_cast<std::size_t>(order.times));
  for (std::size_t& cut : cuts) cut = random() % recorded.log.size();
  std::sort(cuts.begin(), cuts.end());
  DiskStates states(recorded.before);
  Ledger ledger;
  ledger.early_is_fine = true;  // the cut may remove the note of the first arming
  Told told;
  std::size_t at = 0;
  for (const std::size_t cut : cuts) {
    for (; at <= cut; ++at) {
      const DiskRecord& record = recorded.log[at];
      if (record.act == DiskAct::tell) told.follow(record, ledger);
      if (const int board = board_in(record, recorded.folder)) {
        ledger.delivered(board);
        states.put(record.path, "frame");
      }
      states.follow(record);
    }
    scenario::Cell cell;
    lay_out(states.after_a_cut(random), recorded, cell, random);
    Findings here;
    try {
      ledger.check(cell, here);
    } catch (const std::exception& error) {
      here.expect(false, error.what());
    }
    for (const std::string& text : here.wrong())
      findings.expect(false, fmt::format("after record {} of {}: {}", cut, recorded.log.size(), text));
    findings.count("cuts");
  }
  findings.count("results announced", ledger.announcements());
}

}  // namespace datum::faults
