#include "calib/calibration_store.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "tests/a_calibration.h"
#include "tests/fresh_folder.h"
#include "tests/refusal.h"

namespace datum {
namespace {

std::string calibration(const std::string& id) { return to_toml(testing::a_calibration(id)); }

TEST(CalibrationStore, PicksByIdNotByFileName) {
  const testing::FreshFolder folder;
  folder.write("new.toml", calibration("march"));
  folder.write("old.toml", calibration("february"));
  folder.write("notes.txt", "not a calibration");
  const CalibrationStore store(folder.path());
  EXPECT_EQ(store.all().size(), 2u);
  EXPECT_TRUE(store.problems().empty());
  EXPECT_EQ(store.find("february").file.filename(), "old.toml");
}

TEST(CalibrationStore, EachPositionOfAHeadHasItsCurrentOne) {
  const testing::FreshFolder folder;
  CalibrationJournal journal;
  std::string lines;
  const auto accept = [&](const std::string& id, const std::string& head, double b_deg,
                          JournalEvent event = JournalEvent::accept) {
    Calibration c = testing::a_calibration(id);
    c.head = HeadPosition{head, {0, b_deg, 0}, 0.01, 0.5, 1.25};
    folder.write(id + ".toml", to_toml(c));
    c.sha256 = checksum_of(c);
    JournalEntry entry = testing::journal_entry(event, c);
    entry.from = journal_from(c);
    lines += journal.append(entry);
    folder.write("journal", lines);
  };
  accept("down1", "down", 0);
  accept("left1", "left", 90);
  accept("down2", "down", 0);
  std::vector<std::string> refused;
  auto heads = CalibrationStore(folder.path()).heads("S7", refused);
  ASSERT_EQ(heads.size(), 2u);
  EXPECT_EQ(heads[0].id, "down2");
  EXPECT_EQ(heads[1].id, "left1");
  EXPECT_EQ(heads[1].head->angles_deg[1], 90);
  EXPECT_EQ(heads[1].head->u_shift_um, 1.25);
  EXPECT_TRUE(refused.empty());
  EXPECT_EQ(CalibrationStore(folder.path()).choose("current", "S7").id, "down2");
  EXPECT_EQ(CalibrationStore(folder.path()).choose("left1", "S7").id, "left1");

  accept("left1", "left", 90, JournalEvent::drift);
  heads = CalibrationStore(folder.path()).heads("S7", refused);
  EXPECT_EQ(heads.size(), 1u);
  ASSERT_EQ(refused.size(), 1u);
  EXPECT_NE(refused[0].find("head's position left: calibration 'left1' has drifted"), std::string::npos)
      << refused[0];
}

TEST(CalibrationStore, AHeadIsComparedWithinATurn) {
  Calibration c = testing::a_calibration("left");
  const std::array<double, 3> there{0, -180, 0};
  EXPECT_EQ(head_refusal(c, std::nullopt), "");
  EXPECT_NE(head_refusal(c, there).find("made without angles of the head"), std::string::npos);
  c.head = HeadPosition{"left", {0, 180, 0}, 0.01, 0, 0};
  EXPECT_EQ(head_refusal(c, there), "");
  EXPECT_EQ(head_refusal(c, std::array<double, 3>{0, 180.0099, 0}), "");
  EXPECT_NE(head_refusal(c, std::array<double, 3>{0, 180.02, 0}).find("turn it back"), std::string::npos);
  EXPECT_NE(head_refusal(c, std::array<double, 3>{0, 180, std::nan("")}), "");
  EXPECT_NE(head_refusal(c, std::nullopt).find("states no angles"), std::string::npos);
}

TEST(CalibrationStore, AnUnknownIdNamesThoseThatAreThere) {
  const testing::FreshFolder folder;
  const std::string where = folder.path().string();
  EXPECT_EQ(testing::refusal_of<CalibrationError>([&] { CalibrationStore(folder.path()).find("may"); }),
            "calibration 'may' is not in " + where + "; there is none");
  folder.write("a.toml", calibration("march"));
  folder.write("b.toml", calibration("april"));
  EXPECT_EQ(testing::refusal_of<CalibrationError>([&] { CalibrationStore(folder.path()).find("may"); }),
            "calibration 'may' is not in " + where + "; there is march, april");
}

TEST(CalibrationStore, AnIdTwiceIsRefusedNotGuessed) {
  const testing::FreshFolder folder;
  const std::string a = folder.write("a.toml", calibration("march")).string();
  const std::string b = folder.write("b.toml", calibration("march")).string();
  folder.write("c.toml", calibration("april"));
  const CalibrationStore store(folder.path());
  EXPECT_EQ(store.problems(), (std::vector<std::string>{b + ": id: 'march' is also the id of " + a +
                                                        "; allowed: an id of its own for each calibration"}));
  EXPECT_EQ(testing::refusal_of<CalibrationError>([&] { store.find("march"); }),
            "calibration 'march' is in both " + a + " and " + b +
                "; remove one of them, or give it an id of its own");
  EXPECT_EQ(store.find("april").id, "april");
}

TEST(CalibrationStore, ABrokenFileIsNamedAndStopsNoOther) {
  const testing::FreshFolder folder;
  const std::string a = folder.write("a.toml", "schema = 3\n").string();
  folder.write("b.toml", calibration("march"));
  const CalibrationStore store(folder.path());
  EXPECT_EQ(
      store.problems(),
      std::vector<std::string>{a + ":1:10: schema: 3 is out of range; allowed: a whole number from 1 to 2"});
  EXPECT_EQ(store.find("march").id, "march");
  EXPECT_EQ(testing::refusal_of<CalibrationError>([&] { store.find("a"); }),
            "calibration 'a' is not in " + folder.path().string() +
                "; there is march; refused: " + store.problems()[0]);
}

TEST(CalibrationStore, AFolderThatIsNotThereIsRefused) {
  const testing::FreshFolder folder;
  const auto absent = folder.path() / "absent";
  EXPECT_EQ(
      testing::refusal_of<CalibrationError>([&] { CalibrationStore{absent}; }),
      absent.string() +
          ": the folder of calibrations cannot be read (No such file or directory); check the path and its "
          "permissions");
}

/// A folder with calibrations a and b of sensor S7, and a journal.
class Choice : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* id : {"a", "b"}) made[id] = load_calibration(folder.write(id + toml, calibration(id)));
  }
  void tell(JournalEvent event, const std::string& id) {
    text += journal.append(testing::journal_entry(event, made.at(id)));
    folder.write("journal", text);
  }
  /// The chosen id, or why none is chosen, without the folder's name.
  std::string choice(const std::string& wanted, const std::string& sensor = "S7") const {
    std::string chosen;
    std::string why = testing::refusal_of<CalibrationError>(
        [&] { chosen = CalibrationStore(folder.path()).choose(wanted, sensor).id; });
    const std::string path = folder.path().string();
    for (auto at = why.find(path); at != std::string::npos; at = why.find(path))
      why.replace(at, path.size(), "DIR");
    return why == "(accepted)" ? chosen : why;
  }
  const std::string toml = ".toml";
  testing::FreshFolder folder;
  std::map<std::string, Calibration> made;
  CalibrationJournal journal;
  std::string text;
};

