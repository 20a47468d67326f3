// The support bundle: redaction, limits and manifest, and the doctor's checks of store and service.
#include "daemon/ctl/support_bundle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <zip.h>

#include <algorithm>
#include <ctime>
#include <fstream>

#include "daemon/ctl/doctor_cell.h"
#include "daemon/ctl/run_program.h"
#include "tests/daemon/scpi/fixture.h"

namespace datum {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Redaction, AddressesBecomeTheSameWordEverywhere) {
  Redaction r;
  EXPECT_EQ(r.clean("address = \"192.168.1.20\" # the camera"), "address = \"address-1\" # the camera");
  EXPECT_EQ(r.clean("tcp 10.0.0.7:5025 lost; 192.168.1.20 too."), "tcp address-2:5025 lost; address-1 too.");
  EXPECT_EQ(r.clean("allow = [\"192.168.1.0/24\", \"fd00:1::5/64\"]"),
            "allow = [\"address-3/24\", \"address-4/64\"]");
  EXPECT_EQ(r.clean("from [fe80::1%eth0]:80 and fe80::1."), "from [address-5%eth0]:80 and address-5.");
  EXPECT_EQ(r.clean("link/ether 52:54:00:AB:cd:ef"), "link/ether mac-1");
  EXPECT_EQ(r.counts().at("address"), 7u);
}

TEST(Redaction, WhatSaysNothingStays) {
  Redaction r;
  for (const char* text :
       {"127.0.0.1:5025", "0.0.0.0", "::1", "::", "255.255.255.0", "datum::report::x", "12:34:56.789",
        "sqlite 3.40.1", "2026-11-22T03:04:05.678901Z", "0.1.0 1a2b3c4d5e6f-dirty",
        "resolution_um = [35.0, 35.0, 1.0]", "x: y",
        "/dev/serial/by-id/usb-FTDI_FT232R_USB_UART_A50285BI-if00-port0", "", "key_frames = 3", "e::f:g"})
    EXPECT_EQ(r.clean(text), text);
}

TEST(Redaction, SecretsByTheNameOfTheirKey) {
  Redaction r;
  for (const char* text : {"password = \"hunter2\"", "  API_Key: hunter2", "#mqtt_token = 'hunter2'",
                           "\"client_secret\": \"hunter2\","})
    EXPECT_THAT(r.clean(text), Not(HasSubstr("hunter2"))) << text;
  EXPECT_EQ(r.clean("password = \"hunter2\""), "password = (left out)");
  EXPECT_EQ(r.clean("tokens of a line: 3"), "tokens of a line: 3") << "words, no key";
  EXPECT_EQ(r.counts().at("secret"), 5u);
}

TEST(Redaction, PeopleComputersAndBoards) {
  Redaction r("controller7");
  r.hide("unit", "SN-1234");
  r.hide("unit", "12");
  EXPECT_EQ(r.clean("/home/jane/x and /home/jane and /srv/home/y"),
            "/home/user-1/x and /home/user-1 and /srv/home/user-2");
  EXPECT_EQ(r.clean("controller7 datumd[12]: unit SN-1234, not SN-12345"),
            "computer-1 datumd[12]: unit unit-1, not SN-12345");
}

TEST(Redaction, AUnitsNumberInsideANameIsHiddenToo) {
  Redaction r;
  for (const char* unit : {"SN-1234", "4711", "12", "SN 42", "Anna", "SN-1234-B"})
    r.hide_inside("unit", unit);
  EXPECT_EQ(r.clean("done/SN-1234_top_007.ptr, line2-sn-1234.json"),
            "done/unit-1_top_007.ptr, line2-unit-1.json");
  EXPECT_EQ(r.clean("boardSN-1234top"), "boardunit-1top");
  EXPECT_EQ(r.clean("f4711, 0004711.ptr; 14711, 47110 and 0x47"),
            "funit-2, 000unit-2.ptr; 14711, 47110 and 0x47");
  EXPECT_EQ(r.clean("not SN-12345; unit SN 42 of 12"), "not SN-12345; unit unit-3 of 12");
  EXPECT_EQ(r.clean("Anna_1, anna.ptr, Joanna, annals"), "unit-4_1, unit-4.ptr, Joanna, annals");
  EXPECT_EQ(r.clean("SN-1234-B/SN-1234"), "unit-5/unit-1") << "the longest first";
  EXPECT_EQ(r.counts().at("unit"), 10u);
}

