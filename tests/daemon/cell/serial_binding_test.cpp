// Which board a serial number belongs to: once, before its trigger, and never in doubt.
#include "daemon/cell/serial_binding.h"

#include <gmock/gmock.h>

namespace datum {
namespace serial_binding_test {
namespace {

using ::testing::HasSubstr;
using Scan = SerialBinding::Scan;

constexpr MonotonicNs second = 1'000'000'000;

class SerialBindingTest : public ::testing::Test {
 protected:
  Scan scan(const std::string& text, double at_s, bool in_work = false) {
    return binding.scan(text, "hex of " + text, ns(at_s), in_work);
  }
  BoundSerial take(double at_s) { return binding.take(ns(at_s), "panel-sha"); }
  static MonotonicNs ns(double s) { return static_cast<MonotonicNs>(s * static_cast<double>(second)); }

  SerialBinding binding{{second / 2, second, 60 * second}};
};

TEST_F(SerialBindingTest, ANumberBelongsToOneTrigger) {
  EXPECT_EQ(scan("SN-1", 10), Scan::taken);
  const BoundSerial first = take(11);
  EXPECT_EQ(first.serial.text, "SN-1");
  EXPECT_EQ(first.serial.by, "scanner");
  EXPECT_EQ(first.serial.read_hex, "hex of SN-1");
  EXPECT_EQ(take(15).serial.text, "") << "never the last one again";
  binding.state("SN-2", ns(20));
  EXPECT_EQ(take(21).serial.by, "host");
  EXPECT_EQ(take(22).serial.text, "");
}

TEST_F(SerialBindingTest, TheSameScanTwiceIsOne) {
  EXPECT_EQ(scan("SN-1", 10), Scan::taken);
  EXPECT_EQ(scan("SN-1", 10.4), Scan::repeated);
  EXPECT_EQ(scan("SN-1", 10.8), Scan::repeated) << "a scanner that reads all the time";
  EXPECT_EQ(scan("SN-1", 12), Scan::taken) << "the same board again";
  EXPECT_EQ(take(13).serial.text, "SN-1");
  EXPECT_EQ(scan("SN-1", 14, true), Scan::repeated) << "it is measured";
  EXPECT_EQ(take(15).serial.text, "") << "it is not the next board's";
}

TEST_F(SerialBindingTest, TwoNumbersBeforeOneTriggerAreADoubt) {
  EXPECT_EQ(scan("SN-1", 10), Scan::taken);
  EXPECT_EQ(scan("SN-2", 12), Scan::doubtful);
  EXPECT_EQ(scan("SN-1", 13), Scan::taken) << "which one lies there is not known by the last one either";
  const BoundSerial bound = take(14);
  EXPECT_THAT(bound.doubt, HasSubstr("two boards were scanned before one trigger: SN-1, then SN-2"));
  EXPECT_EQ(bound.serial.text, "");
  EXPECT_EQ(scan("SN-3", 15), Scan::taken) << "the doubt was that trigger's";
  EXPECT_EQ(take(16).doubt, "");
}

TEST_F(SerialBindingTest, AHostAndAScannerMustAgree) {
  EXPECT_EQ(scan("SN-1", 10), Scan::taken);
  binding.state("SN-1", ns(11));
  EXPECT_EQ(take(12).serial.text, "SN-1");
  EXPECT_EQ(scan("SN-1", 20), Scan::taken);
  binding.state("SN-2", ns(21));
  EXPECT_THAT(take(22).doubt, HasSubstr("the host names SN-2, the scanner read SN-1"));
  binding.state("SN-2", ns(31));
  EXPECT_EQ(scan("SN-1", 32), Scan::doubtful);
  EXPECT_THAT(take(33).doubt, HasSubstr("the scanner read SN-1, the host names SN-2"));
  binding.state("SN-4", ns(40));
  binding.state("SN-5", ns(41));
  EXPECT_EQ(take(42).serial.text, "SN-5") << "a host may correct itself";
}

TEST_F(SerialBindingTest, AHostTakesNumberAndDoubtBack) {
  scan("SN-1", 10);
  scan("SN-2", 11);
  binding.state("", ns(12));
  const BoundSerial bound = take(13);
  EXPECT_EQ(bound.doubt + bound.serial.text, "");
}

TEST_F(SerialBindingTest, ALateScanIsNotTheNextBoards) {
  EXPECT_EQ(take(10).serial.text, "");
  EXPECT_EQ(scan("SN-1", 10.9), Scan::late);
  EXPECT_EQ(take(20).serial.text, "");
  EXPECT_EQ(scan("SN-2", 21.1), Scan::taken) << "scanner.late_ms is over";
  EXPECT_EQ(take(22).serial.text, "SN-2");
  EXPECT_EQ(scan("SN-3", 22.1), Scan::taken) << "the board before has its own";
}

TEST_F(SerialBindingTest, AnUnreadableScanAfterANumberIsADoubt) {
  EXPECT_EQ(binding.scan_failed("garbage", ns(9)), Scan::refused);
  EXPECT_EQ(scan("SN-1", 10), Scan::taken);
  EXPECT_EQ(binding.scan_failed("the line was lost", ns(11)), Scan::doubtful);
  EXPECT_THAT(take(12).doubt, HasSubstr("another board may have been scanned after SN-1: the line was lost"));
}

TEST_F(SerialBindingTest, AnOldScanIsNobodys) {
  EXPECT_EQ(scan("SN-1", 10), Scan::taken);
  EXPECT_EQ(take(70.1).serial.text, "");
  EXPECT_EQ(scan("SN-2", 80), Scan::taken);
  EXPECT_EQ(scan("SN-3", 141), Scan::taken) << "no doubt: the old one is gone";
  EXPECT_EQ(take(142).serial.text, "SN-3");
}

TEST_F(SerialBindingTest, AFrameThatWasNobodysGivesTheNumberBack) {
  scan("SN-1", 10);
  BoundSerial bound = take(11);
  binding.give_back(bound);
  EXPECT_EQ(take(12).serial.text, "SN-1");
  binding.give_back({bound.serial, ""});
  scan("SN-1", 14);
  bound = take(15);
  scan("SN-2", 16);
  binding.give_back(bound);
  EXPECT_THAT(take(17).doubt, HasSubstr("SN-1, then SN-2"));
}

TEST_F(SerialBindingTest, TheBoardsNumbersBelongToOneTrigger) {
  binding.state_boards({"A", "", "C"}, "panel-sha", ns(10));
  EXPECT_EQ(binding.told_ns(), ns(10));
  EXPECT_EQ(take(11).boards.serials, (std::vector<std::string>{"A", "", "C"}));
  EXPECT_TRUE(take(12).boards.serials.empty()) << "never the last ones again";
  binding.state_boards({"A", "B"}, "panel-sha", ns(20));
  binding.state_boards({"D", "E"}, "panel-sha", ns(21));
  binding.state("P1", ns(22));
  const BoundSerial corrected = take(23);
  EXPECT_EQ(corrected.boards.serials, (std::vector<std::string>{"D", "E"}));
  EXPECT_EQ(corrected.serial.text, "P1");
  binding.state_boards({"A", "B"}, "panel-sha", ns(30));
  binding.state("", ns(31));
  EXPECT_TRUE(take(32).boards.serials.empty()) << "the host took all back";
}

TEST_F(SerialBindingTest, TheBoardsNumbersOfAnotherPanelAreADoubt) {
  binding.state("P1", ns(10));
  binding.state_boards({"A", "B"}, "panel-sha", ns(11));
  binding.state("P2", ns(12));
  BoundSerial bound = take(13);
  EXPECT_THAT(bound.doubt, HasSubstr("stated for panel P1, this one is P2"));
  EXPECT_TRUE(bound.boards.serials.empty() && bound.serial.text.empty());
  binding.state_boards({"A", "B"}, "another-sha", ns(20));
  EXPECT_THAT(take(21).doubt, HasSubstr("before another recipe was chosen"));
  EXPECT_EQ(take(22).doubt, "") << "the doubt was that trigger's";
  EXPECT_EQ(scan("P3", 30), Scan::taken);
  binding.state_boards({"A", "B"}, "panel-sha", ns(31));
  EXPECT_THAT(take(91).doubt, HasSubstr("stated for panel P3, this one is without number"))
      << "the scan is too old";
}

TEST_F(SerialBindingTest, APanelThatWasNobodysGivesItsBoardsNumbersBack) {
  binding.state_boards({"A", "B"}, "panel-sha", ns(10));
  BoundSerial bound = take(11);
  binding.give_back(bound);
  bound = take(12);
  EXPECT_EQ(bound.boards.serials, (std::vector<std::string>{"A", "B"}));
  binding.state_boards({"C", "D"}, "panel-sha", ns(13));
  binding.give_back(bound);
  EXPECT_EQ(take(14).boards.serials, (std::vector<std::string>{"C", "D"})) << "the newer ones";
}

}  // namespace
}  // namespace serial_binding_test
}  // namespace datum
