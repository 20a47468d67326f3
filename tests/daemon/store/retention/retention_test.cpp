// Removal of files by age and size; the reserve of free space; the schedule of slices.
#include "daemon/store/retention/retention.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <system_error>

#include "config/utc_time.h"
#include "tests/fresh_folder.h"

namespace datum::retention_test {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using testing::FreshFolder;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::int64_t day_s = 86'400, mib = 1 << 20;
const std::int64_t first_day_s = *utc_from_iso8601("2026-01-01T10:00:00Z");

struct Files : ::testing::Test {
  void write(const fs::path& file, std::size_t bytes, std::int64_t changed_s = 0) {
    fs::create_directories(file.parent_path());
    std::ofstream(file) << std::string(bytes, 'x');
    if (changed_s > 0) age(file, changed_s);
  }
  void age(const fs::path& path, std::int64_t changed_s) {
    const timespec times[2] = {{changed_s, 0}, {changed_s, 0}};
    ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), times, AT_SYMLINK_NOFOLLOW), 0);
  }
  /// A delivery of two files of `bytes` in total, changed on that day.
  void deliver(const std::string& name, int on, std::size_t bytes = 4096) {
    write(folder / "done" / name / (name + ".tif"), bytes);
    write(folder / "done" / name / (name + ".json"), 10);
    age(folder / "done" / name, first_day_s + on * day_s);
  }
  std::vector<std::string> names(const std::vector<KeptFile>& files) {
    std::vector<std::string> out;
    for (const KeptFile& file : files) out.push_back(file.path.filename().string());
    return out;
  }
  FreshFolder folder;
};

TEST_F(Files, GoByAgeTheOldestFirst) {
  deliver("b", 1);
  deliver("a", 3);
  deliver("c", 2);
  const auto all = deliveries_in(folder / "done");
  EXPECT_THAT(names(beyond(all, {2, {}}, first_day_s + 5 * day_s)), ElementsAre("b", "c"));
  EXPECT_THAT(names(beyond(all, {30, {}}, first_day_s + 5 * day_s)), IsEmpty());
}

TEST_F(Files, GoBySizeUntilTheRestFits) {
  for (const char* name : {"a", "b", "c", "d"}) deliver(name, name[0] - 'a', mib);
  const auto all = deliveries_in(folder / "done");
  EXPECT_THAT(names(beyond(all, {{}, 2 * mib + mib / 2}, first_day_s)), ElementsAre("a", "b"));
  EXPECT_THAT(names(beyond(all, {{}, 8 * mib}, first_day_s)), IsEmpty());
}

TEST_F(Files, OnlyDeliveriesAreTouchedAndNoLinkIsFollowed) {
  deliver("ours", 0);
  write(folder / "precious" / "x.json", 10);
  fs::create_directories(folder / "done");
  fs::create_directory_symlink(folder / "precious", folder / "done" / "link");
  write(folder / "done" / "letter.txt", 10);
  write(folder / "done" / "notes" / "read.txt", 10);
  write(folder / "done" / "tree" / "x.json", 10);
  write(folder / "done" / "tree" / "inner" / "y.txt", 10);
  EXPECT_THAT(names(deliveries_in(folder / "done")), ElementsAre("ours"));
  // a symbolic link within a delivery is removed, its target stays
  fs::create_symlink(folder / "precious" / "x.json", folder / "done" / "ours" / "z.json");
  for (const KeptFile& file : deliveries_in(folder / "done")) remove_kept(file);
  EXPECT_FALSE(fs::exists(folder / "done" / "ours"));
  EXPECT_TRUE(fs::exists(folder / "precious" / "x.json"));
  EXPECT_TRUE(fs::exists(folder / "done" / "tree" / "inner" / "y.txt"));
  EXPECT_THAT(deliveries_in(folder / "none"), IsEmpty());
  EXPECT_THAT(deliveries_in(folder / "done" / "link"), IsEmpty());
}

