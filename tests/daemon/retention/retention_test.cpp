// What goes and what stays: results by age and number, files by age and size, and the room that must be left.
#include "daemon/retention/retention.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <system_error>

#include "calib/utc_time.h"
#include "daemon/report/chain_check.h"
#include "tests/daemon/report/fixture.h"

namespace datum {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using testing::FreshFolder;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::int64_t day_s = 86'400, mib = 1 << 20;
const std::int64_t first_day_s = *utc_from_iso8601("2026-01-01T10:00:00Z");

/// One result a day from 2026-01-01 10:00 on.
struct Results : ::testing::Test {
  Results() : store(folder / "results.db") {}

  void fill(int days) {
    for (; days > 0; --days, ++day) store_at(first_day_s + day * day_s);
  }
  void store_at(std::int64_t utc_s) {
    BoardVerdict v = testing::board(day);
    v.measured_at = iso8601_from_utc(utc_s);
    v.measured_at.insert(19, ".000000");
    store.store(v);
  }
  /// All slices that are due at a moment.
  KeepOutcome keep(std::int64_t utc_s, std::optional<std::uint64_t> acknowledged = {}) {
    KeepOutcome all;
    const ResultKeeper keeper(settings);
    for (bool more = true; more;) {
      KeepOutcome one = keeper.slice(store, {utc_s, acknowledged});
      more = one.more;
      all.doubt = one.doubt;
      all.notes.insert(all.notes.end(), one.notes.begin(), one.notes.end());
      if (!one.unseen.empty()) all.unseen = one.unseen;
    }
    EXPECT_EQ(check_chain(folder / "results.db").faults, 0u);
    return all;
  }
  std::int64_t on_day(int n) const { return first_day_s + n * day_s; }
  std::uint64_t first() { return store.extent().first; }