TEST(SupportBundle, IsBoundedAndSaysWhatIsMissing) {
  SupportBundle bundle{Redaction()};
  bundle.add("a.txt", "host 10.1.1.1\n");
  bundle.add("log.txt", std::string(SupportBundle::most_entry_bytes, 'x') + "the end", "",
             SupportBundle::Keep::end);
  bundle.add_file("none.txt", "/no/such/file");
  bundle.try_add("failed.txt", [&]() -> std::string { throw std::runtime_error("nobody at 10.1.1.1"); });
  for (int i = 0; i < 13; ++i)
    bundle.add("more" + std::to_string(i), std::string(SupportBundle::most_entry_bytes, 'y'));
  const auto entries = bundle.entries("a test");
  std::size_t bytes = 0;
  for (const SupportEntry& e : entries) bytes += e.text.size();
  EXPECT_LE(bytes, SupportBundle::most_bytes + SupportBundle::most_entry_bytes);
  ASSERT_EQ(entries.front().name, "MANIFEST.txt");
  const std::string& manifest = entries.front().text;
  EXPECT_THAT(manifest, HasSubstr("a.txt"));
  EXPECT_THAT(manifest, HasSubstr("none.txt\n           left out: "));
  EXPECT_THAT(manifest, HasSubstr("failed.txt\n           left out: nobody at address-1"));
  EXPECT_THAT(manifest, HasSubstr("of which the last"));
  EXPECT_THAT(manifest, HasSubstr("address    1 times"));
  const auto log =
      std::find_if(entries.begin(), entries.end(), [](const auto& e) { return e.name == "log.txt"; });
  EXPECT_EQ(log->text.substr(log->text.size() - 7), "the end");
}

