#include "calib/calibration_store.h"

#include <gtest/gtest.h>

#include "tests/fresh_folder.h"

namespace datum {
namespace {

std::string calibration(const std::string& id) {
  return "schema = 1\nid = \"" + id +
         "\"\nsensor_serial = \"S7\"\ndate = \"2026-03-01T00:00:00Z\"\nexpires = \"2026-09-01T00:00:00Z\"\n"
         "residual_rms_um = 3.5\nmachine_from_sensor = [1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1]\n"
         "[stage]\nq_cal_mm = [0, 0, 0]\n";
}

template <class Call>
std::string refusal_of(Call call) {
  try {
    call();
  } catch (const CalibrationError& error) {
    return error.what();
  }
  return "(accepted)";
}

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

TEST(CalibrationStore, AnUnknownIdNamesThoseThatAreThere) {
  const testing::FreshFolder folder;
  const std::string where = folder.path().string();
  EXPECT_EQ(refusal_of([&] { CalibrationStore(folder.path()).find("may"); }),
            "calibration 'may' is not in " + where + "; there is none");
  folder.write("a.toml", calibration("march"));
  folder.write("b.toml", calibration("april"));
  EXPECT_EQ(refusal_of([&] { CalibrationStore(folder.path()).find("may"); }),
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
  EXPECT_EQ(refusal_of([&] { store.find("march"); }),
            "calibration 'march' is in both " + a + " and " + b +
                "; remove one of them, or give it an id of its own");
  EXPECT_EQ(store.find("april").id, "april");
}

TEST(CalibrationStore, ABrokenFileIsNamedAndStopsNoOther) {
  const testing::FreshFolder folder;
  const std::string a = folder.write("a.toml", "schema = 2\n").string();
  folder.write("b.toml", calibration("march"));
  const CalibrationStore store(folder.path());
  EXPECT_EQ(store.problems(), std::vector<std::string>{a + ":1:10: schema: 2 is out of range; allowed: 1"});
  EXPECT_EQ(store.find("march").id, "march");
}

TEST(CalibrationStore, AFolderThatIsNotThereIsRefused) {
  const testing::FreshFolder folder;
  const auto absent = folder.path() / "absent";
  EXPECT_EQ(
      refusal_of([&] { CalibrationStore{absent}; }),
      absent.string() +
          ": the folder of calibrations cannot be read (No such file or directory); check the path and its "
          "permissions");
}

}  // namespace
}  // namespace datum