TEST_F(Files, PicturesAreKnownByTheirNames) {
  for (const char* name : {"00000001_PASS.png",
                           "00000002_FAIL_points.csv",
                           "123456789_INVALID.png",
                           "00000005_FAIL-deviation.png",
                           "00000005_FAIL-warp.png",
                           "holiday.png",
                           "00000003_PASS.txt",
                           "1_PASS.png",
                           "00000004_GOOD.png",
                           "00000006_INCONCLUSIVE_facets.ply.part",
                           "12345678901234567890_PASS-warp.csv",
                           "123456789012345678901_PASS.png",
                           "0000001_PASS.png",
                           "00000007_PASS_warp.png",
                           "00000007_PASS-deviation",
                           "00000007_PASS.png.png",
                           "00000007_PASS.part",
                           "x00000007_PASS.png",
                           "00000007PASS.png",
                           "00000007_PASS_points_facets.ply"})
    write(folder / "pictures" / name, 10);
  fs::create_symlink(folder / "pictures" / "holiday.png", folder / "pictures" / "00000009_PASS.png");
  EXPECT_THAT(names(pictures_in(folder / "pictures")),
              ::testing::UnorderedElementsAre(
                  "00000001_PASS.png", "00000002_FAIL_points.csv", "00000006_INCONCLUSIVE_facets.ply.part",
                  "12345678901234567890_PASS-warp.csv", "00000005_FAIL-deviation.png",
                  "00000005_FAIL-warp.png", "123456789_INVALID.png"));
}

/// A file system with settable free space.
struct SetRoom final : RoomSource {
  Room of(const fs::path& path) const override {
    if (path == "/gone")
      throw std::system_error(EIO, std::generic_category(), "/gone: its free space is not known");
    return rooms.at(path);
  }
  std::map<fs::path, Room> rooms{{"/store", {1000 * mib, 5000, true, true}},
                                 {"/frames", {1000 * mib, 0, false, true}}};
};

TEST(RoomLeft, IsAskedOfEveryPlace) {
  SetRoom source;
  RetentionSettings settings;
  const std::vector<RoomPlace> places{{"the result store", "/store"}, {"the frames' folder", "/frames"}};
  const auto why = [&](bool short_before = false) {
    return shortage(source, places, settings, short_before);
  };
  EXPECT_EQ(why(), "");
  source.rooms["/frames"].bytes = 256 * mib;
  EXPECT_EQ(why(), "") << "the reserve itself";
  EXPECT_EQ(why(true),
            "the frames' folder (/frames) has 256 MiB left, 288 MiB are needed (retention.reserve_mib); make "
            "room there");
  source.rooms["/frames"].bytes = 256 * mib - 1;
  EXPECT_THAT(why(), HasSubstr("has 255 MiB left, 256 MiB are needed"));
  source.rooms["/frames"].bytes = 1000 * mib;
  source.rooms["/store"].inodes = 999;
  EXPECT_THAT(why(), HasSubstr("the result store (/store) has room for 999 files, 1000 are needed"));
  source.rooms["/store"] = {1000 * mib, 5000, true, false};
  EXPECT_THAT(why(), HasSubstr("can only be read"));
  EXPECT_THAT(shortage(source, {{"the pictures' folder", "/gone"}}, settings, false),
              HasSubstr("the pictures' folder: /gone: its free space is not known"));
}

TEST(RoomLeft, OfThisFileSystemIsTold) {
  const FreshFolder folder;
  const Room room = FileSystemRoom().of(folder / "");
  EXPECT_GT(room.bytes, 0u);
  EXPECT_TRUE(room.writable);
  EXPECT_GT(FileSystemRoom().of(folder / "made/later").bytes, 0u);
  EXPECT_THROW(FileSystemRoom().of("/dev/null/frames"), std::system_error);
}

TEST_F(Files, NobodyWantsADiscardedFrame) {
  fs::create_directories(folder / "discard");
  deliver("kept", 0);
  deliver("gone", 0);
  fs::rename(folder / "done" / "gone", folder / "discard" / "gone");
  RetentionSettings settings;
  settings.frames.days = 1;
  FileRetention keeper(
      {settings, folder / "", {}, {}, std::make_shared<SetRoom>(), [] { return first_day_s + 9 * day_s; }});
  keeper.look();
  keeper.look();
  EXPECT_FALSE(fs::exists(folder / "discard" / "gone"));
  EXPECT_TRUE(fs::exists(folder / "done" / "kept")) << "nobody vouched for the clock";
}

