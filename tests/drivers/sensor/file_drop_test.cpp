#include "drivers/sensor/file_drop.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <fstream>

#include "drivers/frame/frame_error.h"
#include "drivers/link_error.h"
#include "tests/drivers/sensor/tiny_files.h"
#include "tests/fresh_folder.h"

namespace datum {
namespace {

using namespace datum::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
namespace fs = std::filesystem;
constexpr MonotonicNs ms = 1'000'000;

class FileDropTest : public ::testing::Test {
 protected:
  FreshFolder base;
  fs::path drop_path = base.path() / "drop";
  fs::path outside = base.path() / "outside";  // producers write here before they deliver
  std::set<FrameIdentity> store;
  MonotonicNs now = 1000 * ms;
  std::unique_ptr<FileDrop> drop;

  void SetUp() override {
    fs::create_directory(outside);
    start();
  }
  void start() {
    drop.reset();
    FileDropSettings settings{drop_path, 2000, 500};
    drop = std::make_unique<FileDrop>(
        settings, [this](const FrameIdentity& i) { return store.count(i) > 0; }, now);
  }
  /// Advances the time and runs due deadlines.
  void pass(MonotonicNs span) {
    const MonotonicNs end = now + span;
    drop->on_ready(now);
    while (*drop->deadline() <= end) {
      now = *drop->deadline();
      drop->on_deadline(now);
    }
    now = end;
  }
  void move_in(const std::string& name) { fs::rename(outside / name, drop_path / name); }
  void deliver(const std::string& stem, std::int16_t first_count = 100) {
    write_tiny_frame(outside, stem, first_count);
    move_in(stem + "_z.tif");
    move_in(stem + ".json");
    drop->on_ready(now);
  }
  /// Handles one claim as the daemon does; returns done, duplicate or the refusal.
  std::string handle(const ClaimedFrame& claim) {
    try {
      const DroppedFrame frame = load_frame(claim, make_profile());
      if (drop->is_duplicate(frame.identity)) {
        drop->duplicate(claim, frame.identity);
        return "duplicate";
      }
      store.insert(frame.identity);
      drop->measured(claim, frame.identity);
      return "done";
    } catch (const FrameError& e) {
      drop->failed(claim, e.what());
      return e.what();
    }
  }
  std::string next_name() {
    const auto claim = drop->next();
    return claim ? claim->name() : "nothing";
  }
  std::string handle_next() {
    const auto claim = drop->next();
    return claim ? handle(*claim) : "nothing";
  }
  std::vector<std::string> names(const std::string& folder) {
    std::vector<std::string> names;
    for (const auto& e : fs::recursive_directory_iterator(drop_path / folder)) {
      if (e.is_regular_file()) names.push_back(e.path().lexically_relative(drop_path / folder).string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }
};

TEST_F(FileDropTest, TheSidecarIsTheTrigger) {
  write_tiny_frame(outside, "a");
  move_in("a_z.tif");
  pass(10'000 * ms);
  EXPECT_EQ(drop->next(), std::nullopt);
  move_in("a.json");
  drop->on_ready(now);
  const auto claim = drop->next();
  ASSERT_TRUE(claim);
  EXPECT_EQ(claim->name(), "a.json");
  EXPECT_EQ(claim->first_seen_ns, now);
  EXPECT_FALSE(claim->left_over);
  EXPECT_THAT(names("work"), ElementsAre("1/a.json", "1/a_z.tif"));
  EXPECT_EQ(drop->describe(),
            "file drop " + drop_path.string() + ": watching, 0 growing, 0 ready, 1 in work");
  EXPECT_EQ(handle(*claim), "done");
  EXPECT_THAT(names("done"), ElementsAre("a/a.json", "a/a_z.tif"));
  EXPECT_TRUE(fs::is_empty(drop_path / "work"));
}

TEST_F(FileDropTest, HiddenPartialAndForeignNamesAreIgnored) {
  write_tiny_frame(outside, "a");
  fs::copy(outside / "a.json", drop_path / ".a.json");
  fs::copy(outside / "a.json", drop_path / "a.json.part");
  fs::copy(outside / "a.json", drop_path / "b.txt");
  fs::create_directory(drop_path / "c.json");
  fs::create_symlink(outside / "a.json", drop_path / "d.json");
  pass(10'000 * ms);
  EXPECT_EQ(drop->next(), std::nullopt);
  EXPECT_TRUE(fs::exists(drop_path / "a.json.part"));
  EXPECT_THAT(drop->take_warnings(), IsEmpty());
}

TEST_F(FileDropTest, AFileWrittenInPlaceCountsWhenItIsClosed) {
  const std::string content = tiny_ptr();
  std::ofstream file(drop_path / "b.ptr", std::ios::binary);
  file << content.substr(0, 20) << std::flush;
  drop->on_ready(now);
  EXPECT_EQ(drop->next(), std::nullopt);
  file << content.substr(20);
  file.close();
  drop->on_ready(now);
  EXPECT_EQ(handle_next(), "done");
}

// OpenSSH's sftp server ends an upload this way: only IN_CREATE reports the final name.
TEST_F(FileDropTest, LinkAndUnlinkCountsOnceItHasSettled) {
  write_tiny_frame(outside, "a");
  move_in("a_z.tif");
  fs::create_hard_link(outside / "a.json", drop_path / "a.json");
  fs::remove(outside / "a.json");
  drop->on_ready(now);
  EXPECT_EQ(drop->next(), std::nullopt);
  EXPECT_EQ(drop->deadline(), now + 500 * ms);
  const MonotonicNs seen = now;
  pass(499 * ms);
  EXPECT_EQ(drop->next(), std::nullopt);
  pass(1 * ms);
  const auto claim = drop->next();
  ASSERT_TRUE(claim);
  EXPECT_EQ(claim->first_seen_ns, seen);
  EXPECT_EQ(handle(*claim), "done");
}

TEST_F(FileDropTest, AGrowingOrEmptyFileIsNotSettled) {
  const std::string content = tiny_ptr();
  std::ofstream file(drop_path / "b.ptr", std::ios::binary);
  drop->on_ready(now);
  pass(3000 * ms);  // still empty
  EXPECT_EQ(drop->next(), std::nullopt);
  for (std::size_t at = 0; at < content.size(); at += 16) {
    file << content.substr(at, 16) << std::flush;
    pass(500 * ms);
    EXPECT_EQ(drop->next(), std::nullopt) << at;
  }
  pass(500 * ms);
  EXPECT_EQ(handle_next(), "done");
}

TEST_F(FileDropTest, WhatIsThereAtStartOrCameWithoutEventsIsListed) {
  write_tiny_frame(drop_path, "b");
  write_tiny_frame(drop_path, "a");
  start();  // the events belonged to the first watch
  pass(500 * ms);
  EXPECT_EQ(next_name(), "a.json");
  EXPECT_EQ(next_name(), "b.json");
  EXPECT_EQ(drop->next(), std::nullopt);
}

TEST_F(FileDropTest, ListsTheFolderRegularly) {
  EXPECT_EQ(drop->deadline(), now + 2000 * ms);
  write_tiny_frame(drop_path, "a");
  while (!drop->next()) {  // without on_ready, as on a network share: found by the listing, then settled
    now = *drop->deadline();
    drop->on_deadline(now);
    ASSERT_LE(now, 3500 * ms);
  }
  EXPECT_EQ(now, 3500 * ms);
}

TEST_F(FileDropTest, AnOverflowOfEventsListsTheFolder) {
  std::ifstream limit_file("/proc/sys/fs/inotify/max_queued_events");
  int limit = 0;
  ASSERT_TRUE(limit_file >> limit);
  std::ofstream(drop_path / "x.part") << "x";
  for (int i = 0; i <= limit; ++i) {  // every rename is an event; equal consecutive ones would be merged
    fs::rename(drop_path / (i % 2 ? "y.part" : "x.part"), drop_path / (i % 2 ? "x.part" : "y.part"));
  }
  write_tiny_frame(drop_path, "a");  // its events are lost
  std::vector<std::string> warnings;
  for (int turns = 0; warnings.empty() && turns <= limit; ++turns) {
    drop->on_ready(now);
    warnings = drop->take_warnings();
  }
  EXPECT_EQ(drop->next(), std::nullopt);
  EXPECT_THAT(warnings,
              ElementsAre("file drop " + drop_path.string() + ": events were lost, the folder is listed"));
  pass(500 * ms);
  EXPECT_EQ(handle_next(), "done");
}

TEST_F(FileDropTest, ATruncatedFileFailsWithItsReasonBesideItAndTheNextIsMeasured) {
  write_tiny_frame(outside, "a");
  const std::string whole = read_file(outside / "a_z.tif");
  write_file(outside / "a_z.tif", whole.substr(0, 9));
  move_in("a_z.tif");
  move_in("a.json");
  deliver("b");
  const std::string refusal = handle_next();
  EXPECT_THAT(refusal, HasSubstr("a_z.tif: "));
  EXPECT_THAT(names("failed"), ElementsAre("a/a.json", "a/a.json.reason.txt", "a/a_z.tif"));
  EXPECT_EQ(read_file(drop_path / "failed/a/a.json.reason.txt"), refusal + "\n");
  EXPECT_EQ(handle_next(), "done");
}

TEST_F(FileDropTest, AnUnreadableSidecarTakesTheImagesOfItsStemAlong) {
  write_file(drop_path / "a_z.tif", "x");
  write_file(drop_path / "other_z.tif", "x");
  write_file(drop_path / "a.json", "{");
  drop->on_ready(now);
  EXPECT_THAT(handle_next(), HasSubstr("a.json: is not JSON: parse error at line 1, column 2"));
  EXPECT_THAT(names("failed"), ElementsAre("a/a.json", "a/a.json.reason.txt", "a/a_z.tif"));
  EXPECT_TRUE(fs::exists(drop_path / "other_z.tif"));
}

TEST_F(FileDropTest, AnImageThatComesAfterItsSidecarIsWaitedForOnce) {
  write_tiny_frame(outside, "a");
  write_tiny_frame(outside, "b");
  move_in("a.json");
  move_in("b.json");
  pass(100 * ms);
  EXPECT_EQ(drop->next(), std::nullopt);
  move_in("b_z.tif");
  pass(400 * ms);
  EXPECT_EQ(handle_next(), "a_z.tif: is not beside its sidecar a.json; deliver the sidecar last");
  EXPECT_EQ(handle_next(), "done");
}

TEST_F(FileDropTest, TheSameDeliveryIsMeasuredOnce) {
  deliver("a");
  EXPECT_EQ(handle_next(), "done");
  deliver("a");
  store.clear();  // the drop's own memory decides
  EXPECT_EQ(handle_next(), "duplicate");
  EXPECT_THAT(names("done"),
              ElementsAre("a/a.json", "a/a_z.tif", "a~2/a.json", "a~2/a.json.note.txt", "a~2/a_z.tif"));
  EXPECT_EQ(read_file(drop_path / "done/a~2/a.json.note.txt"),
            "a.json: not measured again: frame 000017 with the same content was measured before\n");
  deliver("copy-of-a");  // another name is not another frame
  EXPECT_EQ(handle_next(), "duplicate");
  deliver("a", 101);  // another content is
  EXPECT_EQ(handle_next(), "done");
}

TEST_F(FileDropTest, TheStoreRemembersAcrossARestart) {
  deliver("a");
  EXPECT_EQ(handle_next(), "done");
  start();
  deliver("a");
  EXPECT_EQ(handle_next(), "duplicate");
}

TEST_F(FileDropTest, WhatACrashLeftInWorkIsTakenUpFirst) {
  deliver("b");
  deliver("a");
  ASSERT_TRUE(drop->next());
  ASSERT_TRUE(drop->next());
  deliver("c");
  start();
  pass(500 * ms);
  auto claim = drop->next();
  ASSERT_TRUE(claim);
  EXPECT_EQ(claim->name(), "b.json");
  EXPECT_TRUE(claim->left_over);
  EXPECT_EQ(handle(*claim), "done");
  EXPECT_EQ(next_name(), "a.json");
  claim = drop->next();
  ASSERT_TRUE(claim);
  EXPECT_EQ(claim->name(), "c.json");
  EXPECT_EQ(claim->token, 3u);
  EXPECT_FALSE(claim->left_over);
}

TEST_F(FileDropTest, ACrashAfterTheVerdictWasStoredIsNoSecondMeasurement) {
  deliver("a");
  const auto claim = drop->next();
  ASSERT_TRUE(claim);
  store.insert(load_frame(*claim, make_profile()).identity);  // killed between storing and measured()
  start();
  EXPECT_EQ(handle_next(), "duplicate");
  EXPECT_THAT(names("done"), ElementsAre("a/a.json", "a/a.json.note.txt", "a/a_z.tif"));
}

TEST_F(FileDropTest, ACrashBetweenTheRenamesOfAClaimIsHealed) {
  fs::create_directories(drop_path / "work/7");
  fs::create_directories(drop_path / "work/9");  // killed after creating it
  write_tiny_frame(outside, "a");
  move_in("a_z.tif");
  fs::rename(outside / "a.json", drop_path / "work/7/a.json");
  start();
  EXPECT_EQ(handle_next(), "done");
  EXPECT_THAT(names("done"), ElementsAre("a/a.json", "a/a_z.tif"));
  EXPECT_TRUE(fs::is_empty(drop_path / "work"));
}

TEST_F(FileDropTest, ADeliveryTakenBySomebodyElseIsPassedOver) {
  deliver("a");
  deliver("b");
  fs::remove(drop_path / "a.json");
  EXPECT_EQ(next_name(), "b.json");
  EXPECT_EQ(drop->next(), std::nullopt);
  EXPECT_THAT(drop->take_warnings(), IsEmpty());
}

TEST_F(FileDropTest, ARemovedFolderIsMadeAgainAndWatched) {
  fs::remove_all(drop_path);
  drop->on_ready(now);
  EXPECT_EQ(drop->fd(), -1);
  EXPECT_THAT(drop->describe(), HasSubstr(": not there,"));
  EXPECT_THAT(drop->take_warnings(),
              ElementsAre("file drop " + drop_path.string() + ": the folder was moved or removed"));
  pass(1 * ms);
  EXPECT_GE(drop->fd(), 0);
  deliver("a");
  EXPECT_EQ(handle_next(), "done");
}

TEST_F(FileDropTest, AFolderThatCannotBeUsedIsRefusedAtStartAndRetriedLater) {
  base.write("file", "");
  const auto start_in = [&](const fs::path& folder) {
    try {
      FileDrop refused(
          {folder, 2000, 500}, [](const FrameIdentity&) { return false; }, now);
    } catch (const RefusedError& e) {
      return std::string(e.what());
    }
    return std::string("accepted");
  };
  const std::string where = "file drop " + base.path().string();
  EXPECT_EQ(
      start_in(base.path() / "file/drop"),
      where + "/file/drop: can't be made: Not a directory; name a folder that datumd may read and write");
  EXPECT_EQ(start_in("/proc/datumd"),
            "file drop /proc/datumd: can't be made: No such file or directory; name a folder that datumd may "
            "read and write");
  if (::geteuid() != 0) {
    fs::create_directory(base.path() / "closed");
    fs::permissions(base.path() / "closed", fs::perms::owner_read);
    EXPECT_THAT(start_in(base.path() / "closed"), HasSubstr("Permission denied"));
    fs::permissions(base.path() / "closed", fs::perms::owner_all);
  }
  fs::remove_all(drop_path);
  base.write("drop", "in the way");
  pass(1 * ms);
  EXPECT_THAT(drop->take_warnings().back(), HasSubstr("; trying again in 2000 ms"));
  EXPECT_EQ(drop->deadline(), now - 1 * ms + 2000 * ms);
  fs::remove(drop_path);
  pass(2000 * ms);
  EXPECT_GE(drop->fd(), 0);
}

TEST_F(FileDropTest, AVerdictWhoseDeliveryVanishedIsAWarningNotAnError) {
  deliver("a");
  const auto claim = drop->next();
  ASSERT_TRUE(claim);
  const FrameIdentity identity = load_frame(*claim, make_profile()).identity;
  fs::remove_all(drop_path / "work/1");
  EXPECT_NO_THROW(drop->measured(*claim, identity));
  EXPECT_THAT(drop->take_warnings(), ElementsAre(HasSubstr("work/1 can't be moved to ")));
  pass(4000 * ms);
  EXPECT_TRUE(drop->take_warnings().empty());
}

TEST_F(FileDropTest, WhatCouldNotBeMovedIsMovedLater) {
  deliver("a");
  deliver("b", 101);
  fs::remove(drop_path / "done");
  fs::create_symlink(outside, drop_path / "done");
  EXPECT_EQ(handle_next() + handle_next(), "donedone");
  pass(2000 * ms);
  EXPECT_EQ(drop->take_warnings().size(), 2u);  // reported once each
  fs::remove(drop_path / "done");
  pass(2000 * ms);
  EXPECT_EQ(names("done").size(), 4u);
}

}  // namespace
}  // namespace datum