  FreshFolder folder;
  ResultStore store;
  RetentionSettings settings;
  int day = 0;
};

TEST_F(Results, GoByAge) {
  settings.results.days = 30;
  fill(40);
  keep(on_day(30));
  EXPECT_EQ(first(), 1u) << "30 days old to the second";
  keep(on_day(30) + 1);
  EXPECT_EQ(first(), 2u);
  keep(on_day(50));
  EXPECT_EQ(first(), 21u);
}

TEST_F(Results, GoByNumberAndSize) {
  settings.results_count = 25;
  fill(60);
  keep(on_day(60));
  EXPECT_EQ(store.extent().count, 25u);
  settings.results_count.reset();
  settings.results.bytes = store.used_bytes() / 2;
  keep(on_day(60));
  EXPECT_LT(store.extent().count, 25u);
  EXPECT_GE(store.extent().count, 1u);
}

TEST_F(Results, StayWithoutLimits) {
  fill(3);
  keep(on_day(100'000));
  EXPECT_EQ(first(), 1u);
}

TEST_F(Results, AJumpOfTheClockRemovesNothing) {
  settings.results.days = 30;
  fill(20);
  EXPECT_EQ(keep(on_day(20)).doubt, "");
  const KeepOutcome jumped = keep(on_day(20 + 7000));
  EXPECT_THAT(jumped.doubt, HasSubstr("7000 days after 2026-01-21T10:00:00Z: no result is removed by age"));
  store_at(on_day(20 + 7001));  // boards go on, with the wrong date
  EXPECT_NE(keep(on_day(20 + 7001)).doubt, "") << "its own results do not make it right";
  EXPECT_EQ(first(), 1u);
  EXPECT_EQ(keep(on_day(40)).doubt, "") << "set right";
  keep(on_day(35));
  EXPECT_EQ(first(), 11u) << "as of day 40";
}

TEST_F(Results, AnAcceptedDateIsTrue) {
  settings.results.days = 30;
  fill(20);
  keep(on_day(20));
  settings.date_accepted = "2026-05-01";  // on_day(120)
  EXPECT_EQ(keep(on_day(121)).doubt, "");
  EXPECT_EQ(first(), 20u) << "all but the newest";
  EXPECT_EQ(keep(on_day(160)).doubt, "") << "from there on it runs by itself";
  EXPECT_NE(keep(on_day(160 + ResultKeeper::most_jump_days + 1)).doubt, "");
}

/// Measured while the battery of the clock was empty.
TEST_F(Results, OneWithAWrongDateTakesNoOtherAlong) {
  settings.results.days = 30;
  fill(20);
  store_at(0);
  ++day;
  fill(10);
  keep(on_day(31));
  EXPECT_EQ(first(), 2u);
  keep(on_day(51));
  EXPECT_EQ(first(), 22u) << "result 21 went when those before it had gone";
}

TEST_F(Results, WaitForAHostThatAcknowledges) {
  settings.results_count = 10;
  fill(18);
  keep(on_day(20), 5);
  EXPECT_EQ(first(), 6u);
  fill(10);
  const KeepOutcome outcome = keep(on_day(30), 5);  // 28 results, twice the limit is 20
  EXPECT_EQ(first(), 9u);
  EXPECT_THAT(outcome.unseen, HasSubstr("(more than twice 10 results) that a host has not taken"));
  EXPECT_THAT(outcome.unseen, HasSubstr("it acknowledged up to 5"));
}

TEST_F(Results, WaitForAHostUntilTwiceTheirAge) {
  settings.results.days = 10;
  fill(30);
  keep(on_day(15), 2);
  EXPECT_EQ(first(), 3u);
  keep(on_day(25), 2);
  EXPECT_EQ(first(), 6u) << "five are older than twenty days";
}

TEST_F(Results, WhatWasAlteredIsNotedWhenItGoes) {
  settings.results_count = 2;
  fill(3);
  sqlite3* db = nullptr;
  sqlite3_open((folder / "results.db").c_str(), &db);
  sqlite3_exec(db, "UPDATE result SET decision = 0 WHERE sequence = 1", nullptr, nullptr, nullptr);
  sqlite3_close(db);
  EXPECT_THAT(keep(on_day(3)).notes, ElementsAre(HasSubstr("result 1 was altered")));
}

// A board waits for one slice at most: it ends by its number of results, and before that by its time.
TEST_F(Results, ASliceEndsByItsNumberOrItsTime) {
  settings.results_count = 1;
  fill(40);
  const ResultKeeper keeper(settings);
  MonotonicNs now = 0;
  const auto slice_with = [&](MonotonicNs a_look_takes) {
    return keeper.slice(store,
                        {on_day(40), std::nullopt, [&now, a_look_takes] { return now += a_look_takes; }});
  };
  const KeepOutcome fast = slice_with(1);
  EXPECT_EQ(fast.removed.results, ResultKeeper::most_at_once);
  EXPECT_TRUE(fast.more);
  // The clock is asked at the beginning and before each result but the first: the fourth would begin at 2.1 ms.
  const KeepOutcome slow = slice_with(ResultKeeper::most_reading_ns / 3 + 1);
  EXPECT_EQ(slow.removed.results, 3u);
  EXPECT_TRUE(slow.more);
  EXPECT_EQ(slow.took_ns, 5 * (ResultKeeper::most_reading_ns / 3 + 1)) << "by its clock";
  EXPECT_EQ(slice_with(ResultKeeper::most_reading_ns * 100).removed.results, 1u) << "it goes on all the same";
  EXPECT_EQ(first(), 21u);
  EXPECT_EQ(check_chain(folder / "results.db").faults, 0u);
  while (slice_with(1).more) continue;
  EXPECT_EQ(store.extent().count, 1u);
}

// A figure, no check: --gtest_also_run_disabled_tests --gtest_filter='*HowLongSlicesTake*', on a quiet computer.
TEST_F(Results, DISABLED_HowLongSlicesTake) {
  settings.results_count = 1;
  fill(4000);
  std::vector<double> took_ms;
  const auto clock = [] {
    return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
  };
  for (bool more = true; more;) {
    const KeepOutcome one = ResultKeeper(settings).slice(store, {on_day(4000), std::nullopt, clock});
    more = one.more;
    took_ms.push_back(static_cast<double>(one.took_ns) * 1e-6);
  }
  std::sort(took_ms.begin(), took_ms.end());
  std::printf("%zu slices, results of %zu bytes: median %.2f ms, p99 %.2f, longest %.2f\n", took_ms.size(),
              store.latest()->json.size(), took_ms[took_ms.size() / 2], took_ms[took_ms.size() * 99 / 100],
              took_ms.back());
}

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
  /// A delivery of two files of `bytes` together, changed on that day.
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
  // a link within a delivery goes, what it leads to stays
  fs::create_symlink(folder / "precious" / "x.json", folder / "done" / "ours" / "z.json");
  for (const KeptFile& file : deliveries_in(folder / "done")) remove_kept(file);
  EXPECT_FALSE(fs::exists(folder / "done" / "ours"));
  EXPECT_TRUE(fs::exists(folder / "precious" / "x.json"));
  EXPECT_TRUE(fs::exists(folder / "done" / "tree" / "inner" / "y.txt"));
  EXPECT_THAT(deliveries_in(folder / "none"), IsEmpty());
  EXPECT_THAT(deliveries_in(folder / "done" / "link"), IsEmpty());
}

TEST_F(Files, PicturesAreKnownByTheirNames) {
  for (const char* name : {"00000001_PASS.png", "00000002_FAIL_points.csv", "123456789_INVALID.png",
                           "holiday.png", "00000003_PASS.txt", "1_PASS.png", "00000004_GOOD.png"})
    write(folder / "pictures" / name, 10);
  fs::create_symlink(folder / "pictures" / "holiday.png", folder / "pictures" / "00000009_PASS.png");
  EXPECT_THAT(names(pictures_in(folder / "pictures")),
              ::testing::UnorderedElementsAre("00000001_PASS.png", "00000002_FAIL_points.csv",
                                              "123456789_INVALID.png"));
}

/// A file system whose room the test says.
struct SetRoom final : RoomSource {
  Room of(const fs::path& path) const override {
    if (path == "/gone")
      throw std::system_error(EIO, std::generic_category(), "/gone: its room can't be told");
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
              HasSubstr("the pictures' folder: /gone: its room can't be told"));
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
  FileKeeper keeper(
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
  FileKeeper keeper({settings, folder / "", folder / "pictures", {}, std::make_shared<SetRoom>(), [] {
                       return first_day_s + 9 * day_s;
                     }});
  EXPECT_TRUE(keeper.kept().empty()) << "not listed yet";
  keeper.look();
  const auto kept = keeper.kept();
  ASSERT_EQ(kept.size(), 1u) << "pictures have no limit and are not listed";
  EXPECT_EQ(kept.at("frames").number, 2u) << "one goes";
  // Each has its mebibyte and a file of one block; a file system may add a block for its own book-keeping.
  EXPECT_NEAR(static_cast<double>(kept.at("frames").bytes), 2.0 * mib, 2 * 16384);
  EXPECT_EQ(deliveries_in(folder / "done").size(), 2u);
}

TEST(FramesKept, ByDecision) {
  const FreshFolder folder;
  FileKeeperParts parts{{}, {}, {}, {}, std::make_shared<SetRoom>(), [] { return first_day_s; }};
  EXPECT_TRUE(Retention(parts).keeps_frame(Decision::pass));
  parts.settings.keep_frames = KeepFrames::failures;
  EXPECT_FALSE(Retention(parts).keeps_frame(Decision::pass));
  for (const auto d : {Decision::inconclusive, Decision::fail, Decision::invalid})
    EXPECT_TRUE(Retention(parts).keeps_frame(d));
  parts.settings.keep_frames = KeepFrames::none;
  EXPECT_FALSE(Retention(parts).keeps_frame(Decision::invalid));
}

/// Slices come one at a time, soon after each other while there is more, and nothing is due without a limit.
TEST(Slices, AreDueOneAtATime) {
  const FreshFolder folder;
  FileKeeperParts parts{{}, {}, {}, {}, std::make_shared<SetRoom>(), [] { return first_day_s; }};
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
  FileKeeperParts parts{
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
  const RetentionFacts facts = retention.facts();
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
}  // namespace datum
