#include "daemon/cell/reference_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "config/utc_time.h"
#include "daemon/instrument/scpi_error.h"
#include "daemon/system/event_loop.h"

namespace datum {
namespace {

constexpr MonotonicNs store_again_ns = 10'000'000'000, observed_each_ns = 500'000'000;

/// "2026-11-23T06:00:00.123456Z" of a result, in s; 0: none.
std::int64_t seconds_of(const std::string& measured_at) {
  return utc_from_iso8601(measured_at.substr(0, 19) + "Z").value_or(0);
}

}  // namespace

void ReferenceChecks::begin() {
  if (!deps_.settings) return;
  CheckBeginning begun;
  for (const CheckDefinition& d : deps_.settings->checks) {
    const auto newest = [&](CheckFilter filter) { return newest_check(deps_.store_file, d.name, filter); };
    begun.kept.push_back(
        {newest(CheckFilter::any), newest(CheckFilter::not_override), newest(CheckFilter::valid)});
  }
  begun.last_id = last_check_id(deps_.store_file);
  if (const auto latest = deps_.reader.latest()) begun.known_utc_s = seconds_of(latest->measured_at);
  if (deps_.writer.renewed()) begun.set_back = "the result store was set back";
  book_.emplace(*deps_.settings, begun, moment());
  store_id_ = deps_.reader.id();
  report();
}

CheckMoment ReferenceChecks::moment() const {
  CheckMoment m;
  m.utc_s = std::max(deps_.utc_ns(), deps_.basis.utc().latest_utc_ns(EventLoop::now())) / 1'000'000'000;
  if (const auto& calibration = deps_.basis.calibration()) m.calibration = calibration->sha256;
  if (const auto& t = deps_.basis.temperature(); t && m.utc_s - t->utc_s <= deps_.temperature_max_age_s)
    m.temperature_degc = t->degc;
  m.newest_result = deps_.reader.extent().last;
  return m;
}

CheckBook& ReferenceChecks::book() {
  if (!book_) throw scpi::Error(scpi::hardware_missing, "no [reference_checks] is configured");
  return *book_;
}

std::vector<CheckStatus> ReferenceChecks::checks() const {
  return book_ ? book_->status() : std::vector<CheckStatus>{};
}

void ReferenceChecks::start(const std::string& name, const std::string& by) {
  deps_.demand_idle();
  const auto& recipe = deps_.basis.recipe();
  book().start(name, by, recipe ? recipe->name : "", moment());
  ended_.clear();
  report();
}

void ReferenceChecks::abort() {
  book().abort("the check was ended by a host", moment());
  report();
}

void ReferenceChecks::declare_due(const std::string& name, const std::string& why) {
  book().declare_due(name, why, moment());
  report();
}

void ReferenceChecks::override_check(const std::string& name, const std::string& by, const std::string& why) {
  book().override_check(name, by, why, moment());
  report();
}

void ReferenceChecks::reset() {
  if (checking()) abort();
}

/// The store was set back: a check that was not good may be missing.
void ReferenceChecks::store_renewed() {
  for (const CheckStatus& c : book_->status())
    if (c.state == CheckState::valid) book_->declare_due(c.name, "the result store was set back", moment());
}

/// Records that wait go to the log, and then to the storer.
void ReferenceChecks::report() {
  if (!book_->has_records()) return;
  const auto records = std::make_shared<std::vector<CheckRecord>>(book_->take_records());
  for (const CheckRecord& r : *records)
    deps_.events.log(r.step == CheckStep::failed || r.step == CheckStep::override_ ? 4 : 5, words_of(r),
                     {Event::reference_check,
                      {{"DATUM_CHECK", r.name}, {"DATUM_STATE", name_of(r.step)}, {"DATUM_REASON", r.why}}});
  storing_ = true;
  deps_.storer.submit_fallible(
      [records, &store = deps_.writer] { store.keep_checks(*records); },
      [this, records](const std::string& failed) {
        storing_ = false;
        if (!failed.empty()) {
          book_->put_back(std::move(*records));
          if (store_fault_.empty())
            deps_.events.log(
                3, "reference checks can't be kept in the result store: " + failed + "; tried again");
          not_before_ns_ = EventLoop::now() + store_again_ns;
        }
        store_fault_ = failed;
        deps_.events.changed();
      });
  deps_.events.changed();
}

void ReferenceChecks::after_round(MonotonicNs now) {
  if (!book_ || now - observed_ns_ < observed_each_ns) return;
  observe();
}

void ReferenceChecks::observe() {
  observed_ns_ = EventLoop::now();
  book_->observe(moment());
  if (const std::string id = deps_.reader.id(); id != std::exchange(store_id_, id)) store_renewed();
  if (!storing_ && observed_ns_ >= not_before_ns_) report();
}

std::string ReferenceChecks::refusal() const {
  if (!book_) return "";
  if (!store_fault_.empty()) return "reference checks can't be kept in the result store: " + store_fault_;
  return book_->refusal();
}

void ReferenceChecks::demand_armable(const std::string& recipe) {
  if (!book_) return;
  observe();
  if (const CheckDefinition* check = book_->checking()) {
    if (check->recipe == recipe) return;
    throw scpi::Error(scpi::settings_conflict,
                      fmt::format("reference check {} is in progress with recipe {}; CHECk:ABORt ends it",
                                  check->name, check->recipe));
  }
  const std::string why = refusal();
  if (why.empty()) return;
  if (deps_.settings->action == CheckAction::refuse)
    throw scpi::Error(
        scpi::settings_conflict,
        why + "; measure its artefact (CHECk:STARt), or a person overrides it (CHECk:OVERride)");
  deps_.events.log(4, why + "; boards will be INVALID");
}

std::string ReferenceChecks::reason_to_disarm() {
  if (!ended_.empty()) return std::exchange(ended_, "");
  if (!book_ || checking() || deps_.settings->action != CheckAction::refuse) return "";
  return refusal();
}

void ReferenceChecks::judge(BoardOrder& board) {
  if (!book_ || board.reference) return;  // one that could not be stored keeps what held for it
  const CheckDefinition* check = book_->checking();
  // A frame that was in work when datumd ended shows the board of then.
  const bool reading = check && !(board.claim && board.claim->left_over);
  observe();
  board.reference = book_->evidence(reading);
  if (reading) {
    if (board.unit.empty()) board.unit = check->serial;
    return;
  }
  const std::string why = refusal();
  if (why.empty() || board.reason != Reason::none) return;
  board.reason = Reason::reference_check;
  board.detail = why;
}

void ReferenceChecks::take(const BoardVerdict& verdict) {
  if (!checking()) return;
  const std::string name = book_->checking()->name;
  if (book_->take(verdict, moment())) {
    for (const CheckStatus& c : book_->status())
      if (c.name == name)
        ended_ = fmt::format("reference check {} is {}{}{}", name, name_of(c.state),
                             c.why.empty() ? "" : ": ", c.why);
  }
  report();
}

std::vector<std::string> ReferenceChecks::warnings() const {
  return book_ ? book_->warnings(moment().utc_s) : std::vector<std::string>{};
}

}  // namespace datum