TEST(SupportBundle, TheArchiveHoldsItAndIsItsOwnersAlone) {
  const testing::FreshFolder folder;
  const auto write = [&](const char* name) {
    write_zip(folder / name,
              {{"MANIFEST.txt", "all", ""}, {"sub/b.txt", "text of b", ""}, {"none", "", "gone"}},
              1'780'000'000);
    std::ifstream in(folder / name, std::ios::binary);
    return std::string{std::istreambuf_iterator<char>(in), {}};
  };
  EXPECT_EQ(write("one.zip"), write("two.zip")) << "the same but for time";
  struct stat s {};
  ASSERT_EQ(stat((folder / "one.zip").c_str(), &s), 0);
  EXPECT_EQ(s.st_mode & 0777, 0600u);
  zip_t* zip = zip_open((folder / "one.zip").c_str(), ZIP_RDONLY, nullptr);
  ASSERT_NE(zip, nullptr);
  EXPECT_EQ(zip_get_num_entries(zip, 0), 3);
  zip_file_t* file = zip_fopen(zip, "sub/b.txt", 0);
  ASSERT_NE(file, nullptr);
  char text[64] = {};
  EXPECT_EQ(zip_fread(file, text, sizeof text), 9);
  EXPECT_STREQ(text, "text of b");
  zip_fclose(file);
  zip_discard(zip);
  EXPECT_THROW(write_zip(folder / "no/such/folder.zip", {}, 0), std::runtime_error);
}

TEST(RunProgram, IsBoundedInTimeAndSize) {
  EXPECT_EQ(run_program({"echo", "a", "b"}).text, "a b\n");
  EXPECT_EQ(run_program({"sh", "-c", "echo out; echo err >&2; exit 3"}).text, "out\nerr\n");
  EXPECT_EQ(run_program({"sh", "-c", "exit 3"}).shortcoming(), "exit status 3");
  EXPECT_EQ(run_program({"no-such-program-anywhere"}).shortcoming(), "the program is not there");
  EXPECT_EQ(run_program({"cat"}).shortcoming(), "") << "nothing to read";
  const ProgramOutput much = run_program({"head", "-c", "100000", "/dev/zero"}, {10'000, 1000});
  EXPECT_EQ(much.text.size(), 1000u);
  EXPECT_TRUE(much.cut);
  EXPECT_EQ(run_program({"sh", "-c", "sleep 600 & sleep 600"}, {100, 1000}).shortcoming(),
            "it did not end in time");
}

TEST(DoctorStore, DamageIsFound) {
  const testing::FreshFolder folder;
  const auto file = folder / "results.db";
  EXPECT_EQ(doctor::examine_store(file).at(0).state, doctor::State::good) << "made by the first start";
  {
    ResultStore store(file);
    for (int n = 1; n <= 200; ++n) {
      BoardVerdict v = testing::board(n);
      store.store(v);
    }
  }
  const auto whole = doctor::examine_store(file).at(0);
  EXPECT_EQ(whole.state, doctor::State::good) << whole.found;
  EXPECT_THAT(whole.found, HasSubstr("200 results, 1 to 200"));
  {
    std::fstream damage(file, std::ios::binary | std::ios::in | std::ios::out);
    damage.seekp(static_cast<std::streamoff>(std::filesystem::file_size(file)) / 2);
    damage << std::string(8192, '\x5a');
  }
  const auto damaged = doctor::examine_store(file).at(0);
  EXPECT_EQ(damaged.state, doctor::State::bad) << damaged.found;
  EXPECT_FALSE(damaged.run.empty());
}

TEST(DoctorFrames, NamesAnImageThatNoSidecarAnnounces) {
  const testing::FreshFolder folder;
  folder.write("drop/a.tif", "heights");
  folder.write("drop/b.ptr", "its own trigger");
  folder.write("drop/notes.txt", "no image");
  const std::int64_t now_s = std::time(nullptr);
  EXPECT_TRUE(doctor::examine_drop(folder / "drop", now_s).empty()) << "its sidecar may come";
  const auto found = doctor::examine_drop(folder / "drop", now_s + 120);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].state, doctor::State::doubtful);
  EXPECT_THAT(found[0].found, HasSubstr("a.tif is not measured: no sidecar names it; write a.json last"));
  EXPECT_EQ(found[0].run, "datumctl frame describe " + (folder / "drop/a.tif").string());
  folder.write("drop/a.json", "{}");
  EXPECT_EQ(doctor::examine_drop(folder / "drop", now_s + 120).size(), 1u) << "it names nothing";
  EXPECT_TRUE(doctor::examine_drop(folder / "none", now_s + 120).empty());
}

TEST(DoctorUnit, SaysHowTheServiceIs) {
  const auto of = [](const char* properties) {
    return doctor::examine_unit("datumd.service", properties).at(0);
  };
  using doctor::State;
  EXPECT_EQ(of("LoadState=loaded\nActiveState=active\nSubState=running\nNRestarts=0\nUnitFileState=enabled\n")
                .state,
            State::good);
  const auto restarted =
      of("LoadState=loaded\nActiveState=active\nSubState=running\nNRestarts=3\nUnitFileState=enabled\n");
  EXPECT_EQ(restarted.state, State::doubtful);
  EXPECT_THAT(restarted.found, HasSubstr("3 times"));
  const auto failed = of("LoadState=loaded\nActiveState=failed\nSubState=failed\nResult=watchdog\n");
  EXPECT_EQ(failed.state, State::bad);
  EXPECT_THAT(failed.found, HasSubstr("watchdog"));
  EXPECT_THAT(of("LoadState=loaded\nActiveState=inactive\nSubState=dead\n").run,
              HasSubstr("systemctl start"));
  EXPECT_THAT(of("LoadState=loaded\nActiveState=active\nUnitFileState=disabled\n").run,
              HasSubstr("systemctl enable"));
  EXPECT_EQ(of("LoadState=not-found\nActiveState=inactive\n").state, State::doubtful);
}

}  // namespace
}  // namespace datum
