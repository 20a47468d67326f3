// Attacks by a producer of deliveries: leading the daemon out of the drop folder, or exhausting it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <zlib.h>

#include <fstream>
#include <functional>

#include "drivers/frame/frame_error.h"
#include "drivers/link_error.h"
#include "drivers/sensor/file_drop.h"
#include "drivers/sensor/gocator_csv.h"
#include "drivers/sensor/height_file.h"
#include "drivers/sensor/organised_cloud.h"
#include "drivers/sensor/raster.h"
#include "drivers/sensor/read_frame.h"
#include "drivers/sensor/stated_map.h"
#include "tests/drivers/sensor/expect_refusal.h"
#include "tests/drivers/sensor/tiny_files.h"
#include "tests/fresh_folder.h"

namespace datum {
namespace {

using namespace datum::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

class HostileDrop : public ::testing::Test {
 protected:
  HostileDrop() { folder.prepare(); }
  std::string put(const std::string& name, const std::string& bytes = tiny_ptr()) {
    write_file(drop / name, bytes);
    return name;
  }
  std::vector<std::string> names(const fs::path& where) {
    std::vector<std::string> names;
    for (const auto& e : fs::directory_iterator(where)) names.push_back(e.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  }

  FreshFolder base;
  fs::path drop = base.path() / "drop";
  fs::path secret = base.write("outside/secret.ptr", tiny_ptr());
  DropFolder folder{drop};
};

// A name that was a file when listed and a symbolic link when moved: claim() moves either.
TEST_F(HostileDrop, WhatIsNoFileIsNotReadAfterItWasMoved) {
  fs::create_symlink(secret, drop / "a.ptr");
  expect_refusal([&] { read_claim(*folder.claim("a.ptr"), make_profile()); },
                 "a.ptr: a.ptr is a link, a folder or a device; deliver files");
  fs::create_directory(drop / "b.ptr");
  expect_refusal([&] { read_claim(*folder.claim("b.ptr"), make_profile()); },
                 "b.ptr: b.ptr is a link, a folder or a device; deliver files");
  write_tiny_frame(drop, "c");
  const auto c = folder.claim("c.json");
  fs::rename(drop / "work/3/c_z.tif", secret);
  fs::create_symlink(secret, drop / "work/3/c_z.tif");
  expect_refusal([&] { read_claim(*c, make_profile()); },
                 "c.json: c_z.tif is a link, a folder or a device; deliver files");
  write_tiny_frame(drop, "d");
  EXPECT_EQ(read_claim(*folder.claim("d.json"), make_profile()).frame.frame_id, "000017");
}

TEST_F(HostileDrop, AReasonIsWrittenBesideTheFileAndNowhereElse) {
  const std::string before = read_file(secret);
  const auto claim = folder.claim(put("a.ptr"));
  fs::create_symlink(secret, drop / "work/1/a.ptr.reason.txt");
  folder.finish(*claim, DropFolder::End::failed, "because");
  EXPECT_EQ(read_file(secret), before);
  EXPECT_THAT(names(drop / "failed/a"), ElementsAre("a.ptr", "a.ptr.reason.txt", "a.ptr~2.reason.txt"));
  EXPECT_EQ(read_file(drop / "failed/a/a.ptr~2.reason.txt"), "because\n");
}

TEST_F(HostileDrop, TheLongestNamesHaveTheirReasonAndTheirFolders) {
  const std::string stem(251, 's');
  for (int copy = 1; copy <= 12; ++copy)
    folder.finish(*folder.claim(put(stem + ".ptr")), DropFolder::End::failed, "because");
  EXPECT_EQ(names(drop / "failed").size(), 12u);
  for (const std::string& name : names(drop / "failed"))
    EXPECT_THAT(names(drop / "failed" / name),
                ElementsAre(std::string(244, 's') + ".reason.txt", stem + ".ptr"));
}

TEST_F(HostileDrop, NoFolderOfItsOwnMayBeALink) {
  fs::create_directory(base.path() / "outside/done");
  fs::remove(drop / "done");
  fs::create_directory_symlink(base.path() / "outside/done", drop / "done");
  const auto claim = folder.claim(put("a.ptr"));
  EXPECT_THROW(folder.finish(*claim, DropFolder::End::done, ""), LostError);
  EXPECT_TRUE(fs::is_empty(base.path() / "outside/done"));
  EXPECT_TRUE(fs::exists(drop / "work/1/a.ptr")) << "it stays where the next start finds it";
  try {
    folder.prepare();
    ADD_FAILURE() << "accepted";
  } catch (const RefusedError& error) {
    EXPECT_THAT(error.what(), HasSubstr("done: is a link; deliveries would leave the drop folder"));
  }
}

// The mark is set before a file is read and removed after that; two remaining ones are two process deaths.
TEST_F(HostileDrop, AFolderOfItsOwnThatBecomesALinkLaterIsNotFollowed) {
  const auto claimed = folder.claim(put("a.ptr"));
  fs::remove(drop / "done");
  fs::create_directory_symlink(base.path() / "outside", drop / "done");
  const std::string why = " can't be used: is a link or a file; remove it";
  const auto lost = [](auto&& call) -> std::string {
    try {
      call();
    } catch (const LostError& error) {
      return error.what();
    }
    return "done";
  };
  EXPECT_EQ(lost([&] { folder.finish(*claimed, DropFolder::End::done, ""); }),
            (drop / "done").string() + why);
  fs::rename(drop / "work", base.path() / "former");
  fs::create_directory_symlink(base.path() / "outside", drop / "work");
  put("b.ptr");
  EXPECT_EQ(lost([&] { folder.claim("b.ptr"); }), (drop / "work").string() + why);
  EXPECT_THAT(names(base.path() / "outside"), ElementsAre("secret.ptr"));
  EXPECT_TRUE(fs::exists(drop / "b.ptr"));
}

TEST_F(HostileDrop, FoldersOfItsOwnThatAreRemovedAreMadeAnew) {
  for (const auto end : {DropFolder::End::done, DropFolder::End::failed}) {
    for (const auto& name : names(drop)) fs::remove_all(drop / name);  // rm -r drop/*
    folder.finish(*folder.claim(put("a.ptr")), end, "");
  }
  EXPECT_THAT(names(drop / "failed/a"), ElementsAre("a.ptr"));
}

TEST_F(HostileDrop, WhyADeliveryStaysIsReportedOnce) {
  std::int64_t now = 0;
  FileDrop source(
      {drop, 2000, 500}, [](const FrameIdentity&) { return false; }, now);
  put("a.ptr");
  fs::remove(drop / "work");
  write_file(drop / "work", "in its place");
  for (int listing = 0; listing < 4; ++listing) {
    source.on_deadline(now += 2'000'000'000);
    source.next();
  }
  const std::string why = (drop / "work").string() + " can't be used: is a link or a file; remove it";
  EXPECT_THAT(source.take_warnings(), ElementsAre("file drop: " + why));
  EXPECT_EQ(source.report(now)->trouble, why);
  fs::remove(drop / "work");
  source.on_deadline(now += 2'000'000'000);
  source.on_deadline(now += 2'000'000'000);
  EXPECT_TRUE(source.next());
  EXPECT_EQ(source.report(now)->trouble, "");
}

TEST_F(HostileDrop, AFileThatEndsTheProcessAgainAndAgainIsRefused) {
  auto claim = *folder.claim(put("a.ptr"));
  claim.left_over = true;
  write_file(drop / "work/1/.read", "x");
  EXPECT_NO_THROW(read_claim(claim, make_profile()));
  EXPECT_THAT(names(drop / "work/1"), ElementsAre("a.ptr"));
  write_file(drop / "work/1/.read", "xx");
  expect_refusal(
      [&] { read_claim(claim, make_profile()); },
      "a.ptr: datumd ended 2 times while it read this; it is damaged or too large for its memory: keep "
      "it for the maintainers of datumd, and let the sensor expose again");
}

// Each of 64 texts has 8 KB and would expand to 7.9 MB. The image has 2 pixels; libpng, zlib and gtest need
// less than 32 MiB.
TEST_F(HostileDrop, TextsOfAPngAreNotUnpacked) {
  const std::string text(7'900'000, 'A');
  std::string packed(compressBound(text.size()), '\0');
  uLongf size = packed.size();
  compress2(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(text.data()),
            text.size(), 9);
  const auto chunk = [](const std::string& body) {  // type and data
    std::string bytes;
    const auto big = [&](std::uint32_t word) {
      for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(word >> shift & 0xFF);
    };
    big(static_cast<std::uint32_t>(body.size() - 4));
    bytes += body;
    big(static_cast<std::uint32_t>(::crc32_z(0, reinterpret_cast<const Bytef*>(body.data()), body.size())));
    return bytes;
  };
  write_png<std::uint16_t>(base.path() / "image.png", 1, 2, {7, 8});
  std::string bomb = read_file(base.path() / "image.png");
  constexpr std::size_t after_header = 8 + 25;
  for (int i = 0; i < 64; ++i)
    bomb.insert(after_header, chunk(std::string("zTXtk\0\0", 7) + packed.substr(0, size)));
  rusage before{}, after{};
  ::getrusage(RUSAGE_SELF, &before);
  EXPECT_EQ(std::get<std::vector<std::uint16_t>>(read_png(bytes_of(bomb), "bomb").samples).size(), 2u);
  ::getrusage(RUSAGE_SELF, &after);
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 32 * 1024);
}

std::string refusal_of(const std::function<void()>& read) {
  try {
    read();
    return "accepted";
  } catch (const FrameError& error) {
    return error.what();
  }
}

// For every source of the size: the profile's limit is accepted, one pixel more is refused before it is
// unpacked.
TEST_F(HostileDrop, EveryFormatHasTheLimitOfTheSensor) {
  const fs::path source = DATUM_SOURCE_DIR;
  const std::string x3p = read_file(source / "tests/data/x3p/good.x3p"),
                    csv = read_file(source / "tests/data/frames/snapshot.csv"), points(24, '\0');
  const std::string pcd =
      "VERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH 3\nHEIGHT 2\n"
      "VIEWPOINT 0 0 0 1 0 0 0\nPOINTS 6\nDATA ascii\n";
  const std::string ply =
      "ply\nformat ascii 1.0\ncomment rows 2\ncomment cols 3\nelement vertex 6\nproperty float x\n"
      "property float y\nproperty float z\nend_header\n";
  const std::string envi =
      "ENVI\nsamples = 3\nlines = 2\nbands = 1\ndata type = 4\nbyte order = 0\ninterleave = bsq\n";
  write_png<std::uint16_t>(base.path() / "a.png", 2, 3, {1, 2, 3, 4, 5, 6});
  write_tiff<std::int16_t>(base.path() / "a.tif", 2, 3, {1, 2, 3, 4, 5, 6});
  const std::string png = read_file(base.path() / "a.png"), tiff = read_file(base.path() / "a.tif");
  SensorProfile narrow = make_profile();
  narrow.most_pixels = 3;
  narrow.pixel_pitch_mm = 0.02;
  const std::pair<const char*, std::function<void(std::uint64_t)>> readers[]{
      {"pcd", [&](std::uint64_t most) { read_pcd(bytes_of(pcd), "a", most); }},
      {"ply", [&](std::uint64_t most) { read_ply(bytes_of(ply), "a", most); }},
      {"x3p", [&](std::uint64_t most) { read_x3p(bytes_of(x3p), "a", most); }},
      {"csv", [&](std::uint64_t most) { read_gocator_csv(bytes_of(csv), "a", most); }},
      {"envi", [&](std::uint64_t most) { read_envi(bytes_of(points), "a", bytes_of(envi), "a.hdr", most); }},
      {"png", [&](std::uint64_t most) { read_image(bytes_of(png), "a.png", most); }},
      {"tiff", [&](std::uint64_t most) { read_image(bytes_of(tiff), "a.tif", most); }}};
  for (const auto& [name, read_up_to] : readers) {
    const auto& read = read_up_to;  // clang 14 does not let a lambda capture a structured binding
    EXPECT_THAT(refusal_of([&] { read(5); }), HasSubstr("raise sensor.max_frame_mpix")) << name;
    EXPECT_THAT(refusal_of([&] { read(most_frame_pixels); }), ::testing::Not(HasSubstr("max_frame_mpix")))
        << name;
  }
  write_tiny_frame(base.path(), "b");  // 2 x 3
  write_file(base.path() / "c.ptr", tiny_ptr());
  for (const char* name : {"b.json", "b_z.tif", "c.ptr"})
    EXPECT_THAT(refusal_of([&] { read_frame(base.path() / name, narrow); }), HasSubstr("max_frame_mpix"))
        << name;
  narrow.most_pixels = 6;
  EXPECT_EQ(refusal_of([&] { read_frame(base.path() / "b.json", narrow); }), "accepted");
}

TEST_F(HostileDrop, AFloodOfDeliveriesIsKnownInPartAndMeasuredAsAWhole) {
  constexpr int files = 200, most = 100;
  MonotonicNs now = 1'000'000'000;
  FileDropSettings settings{drop};
  settings.most_known = most;
  FileDrop flooded(
      settings, [](const FrameIdentity&) { return false; }, now);
  for (int i = 0; i < files; ++i) put(std::to_string(i) + ".ptr", "x");
  flooded.on_ready(now);
  int known = 0;
  for (; flooded.next(); ++known) continue;
  EXPECT_GT(known, 0);
  EXPECT_LE(known, 4096 / 32 / 2) << "a turn ends before all is read: two events of 32 bytes for each file";
  for (int turns = 0; turns < files; ++turns) flooded.on_ready(now);
  EXPECT_THAT(flooded.describe(), HasSubstr(", 100 ready"));
  for (; known < files && now < 60'000'000'000; now = *flooded.deadline()) {
    flooded.on_deadline(now);
    while (flooded.next()) ++known;
  }
  EXPECT_EQ(known, files) << "a listing finds the others when there is room";
}

}  // namespace
}  // namespace datum