TEST_F(Files, WhatIsKeptIsCounted) {
  for (const char* name : {"a", "b", "c"}) deliver(name, 1, mib);
  write(folder / "pictures" / "00000001_PASS.png", 4096);
  RetentionSettings settings;
  settings.frames.bytes = 2 * mib + mib / 2;
  FileRetention keeper({settings, folder / "", folder / "pictures", {}, std::make_shared<SetRoom>(), [] {
                          return first_day_s + 9 * day_s;
                        }});
  EXPECT_TRUE(keeper.kept().empty()) << "not listed yet";
  keeper.look();
  const auto kept = keeper.kept();
  ASSERT_EQ(kept.size(), 1u) << "pictures have no limit and are not listed";
  EXPECT_EQ(kept.at("frames").number, 2u) << "one goes";
  // Each has 1 MiB and a file of one block; a file system may add a block of metadata.
  EXPECT_NEAR(static_cast<double>(kept.at("frames").bytes), 2.0 * mib, 2 * 16384);
  EXPECT_EQ(deliveries_in(folder / "done").size(), 2u);
}

TEST(FramesKept, ByDecision) {
  const FreshFolder folder;
  FileRetentionDependencies parts{{}, {}, {}, {}, std::make_shared<SetRoom>(), [] { return first_day_s; }};
  EXPECT_TRUE(Retention(parts).keeps_frame(Decision::pass));
  parts.settings.keep_frames = KeepFrames::failures;
  EXPECT_FALSE(Retention(parts).keeps_frame(Decision::pass));
  for (const auto d : {Decision::inconclusive, Decision::fail, Decision::invalid})
    EXPECT_TRUE(Retention(parts).keeps_frame(d));
  parts.settings.keep_frames = KeepFrames::none;
  EXPECT_FALSE(Retention(parts).keeps_frame(Decision::invalid));
}

/// Slices run one at a time, with short pauses while there is more, and none is due without a limit.
TEST(Slices, AreDueOneAtATime) {
  const FreshFolder folder;
  FileRetentionDependencies parts{{}, {}, {}, {}, std::make_shared<SetRoom>(), [] { return first_day_s; }};
  EXPECT_FALSE(Retention(parts).due(1));
  parts.settings.results_count = 5;
  Retention retention(parts);
  EXPECT_TRUE(retention.due(1));
  retention.begin();
  EXPECT_FALSE(retention.due(1'000'000'000'000));
  KeepOutcome outcome;
  outcome.more = true;
  retention.end(outcome, 1'000'000'000);
  EXPECT_FALSE(retention.due(1'050'000'000));
  EXPECT_TRUE(retention.due(1'100'000'000));
  retention.end({}, 1'000'000'000);
  EXPECT_FALSE(retention.due(600'000'000'000));
  EXPECT_TRUE(retention.due(601'000'000'000));
}

TEST(Slices, TellWhatTheyDid) {
  FileRetentionDependencies parts{
      {}, {}, {}, {{"the result store", "/store"}}, std::make_shared<SetRoom>(), [] {
                          return first_day_s; }};
  parts.settings.results_count = 5;
  parts.settings.reserve_bytes = 100 * mib;
  Retention retention(parts);
  EXPECT_FALSE(retention.facts().looked_ns);
  EXPECT_FALSE(retention.facts().room_short);
  EXPECT_EQ(retention.facts().reserve_bytes, 100u * mib);
  KeepOutcome outcome;
  outcome.removed.results = 3;
  outcome.took_ns = 4'000'000;
  outcome.doubt = "the clock is wrong";
  outcome.unseen = "results are removed that a host has not taken";
  retention.begin();
  retention.end(outcome, 7);
  retention.end(outcome, 8);
  const RetentionSnapshot facts = retention.facts();
  EXPECT_EQ(facts.results_removed, 6u);
  EXPECT_EQ(facts.looked_ns, 8);
  EXPECT_NEAR(facts.slices_s.sum(), 0.008, 1e-12);
  EXPECT_TRUE(facts.clock_doubted);
  EXPECT_THAT(retention.take_notes(),
              ElementsAre(HasSubstr("has not taken"), HasSubstr("the clock is wrong")))
      << "once, not with each slice";
  parts.settings.reserve_bytes = 2000 * mib;
  EXPECT_TRUE(Retention(parts).facts().room_short);
}

}  // namespace
}  // namespace datum::retention_test
