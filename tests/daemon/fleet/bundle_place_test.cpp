// A bundle on the disk: wherever the process ends, the cell has the old files or the new ones, all of them.
#include "daemon/fleet/bundle_place.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/fleet/bundle_check.h"
#include "daemon/system/durable_file.h"
#include "tests/daemon/sign/key_files.h"
#include "tests/refusal.h"
#include "tests/sample_file.h"

namespace datum {
namespace bundle_place_test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using testing::new_key;
using testing::slurp;

struct OnDisk {
  testing::FreshFolder folder;
  SigningKey key = SigningKey::from_file(new_key(folder));
  BundlePlaces places{folder / "recipes", folder / "calibrations", folder / "results.db.bundle"};
  Installation next = installation(2);

  OnDisk() {
    folder.write("recipes/a.toml", "old a");
    folder.write("recipes/kept.toml", "kept");
    folder.write("calibrations/c.toml", "old c");
  }
  Installation installation(std::uint64_t number) const {
    Installation i{{"line", number, "Jane", {"*"}, {}, "", ""},
                   "Joe",
                   "tcp 10.0.0.2:1",
                   "CN=Joe",
                   "2026-11-24T10:00:00Z"};
    i.bundle.files = {{BundleKind::recipe, "a.toml", "", "new a"},
                      {BundleKind::recipe, "b.toml", "", "new b"},
                      {BundleKind::calibration, "c.toml", "", "new c"}};
    sign(i.bundle, key);
    return i;
  }
  std::string state() const {
    std::string all;
    for (const char* name : {"recipes/a.toml", "recipes/b.toml", "calibrations/c.toml"})
      all += (fs::exists(folder / name) ? slurp(folder / name) : "none") + ",";
    EXPECT_EQ(slurp(folder / "recipes/kept.toml"), "kept");
    return all;
  }
  /// As datumd at its start.
  void recover() const {
    if (const auto begun = begun_bundle(places.state)) {
      complete(begun->bundle, places);
      settle(places);
    }
  }
  std::vector<std::string> hidden() const {
    std::vector<std::string> names;
    for (const char* in : {"recipes", "calibrations"})
      for (const auto& entry : fs::directory_iterator(folder / in))
        if (entry.path().filename().string().starts_with('.')) names.push_back(entry.path().filename());
    return names;
  }
};

const std::string was = "old a,none,old c,", is = "new a,new b,new c,";

TEST(BundlePlace, IsWholeWhereverTheProcessEnds) {
  // Every state between two changes of the file system that another process can find.
  const auto put = [](const OnDisk& d, std::size_t files) {
    for (std::size_t i = 0; i < files; ++i) {
      const fs::path place = place_of(d.next.bundle.files[i], d.places);
      put_in_place(place.parent_path() / ("." + place.filename().string() + ".part"), place);
    }
  };
  for (std::size_t parts = 0; parts <= 3; ++parts) {
    OnDisk d;
    for (std::size_t i = 0; i < parts; ++i)
      write_part_durably(place_of(d.next.bundle.files[i], d.places), d.next.bundle.files[i].text);
    d.recover();
    EXPECT_EQ(d.state(), was) << parts;
    EXPECT_FALSE(installed_bundle(d.places.state));
  }
  for (std::size_t placed = 0; placed <= 3; ++placed) {
    OnDisk d;
    stage(d.next.bundle, d.places);
    commit(d.next, d.places);
    put(d, placed);
    d.recover();
    EXPECT_EQ(d.state(), is) << placed;
    ASSERT_TRUE(installed_bundle(d.places.state));
    EXPECT_EQ(installed_bundle(d.places.state)->person, "Joe");
    EXPECT_FALSE(begun_bundle(d.places.state));
    EXPECT_TRUE(d.hidden().empty());
    d.recover();
    EXPECT_EQ(d.state(), is);
  }
}

/// Installs number 3, 4, ... for ever, and announces each on a pipe.
[[noreturn]] void install_for_ever(const OnDisk& d, int announce) {
  for (std::uint64_t number = 3;; ++number) {
    Installation i = d.installation(number);
    for (BundleFile& f : i.bundle.files) f.text = std::to_string(number);
    sign(i.bundle, d.key);
    stage(i.bundle, d.places);
    commit(i, d.places);
    complete(i.bundle, d.places);
    settle(d.places);
    if (write(announce, &number, sizeof number) != sizeof number) _exit(1);
  }
}

/// The last announced number of a life that is killed after `enough` of them, wherever it is then.
std::uint64_t one_life(const OnDisk& d, unsigned enough) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    install_for_ever(d, ends[1]);
  }
  close(ends[1]);
  std::uint64_t number = 0, last = 0;
  for (unsigned n = 0; read(ends[0], &number, sizeof number) == sizeof number; last = number)
    if (++n == enough) kill(child, SIGKILL);
  close(ends[0]);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status)) << "the installer ended by itself";
  return last;
}

