// States of reference checks: injected time, kill at every step, clocks that are set back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "daemon/checks/check_book.h"
#include "daemon/instrument/scpi_error.h"

namespace datum::check_book {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::int64_t t0 = 1'795'000'000, hour = 3600;

CheckSettings settings() {
  CheckSettings s;
  CheckDefinition d;
  d.name = "golden";
  d.serial = "GB-7";
  d.recipe = "box";
  d.values = {{"B1", Characteristic::median, 0, 500, 2, 5}};
  d.readings = 2;
  d.interval_s = 8 * hour;
  d.after_start = false;
  d.sha256 = "definition";
  s.checks = {d};
  return s;
}

CheckMoment at(std::int64_t utc_s) { return {utc_s, "calibration", 20.0, 100}; }

/// A reading of the artefact: value and u of B1's median.
BoardVerdict reading(double value, double u, std::uint64_t sequence = 1) {
  BoardVerdict v;
  v.sequence = sequence;
  v.recipe = "box";
  v.decision = Decision::pass;
  v.reference = ReferenceEvidence{"golden", {}};
  ComponentVerdict c;
  c.reference = "B1";
  CheckVerdict check;
  check.check.characteristic = Characteristic::median;
  check.decision = Decision::pass;
  check.value = value;
  check.u = u;
  c.checks = {check};
  v.components = {c};
  return v;
}

/// What a store has after these records.
CheckBeginning kept(const std::vector<CheckRecord>& records) {
  CheckBeginning begin;
  KeptCheck k;
  for (const CheckRecord& r : records) {
    k.newest = r;
    if (r.step != CheckStep::override_) k.settled = r;
    if (r.step == CheckStep::valid) k.good = r;
    begin.last_id = r.id;
    begin.known_utc_s = r.utc_s;
  }
  begin.kept = {k};
  return begin;
}

CheckState state(const CheckBook& book) { return book.status()[0].state; }

void check(CheckBook& book, double value, std::int64_t utc_s, double u = 1) {
  book.start("golden", "", "box", at(utc_s));
  EXPECT_FALSE(book.take(reading(value, u), at(utc_s)));
  EXPECT_TRUE(book.take(reading(value, u), at(utc_s)));
}

int error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const scpi::Error& error) {
    return error.number();
  }
  return 0;
}

TEST(CheckBook, IsDueUntilAGoodCheckAndFromItsTimeOn) {
  CheckBook book(settings(), {}, at(t0));
  EXPECT_EQ(state(book), CheckState::due);
  EXPECT_THAT(book.refusal(), HasSubstr("reference check golden is DUE: it was never made"));
  book.start("golden", "A. Berger", "box", at(t0));
  EXPECT_EQ(state(book), CheckState::check);
  EXPECT_THAT(book.refusal(), HasSubstr("is CHECK"));
  EXPECT_EQ(book.evidence(true).artefact, "golden");
  book.take(reading(501, 1, 7), at(t0));
  book.take(reading(502, 1, 8), at(t0));
  EXPECT_EQ(state(book), CheckState::valid);
  EXPECT_EQ(book.refusal(), "");
  const auto records = book.take_records();
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0].by, "A. Berger");
  EXPECT_EQ(records[1].until_utc_s, t0 + 8 * hour);
  EXPECT_THAT(records[1].readings, ElementsAre(7, 8));
  EXPECT_NEAR(records[1].values[0].e_n, 1.5 / std::hypot(2.0, 2.0), 1e-12);
  EXPECT_EQ(records[1].values[0].worst, 2);
  EXPECT_EQ(book.evidence(false).checks[0].good, records[1].id);

  book.observe(at(t0 + 8 * hour - 1));
  EXPECT_EQ(state(book), CheckState::valid);
  EXPECT_THAT(book.warnings(t0 + 8 * hour - 60), ElementsAre(HasSubstr("golden is due at")));
  book.observe(at(t0 + 8 * hour));
  EXPECT_EQ(state(book), CheckState::due);
  book.observe(at(t0));  // a clock that is set back
  EXPECT_EQ(state(book), CheckState::due);
}

