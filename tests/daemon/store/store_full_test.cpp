// A device without room, under a store.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "daemon/store/result_store.h"
#include "tests/daemon/scpi/fixture.h"

namespace datum {
namespace {

namespace fs = std::filesystem;
using testing::board;
using testing::FreshFolder;
using Kind = StoreError::Kind;

/// Runs in a child, in its own mount namespace, on a file system of 512 KiB. Exit status: the failure, 0: none.
enum Outcome { good = 0, no_namespace = 77, never_full, other_error, verdict_touched, number_lost };

/// A small tmpfs over `folder`, visible only to this process.
bool mount_small(const fs::path& folder) {
  const uid_t uid = getuid();
  const gid_t gid = getgid();
  if (unshare(uid == 0 ? CLONE_NEWNS : CLONE_NEWNS | CLONE_NEWUSER) != 0) return false;
  if (uid != 0) {  // without a mapping the new file system accepts no file of this user
    std::ofstream("/proc/self/setgroups") << "deny";
    std::ofstream("/proc/self/uid_map") << fmt::format("0 {} 1", uid);
    std::ofstream("/proc/self/gid_map") << fmt::format("0 {} 1", gid);
  }
  return mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         mount("none", folder.c_str(), "tmpfs", 0, "size=512k") == 0;
}

int fill_a_small_device(const fs::path& folder) {
  if (!mount_small(folder)) return no_namespace;
  const auto ballast = folder / "ballast";
  std::ofstream(ballast) << std::string(std::size_t{200} * 1024, 'x');
  ResultStore store(folder / "results.db");
  BoardVerdict v = board();
  std::uint64_t last = 0;
  try {
    while (last < 10000) last = store.store(v);
    return never_full;
  } catch (const StoreError& e) {
    if (e.kind() != Kind::full) return other_error;
  }
  if (last == 0 || v.sequence != last || v.store_id != store.id()) return verdict_touched;
  fs::remove(ballast);
  return store.store(v) == last + 1 && store.extent().count == last + 1 ? good : number_lost;
}

TEST(ResultStore, SaysThatTheDeviceIsFullAndGoesOnWhenThereIsRoom) {
  const FreshFolder folder;
  const pid_t child = fork();
  if (child == 0) _exit(fill_a_small_device(folder / ""));
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == no_namespace) GTEST_SKIP() << "no user and mount namespaces here";
  EXPECT_EQ(WEXITSTATUS(status), good);
}

}  // namespace
}  // namespace datum