TEST(BundlePlace, IsWholeAfterAKillAtAnyMoment) {
  for (unsigned enough = 1; enough <= 20; ++enough) {
    const OnDisk d;
    const std::uint64_t announced = one_life(d, enough);
    d.recover();
    const std::string a = slurp(d.folder / "recipes/a.toml");
    EXPECT_EQ(d.state(), a + "," + a + "," + a + ",");
    const auto now = installed_bundle(d.places.state);
    ASSERT_TRUE(now);
    EXPECT_EQ(std::to_string(now->bundle.number), a);
    EXPECT_GE(now->bundle.number, announced);
  }
}

TEST(BundlePlace, CompletesAlsoWithoutItsParts) {
  OnDisk d;
  commit(d.next, d.places);
  d.folder.write("recipes/.a.toml.part", "of somebody else");
  d.recover();
  EXPECT_EQ(d.state(), is);
}

TEST(BundlePlace, AFailedStageLeavesNothing) {
  OnDisk d;
  fs::create_directory(d.folder / "recipes/b.toml");
  EXPECT_THAT(testing::refusal_of<BundleError>([&] { stage(d.next.bundle, d.places); }),
              HasSubstr("is no regular file"));
  fs::remove(d.folder / "recipes/b.toml");
  fs::create_symlink("/etc/passwd", d.folder / "recipes/b.toml");
  EXPECT_THAT(testing::refusal_of<BundleError>([&] { stage(d.next.bundle, d.places); }),
              HasSubstr("is no regular file"));
  fs::remove(d.folder / "recipes/b.toml");
  fs::rename(d.folder / "calibrations", d.folder / "away");
  EXPECT_THROW(stage(d.next.bundle, d.places), std::system_error);
  fs::rename(d.folder / "away", d.folder / "calibrations");
  EXPECT_TRUE(d.hidden().empty());
  EXPECT_EQ(d.state(), was);
  d.places.calibrations.clear();
  EXPECT_THAT(testing::refusal_of<BundleError>([&] { stage(d.next.bundle, d.places); }),
              HasSubstr("no inspection.calibrations_folder"));
}

TEST(BundlePlace, ADamagedRecordIsSaidAndNotTakenForNone) {
  OnDisk d;
  stage(d.next.bundle, d.places);
  commit(d.next, d.places);
  std::string bytes = slurp(d.folder / "results.db.bundle.next");
  bytes.back() = 'X';
  d.folder.write("results.db.bundle.next", bytes);
  EXPECT_THAT(testing::refusal_of<BundleError>([&] { d.recover(); }), HasSubstr("has the SHA-256"));
  EXPECT_EQ(d.state(), was);
}

TEST(BundleNumber, GoesBackForAPersonAlone) {
  const OnDisk d;
  const auto now = d.installation(5);
  const auto said = [&](std::uint64_t number, bool older) {
    return testing::refusal_of<BundleError>([&] { demand_newer(d.installation(number).bundle, now, older); });
  };
  EXPECT_EQ(said(6, false), "(accepted)");
  EXPECT_EQ(said(5, false), "(accepted)");  // the installed one itself restores its files
  EXPECT_THAT(said(4, false), HasSubstr("is older than bundle line, number 5"));
  EXPECT_EQ(said(4, true), "(accepted)");
  EXPECT_NO_THROW(demand_newer(d.installation(1).bundle, std::nullopt, false));
  Bundle other = now.bundle;
  other.by = "Jim";
  sign(other, d.key);
  EXPECT_THAT(testing::refusal_of<BundleError>([&] { demand_newer(other, now, true); }),
              HasSubstr("a number of its own for each bundle"));
}

}  // namespace
}  // namespace bundle_place_test
}  // namespace datum