TEST(CheckBook, FailsByEnOrByTheMpe) {
  {
    CheckBook book(settings(), {}, at(t0));
    check(book, 505.5, t0, 5);  // E_n = 5.5 / hypot(10, 2) = 0.54, beyond the MPE of 5
    EXPECT_EQ(state(book), CheckState::failed);
    EXPECT_THAT(book.refusal(), HasSubstr("worst +5.5 of 5 um"));
  }
  {
    CheckBook book(settings(), {}, at(t0));
    check(book, 503, t0, 0.5);  // within the MPE, E_n = 3 / hypot(1, 2) = 1.34
    EXPECT_EQ(state(book), CheckState::failed);
    EXPECT_THAT(book.refusal(), HasSubstr("E_n 1.34 of 1"));
  }
  {
    CheckBook book(settings(), {}, at(t0));
    book.start("golden", "", "box", at(t0));
    book.take(reading(506, 1), at(t0));
    book.take(reading(494, 1), at(t0));  // the mean is right, no reading is
    EXPECT_EQ(state(book), CheckState::failed);
  }
}

TEST(CheckBook, RepeatsReadingsWithoutAValueAndThenFails) {
  CheckBook book(settings(), {}, at(t0));
  book.start("golden", "", "box", at(t0));
  BoardVerdict invalid = reading(500, 1);
  invalid.components[0].checks[0].decision = Decision::invalid;
  EXPECT_FALSE(book.take(invalid, at(t0)));
  EXPECT_FALSE(book.take(reading(std::nan(""), 1), at(t0)));
  EXPECT_EQ(state(book), CheckState::check);
  BoardVerdict other = reading(500, 1);
  other.reference->artefact.clear();
  EXPECT_FALSE(book.take(other, at(t0))) << "a product is no reading";
  EXPECT_TRUE(book.take(reading(500, 0), at(t0))) << "without uncertainty it is none either";
  EXPECT_EQ(state(book), CheckState::failed);
  EXPECT_THAT(book.refusal(), HasSubstr("3 readings without a value"));
}

TEST(CheckBook, IsRightAfterAKillAtEveryRecord) {
  CheckBook book(settings(), {}, at(t0));
  check(book, 500, t0);
  book.declare_due("golden", "collision", at(t0 + 10));
  book.override_check("golden", "A. Berger", "spare part", at(t0 + 20));
  check(book, 600, t0 + 30);
  check(book, 500, t0 + 40);
  const std::vector<CheckRecord> all = book.take_records();
  std::vector<CheckState> after;
  for (std::size_t n = 0; n <= all.size(); ++n) {
    const std::vector<CheckRecord> stored(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n));
    CheckBook again(settings(), kept(stored), at(t0 + 50));
    after.push_back(state(again));
    EXPECT_EQ(again.evidence(false).checks[0].good, n < 2 ? 0u : n < 8 ? 2u : 8u) << n;
  }
  using enum CheckState;
  // none, CHECK, VALID, DUE, OVERRIDE, CHECK, FAILED, CHECK, VALID
  EXPECT_THAT(after, ElementsAre(due, due, valid, due, overridden, due, failed, due, valid));
}

TEST(CheckBook, IsDueAtTheStartWhereWhatItRestsOnIsNotSure) {
  CheckBook book(settings(), {}, at(t0));
  check(book, 500, t0);
  const CheckBeginning good = kept(book.take_records());
  EXPECT_EQ(state(CheckBook(settings(), good, at(t0 + hour))), CheckState::valid);
  EXPECT_EQ(state(CheckBook(settings(), good, at(t0 + 9 * hour))), CheckState::due) << "overdue";
  EXPECT_EQ(state(CheckBook(settings(), good, at(t0 - 1))), CheckState::due)
      << "the clock is behind its record";
  CheckBeginning later = good;
  later.known_utc_s = t0 + 9 * hour;  // a result of the store, and the clock was set back since
  EXPECT_EQ(state(CheckBook(settings(), later, at(t0 + hour))), CheckState::due);
  CheckBeginning copy = good;
  copy.set_back = "the result store was set back";
  EXPECT_EQ(state(CheckBook(settings(), copy, at(t0 + hour))), CheckState::due);
  CheckSettings other = settings();
  other.checks[0].sha256 = "another certificate";
  EXPECT_EQ(state(CheckBook(other, good, at(t0 + hour))), CheckState::due);
  CheckSettings started = settings();
  started.checks[0].after_start = true;
  CheckBook due(started, good, at(t0 + hour));
  EXPECT_EQ(state(due), CheckState::due);
  EXPECT_EQ(due.take_records().size(), 1u) << "the step is kept";
}

