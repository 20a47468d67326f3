#include "calib/calibration_journal.h"

#include <gtest/gtest.h>

#include "tests/refusal.h"

namespace datum {
namespace {

JournalEntry event(JournalEvent what, const std::string& id, const std::string& sensor = "S7") {
  JournalEntry e;
  e.event = what;
  e.utc = "2026-03-01T08:30:00Z";
  e.to = "machine";
  e.from = "sensor";
  e.sensor_serial = sensor;
  e.calibration = id;
  e.sha256 = "ab" + id;
  e.operator_name = "J. M\xc3\xbcller \"night\"";
  e.note = std::string(name_of(what)) + " of " + id;
  return e;
}

std::string current_of(const CalibrationJournal& journal, const std::string& sensor = "S7") {
  const auto now = journal.current("machine", "sensor", sensor);
  return now ? now->calibration + (now->drifted ? " drifted" : "") : "none";
}

std::string refusal_of(const std::string& text) {
  return testing::refusal_of<CalibrationError>([&] { CalibrationJournal(text, "journal"); });
}

const std::string remedy =
    "; no calibration of this folder is used: put the journal's backup back, or move it away and accept a "
    "calibration again";

TEST(CalibrationJournal, HasOneCurrentCalibrationForEachPairAndSensor) {
  CalibrationJournal journal;
  EXPECT_EQ(current_of(journal), "none");
  journal.append(event(JournalEvent::accept, "a"));
  EXPECT_EQ(current_of(journal), "a");
  EXPECT_EQ(current_of(journal, "S8"), "none");
  EXPECT_FALSE(journal.current("sensor", "machine", "S7")) << "the other way round is another pair";
  journal.append(event(JournalEvent::accept, "other", "S8"));
  journal.append(event(JournalEvent::accept, "b"));
  EXPECT_EQ(current_of(journal), "b");
  journal.append(event(JournalEvent::withdraw, "a"));
  EXPECT_EQ(current_of(journal), "b") << "a was not current any more";
  journal.append(event(JournalEvent::drift, "b"));
  EXPECT_EQ(current_of(journal), "b drifted");
  EXPECT_EQ(journal.current("machine", "sensor", "S7")->note, "drift of b");
  journal.append(event(JournalEvent::verified, "b"));
  EXPECT_EQ(current_of(journal), "b");
  journal.append(event(JournalEvent::withdraw, "b"));
  EXPECT_EQ(current_of(journal), "none") << "no earlier one comes back by itself";
  journal.append(event(JournalEvent::accept, "a"));
  EXPECT_EQ(current_of(journal), "a");
  EXPECT_EQ(current_of(journal, "S8"), "other");
  EXPECT_EQ(journal.acceptance_of("a")->number, 8u);
  EXPECT_EQ(journal.acceptance_of("c"), nullptr);
}

class JournalText : public ::testing::Test {
 protected:
  JournalText() {
    CalibrationJournal journal;
    for (const char* id : {"a", "b", "c"}) lines.push_back(journal.append(event(JournalEvent::accept, id)));
  }
  std::string text() const { return lines[0] + lines[1] + lines[2]; }
  std::vector<std::string> lines;
};

TEST_F(JournalText, ReadsBackWhatItWrote) {
  const CalibrationJournal journal(text(), "journal");
  ASSERT_EQ(journal.entries().size(), 3u);
  EXPECT_EQ(journal.whole_bytes(), text().size());
  EXPECT_EQ(journal.entries()[1].operator_name, "J. M\xc3\xbcller \"night\"");
  EXPECT_EQ(journal.entries()[1].note, "accept of b");
  CalibrationJournal longer = journal;
  const std::string next = longer.append(event(JournalEvent::withdraw, "c"));
  EXPECT_EQ(current_of(CalibrationJournal(text() + next, "journal")), "none");
}

TEST_F(JournalText, SeesEachChangedByte) {
  const std::string whole = text();
  // A changed line end joins two lines or cuts the last one off. The former is refused; the latter equals a
  // power failure.
  for (std::size_t i = 0; i + 1 < whole.size(); ++i) {
    std::string changed = whole;
    changed[i] = changed[i] == 'x' ? 'y' : 'x';
    ASSERT_NE(refusal_of(changed), "(accepted)") << i;
  }
}

TEST_F(JournalText, SeesALineThatWasTakenOutOrMoved) {
  const std::string moved = "a line before it was taken out, moved or changed" + remedy;
  EXPECT_EQ(refusal_of(lines[0] + lines[2]), "journal:2: " + moved);
  EXPECT_EQ(refusal_of(lines[1] + lines[2]), "journal:1: " + moved);
  EXPECT_EQ(refusal_of(lines[1] + lines[0] + lines[2]), "journal:1: " + moved);
  EXPECT_EQ(refusal_of(lines[0] + "\n" + lines[1]), "journal:2: it is no line of a journal" + remedy);
}

TEST_F(JournalText, PassesOverALineThatWasNotFinished) {
  for (std::size_t cut = lines[2].size() - 1; cut > 0; --cut) {
    const std::string torn = lines[0] + lines[1] + lines[2].substr(0, cut);
    const CalibrationJournal journal(torn, "journal");
    ASSERT_EQ(current_of(journal), "b");
    ASSERT_EQ(journal.whole_bytes(), lines[0].size() + lines[1].size());
  }
}

}  // namespace
}  // namespace datum