TEST_F(Choice, WithoutAJournalAnIdIsTakenAndNothingIsCurrent) {
  EXPECT_EQ(choice("a"), "a");
  EXPECT_EQ(choice("current"),
            "no calibration of sensor S7 is current in DIR: calibrate (datumctl calibrate start ...), or "
            "accept one that is there (datumctl calibrate accept ID)");
}

TEST_F(Choice, TheCurrentOneIsTakenAndNoOther) {
  tell(JournalEvent::accept, "a");
  tell(JournalEvent::accept, "b");
  EXPECT_EQ(choice("current"), "b");
  EXPECT_EQ(choice("b"), "b");
  EXPECT_EQ(choice("a"),
            "calibration 'a' is not the current one of sensor S7, 'b' is, since 2026-03-01T08:30:00Z: set "
            "inspection.calibration = \"current\", or accept it (datumctl calibrate accept a)");
  EXPECT_EQ(choice("current", "S8").substr(0, 41), "no calibration of sensor S8 is current in");
}

TEST_F(Choice, AWithdrawnOneIsNotTaken) {
  tell(JournalEvent::accept, "a");
  tell(JournalEvent::withdraw, "a");
  EXPECT_EQ(choice("a"),
            "calibration 'a' was withdrawn: calibrate, or accept it again (datumctl calibrate accept a)");
  EXPECT_EQ(choice("b"), "b");
}

TEST_F(Choice, ADriftedOneIsNotTakenUntilItIsVerified) {
  tell(JournalEvent::accept, "a");
  tell(JournalEvent::drift, "a");
  EXPECT_EQ(choice("current"),
            "calibration 'a' has drifted (by a test): calibrate again, or verify it again once the cause is "
            "removed");
  EXPECT_EQ(choice("a"), choice("current"));
  tell(JournalEvent::verified, "a");
  EXPECT_EQ(choice("a"), "a");
}

TEST_F(Choice, AnEditedFileIsToldFromADamagedOne) {
  tell(JournalEvent::accept, "a");
  Calibration edited = made["a"];
  edited.expires_utc_s += std::int64_t{365} * 86400;
  folder.write("a.toml", to_toml(edited));
  EXPECT_EQ(
      choice("current"),
      "DIR/a.toml is not the calibration 'a' that J. M\xc3\xbcller accepted at 2026-03-01T08:30:00Z: its "
      "content was changed and sealed again; put the accepted file back, or accept this one (datumctl "
      "calibrate accept a)");
  std::string damaged = to_toml(made["a"]);
  damaged.replace(damaged.find("2026-09-01"), 10, "2028-09-01");
  folder.write("a.toml", damaged);
  EXPECT_EQ(
      choice("current"),
      "calibration 'a' is not in DIR; there is b; refused: DIR/a.toml:3:12: checksum: is not that of the "
      "content, which was changed or damaged; allowed: the file as it was made; a file of your own: "
      "datumctl calibrate seal FILE --operator NAME");
}

TEST_F(Choice, AChangedJournalIsBelievedInNothing) {
  tell(JournalEvent::accept, "a");
  folder.write("journal", text.replace(text.find("\"a\""), 3, "\"b\""));
  EXPECT_EQ(choice("b").substr(0, 54), "DIR/journal:1: it was changed after it was written; no");
  EXPECT_EQ(choice("a"), choice("b"));
  EXPECT_EQ(CalibrationStore(folder.path()).problems().size(), 1u);
}

}  // namespace
}  // namespace datum