TEST(CheckBook, IsDueByCalibrationAndTemperature) {
  CheckSettings s = settings();
  s.checks[0].temperature_step_k = 2;
  CheckBook book(s, {}, at(t0));
  CheckMoment untold = at(t0);
  untold.temperature_degc.reset();
  EXPECT_EQ(error_of([&] { book.start("golden", "", "box", untold); }), -221);
  check(book, 500, t0);
  book.observe(untold);
  EXPECT_EQ(state(book), CheckState::due) << "a step can't be seen";
  EXPECT_EQ(book.evidence(false).checks[0].state, "DUE");
  CheckMoment warmer = at(t0 + 1);
  warmer.temperature_degc = 22;
  book.observe(warmer);
  EXPECT_EQ(state(book), CheckState::valid) << "within the step";
  warmer.temperature_degc = 22.01;
  book.observe(warmer);
  EXPECT_EQ(state(book), CheckState::due);
  book.observe(at(t0 + 2));
  EXPECT_EQ(state(book), CheckState::due) << "cold again proves nothing";
  check(book, 500, t0 + 3);
  CheckMoment other = at(t0 + 4);
  other.calibration = "another";
  book.observe(other);
  EXPECT_EQ(state(book), CheckState::due);
}

TEST(CheckBook, IsOverriddenByANamedPersonWithAReasonForATime) {
  CheckBook book(settings(), {}, at(t0));
  EXPECT_EQ(error_of([&] { book.override_check("golden", " ", "why", at(t0)); }), -224);
  EXPECT_EQ(error_of([&] { book.override_check("golden", "A. Berger", "", at(t0)); }), -224);
  EXPECT_EQ(error_of([&] { book.override_check("gulden", "A. Berger", "why", at(t0)); }), -224);
  EXPECT_EQ(error_of([&] { book.override_check("golden", std::string(201, 'x'), "why", at(t0)); }), -224);
  book.override_check("golden", "A. Berger", "spare part", at(t0));
  EXPECT_EQ(state(book), CheckState::overridden);
  EXPECT_EQ(book.refusal(), "");
  const ReliedCheck relied = book.evidence(false).checks[0];
  EXPECT_EQ(relied.state, "DUE");
  EXPECT_EQ(relied.override_by->by, "A. Berger");
  EXPECT_EQ(relied.override_by->why, "spare part");
  const CheckBeginning stored = kept(book.take_records());
  EXPECT_EQ(state(CheckBook(settings(), stored, at(t0 + hour))), CheckState::overridden)
      << "also after a kill";
  EXPECT_EQ(state(CheckBook(settings(), stored, at(t0 + 8 * hour))), CheckState::due);
  EXPECT_EQ(state(CheckBook(settings(), stored, at(t0 - 1))), CheckState::due) << "the clock was set back";
  book.observe(at(t0 + 8 * hour));
  EXPECT_EQ(state(book), CheckState::due) << "its time is over";
  book.override_check("golden", "A. Berger", "again", at(t0 + 8 * hour));
  book.declare_due("golden", "collision", at(t0 + 8 * hour + 1));
  EXPECT_EQ(state(book), CheckState::due) << "an event ends it";
  check(book, 500, t0 + 9 * hour);
  EXPECT_EQ(error_of([&] { book.override_check("golden", "A. Berger", "why", at(t0 + 9 * hour)); }), -221);
}

TEST(CheckBook, IsBegunOnceAndWithItsRecipe) {
  CheckBook book(settings(), {}, at(t0));
  EXPECT_EQ(error_of([&] { book.start("golden", "", "other", at(t0)); }), -221);
  EXPECT_EQ(error_of([&] { book.abort("", at(t0)); }), -221);
  book.start("golden", "", "box", at(t0));
  EXPECT_EQ(error_of([&] { book.start("golden", "", "box", at(t0)); }), -221);
  book.take(reading(500, 1), at(t0));
  book.abort("a host", at(t0));
  EXPECT_EQ(state(book), CheckState::due) << "one reading is no check";
  EXPECT_FALSE(book.take(reading(500, 1), at(t0)));
}

TEST(CheckBook, KeepsAFailedCheckFailed) {
  CheckBook book(settings(), {}, at(t0));
  check(book, 600, t0);
  EXPECT_EQ(error_of([&] { book.declare_due("golden", "repaired", at(t0 + 1)); }), -221);
  book.observe(at(t0 + 100 * hour));
  EXPECT_EQ(state(book), CheckState::failed);
}

}  // namespace
}  // namespace datum::check_book
