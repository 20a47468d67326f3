// A board's verdict and a small inspection cell with a real store in a fresh folder, for tests of the daemon's protocols.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "daemon/instrument/instrument.h"
#include "tests/fresh_folder.h"

namespace datum::testing {

inline ComponentVerdict component(const std::string& reference, Decision decision, double value_um,
                                  Reason reason) {
  CheckVerdict check;
  check.check = {Characteristic::median, 0, 1160.0, 1140.0, 1180.5};
  check.decision = check.decision_simple = decision;
  check.reason = reason;
  check.value = value_um;
  check.u = 1.25;
  check.p_conform = 0.875;
  if (reason != Reason::none) check.detail = "inlier ratio 0.12 below 0.30";
  ComponentVerdict c;
  c.reference = reference;
  c.package = "die";
  c.decision = decision;
  c.checks = {check};
  return c;
}

/// A verdict that is not stored yet: one component of each decision except INCONCLUSIVE.
inline BoardVerdict board(int n = 1) {
  BoardVerdict v;
  v.decision = Decision::invalid;
  v.reason = Reason::floor_inlier_ratio;
  v.measured_at = "2026-11-21T07:18:17.123456Z";
  v.unit_id = "SN-7";
  v.recipe = "mainboard";
  v.recipe_sha256 = "ab12";
  v.calibration = "none";
  v.sensor_serial = "S1";
  v.frame_id = fmt::format("frame-{}", n);
  v.frame_sha256 = fmt::format("{:064x}", n);
  v.code = "0.1.0 test";
  v.backend = "cpu scalar x1";
  v.components = {component("U1", Decision::pass, 1160.25, Reason::none),
                  component("U2", Decision::fail, 1190.0, Reason::none),
                  component("U3", Decision::invalid, 0, Reason::floor_inlier_ratio)};
  return v;
}

/// Records its calls.
class TestHoleProber : public HoleProber {
 public:
  void start(const HoleOrder& o) override {
    calls.push_back(fmt::format("start {} {} {} {} {} {}", o.center_mm.x(), o.center_mm.y(), o.center_mm.z(),
                                o.radius_mm, o.search_mm, o.radius_tolerance_mm));
  }
  void scan() override { calls.push_back("scan"); }
  void enter() override { calls.push_back("enter"); }
  void touch() override { calls.push_back("touch"); }
  void abort() override { calls.push_back("abort"); }
  std::string step() const override { return "NO CONVERGENCE"; }
  std::vector<std::string> report() const override { return {"no \"hole\""}; }
  std::vector<HoleMove> moves() const override { return next; }
  std::optional<HoleResult> result() const override { return ended; }

  std::vector<std::string> calls;
  std::vector<HoleMove> next;
  std::optional<HoleResult> ended;
};

/// Records its calls.
class TestCalibrator : public Calibrator {
 public:
  void start(const std::string& artefact, const std::string& who, double degc) override {
    calls.push_back(fmt::format("start {} {} {}", artefact, who, degc));
  }
  void touch(const std::string& face) override { calls.push_back("touch " + face); }
  void forget(const std::string& face) override { calls.push_back("forget " + face); }
  void scan() override { calls.push_back("scan"); }
  void solve() override { calls.push_back("solve"); }
  void accept() override { calls.push_back("accept"); }
  void accept(const std::string& id, const std::string& who) override {
    calls.push_back("accept " + id + " " + who);
  }
  void verify() override { throw scpi::Error(scpi::calibration_failed, "it has drifted"); }
  void withdraw(const std::string& who, const std::string& why) override {
    calls.push_back("withdraw " + who + " " + why);
  }
  void abort() override { calls.push_back("abort"); }
  std::string step() const override { return "COLLECTING"; }
  std::vector<std::string> report() const override { return {"LP 3 touches", "no \"scan\""}; }

  std::vector<std::string> calls;
};

/// U1 to U3 of board(): a median in um with limits; U3 has the tilt first, and U4 has no height.
inline Recipe test_recipe() {
  Recipe recipe;
  recipe.name = "mainboard";
  recipe.sha256 = "ab12";
  const Check median{Characteristic::median, 0, 1160.0, 1140.0, 1180.5};
  const Check tilt{Characteristic::tilt, 0, std::nullopt, std::nullopt, 800.0};
  for (const char* reference : {"U1", "U2", "U3", "U4"}) {
    Component c;
    c.reference = reference;
    c.checks = {median};
    recipe.components.push_back(c);
  }
  recipe.components[2].checks = {tilt, median};
  recipe.components[3].checks = {tilt};
  return recipe;
}

/// Keeps texts; a recipe is any text that begins with its name.
class TestRecipeFiles : public RecipeFiles {
 public:
  std::string read(const std::string& name) const override {
    const auto found = texts.find(name);
    if (found == texts.end()) throw scpi::Error(scpi::file_name_not_found, "no recipe '" + name + "'");
    return found->second;
  }
  void write(const std::string& name, const std::string& text, const std::string& sha256,
             WriteDone done) override {
    if (lasts) {
      waiting.push_back({name, text, sha256, std::move(done)});
      return;
    }
    const auto why = objection(name, text, sha256);
    if (!why) texts[name] = text;
    done(why);
  }
  /// Ends the oldest pending upload.
  void end_one() {
    const Upload upload = std::move(waiting.front());
    waiting.pop_front();
    lasts = false;
    write(upload.name, upload.text, upload.sha256, upload.done);
    lasts = true;
  }
  void remove(const std::string& name) override {
    if (texts.erase(name) == 0) throw scpi::Error(scpi::file_name_not_found, "no recipe '" + name + "'");
  }

  std::map<std::string, std::string> texts{{"mainboard", "mainboard\n"}};
  int refusal = 0;
  bool lasts = false;  // uploads end by end_one()
  struct Upload {
    std::string name, text, sha256;
    WriteDone done;
  };
  std::deque<Upload> waiting;

 private:
  std::optional<scpi::Error> objection(const std::string& name, const std::string& text,
                                       const std::string& sha256) const {
    if (refusal != 0) return scpi::Error(refusal, "the folder of recipes");
    if (name.find('/') != std::string::npos) return scpi::Error(scpi::file_name_error, name);
    if (sha256 != "good")
      return scpi::Error(scpi::data_corrupt_or_stale, "the text is not that of this hash");
    if (text.rfind(name, 0) != 0) return scpi::Error(scpi::illegal_parameter_value, "line 1: no recipe");
    return std::nullopt;
  }
};

/// Starts, and ends on the test's call.
class TestReplayer : public Replayer {
 public:
  void start(std::uint64_t sequence) override {
    if (sequence > 1) throw scpi::Error(scpi::data_out_of_range, "no such result");
    now = {sequence, "RUNNING", ""};
  }
  ReplayOutcome outcome() const override { return now; }

  ReplayOutcome now;
};

/// A cell whose frames arrive on the test's call.
class TestCell : public Instrument {
 public:
  explicit TestCell(const std::filesystem::path& store) : file_(store) {}

  InstrumentIdentity identity() const override { return {"datum", "datumd", "cell,1", "0.1.0"}; }
  LockArbiter& control() override { return desk; }
  InstrumentState state() const override { return state_; }
  std::string state_detail() const override { return detail; }
  bool operation_pending() const override {
    return state_ > InstrumentState::armed || replays.now.state == "RUNNING";
  }
  std::uint64_t board_in_work() const override { return state_ > InstrumentState::armed ? begun_ : 0; }
  std::uint64_t board_announced() const override { return begun_; }
  std::uint16_t operation_condition() const override {
    return static_cast<std::uint16_t>(operation_bits(state_) | (recipe_ ? operation_recipe_chosen : 0));
  }
  std::uint16_t questionable_condition() const override { return questionable; }

  std::vector<std::string> recipes() const override { return {"mainboard", "power \"A\""}; }
  std::optional<SelectedRecipe> recipe() const override { return recipe_; }
  void select_recipe(const std::string& name, const std::optional<std::string>& sha256) override {
    if (operation_pending()) throw scpi::Error(scpi::settings_conflict, "a board is being measured");
    const auto known = recipes();
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw scpi::Error(scpi::file_name_not_found, "no recipe '" + name + "'");
    if (sha256 && *sha256 != "ab12") throw scpi::Error(scpi::settings_conflict, "the file has another hash");
    state_ = InstrumentState::idle;
    recipe_ = SelectedRecipe{name, "ab12"};
  }
  const Recipe* chosen_recipe() const override { return recipe_ ? &recipe_content : nullptr; }
  RecipeFiles& recipe_files() override { return files; }
  Replayer& replayer() override { return replays; }
  std::string unit() const override { return unit_; }
  void set_unit(const std::string& serial) override {
    unit_ = serial;
    now_ns += unit_takes_ns;
  }
  std::vector<std::string> panel_serials() const override { return panel_serials_; }
  void set_panel_serials(const std::vector<std::string>& serials) override { panel_serials_ = serials; }
  void set_temperature(double degc) override { temperature_ = TemperatureReading{degc, 1'772'353'800}; }
  std::optional<TemperatureReading> temperature() const override { return temperature_; }
  void arm() override {
    if (!recipe_) throw scpi::Error(scpi::settings_conflict, "no recipe is chosen");
    if (state_ != InstrumentState::idle) throw scpi::Error(scpi::init_ignored, "armed already");
    state_ = InstrumentState::armed;
  }
  void abort() override { state_ = InstrumentState::idle; }
  void trigger() override {
    if (source != TriggerSource::bus) throw scpi::Error(scpi::trigger_ignored, "each frame is measured");
    if (state_ != InstrumentState::armed) throw scpi::Error(scpi::trigger_ignored, "not armed");
    state_ = InstrumentState::waiting;
    ++begun_;
  }
  TriggerSource trigger_source() const override { return source; }
  void set_trigger_source(TriggerSource wanted) override {
    if (state_ != InstrumentState::idle) throw scpi::Error(scpi::settings_conflict, "the cell is armed");
    source = wanted;
  }
  void reset() override {
    abort();
    source = TriggerSource::bus;
    recipe_.reset();
    unit_.clear();
  }
  std::vector<std::string> self_test() override { return failures; }
  void self_test(SelfTestDone done) override {
    if (test_takes_time)
      test_done = std::move(done);
    else
      done(failures);
  }
  std::optional<StoredResult> result(std::optional<std::uint64_t> sequence) override {
    if (store_fault) throw *store_fault;
    if (out_of_memory) throw std::bad_alloc();
    if (!store_) return std::nullopt;
    return sequence ? store_->get(*sequence) : store_->latest();
  }
  StoreExtent results() override { return store_ ? store_->extent() : StoreExtent{}; }
  CalibrationStatus calibration() const override {
    return {"cal-1", "cd34", "2027-01-01T00:00:00Z", 1.5, ""};
  }
  std::optional<ProbePoint> position() const override { return point; }
  void confirm_referenced() override { ++referenced; }
  void reopen_links() override { ++reopened; }
  HostLinks host_links() const override { return configured; }
  std::int64_t utc_s() const override { return 1'795'245'497; }  // 2026-11-21T07:18:17Z
  std::vector<LinkReport> link_reports() const override { return reports; }
  MonotonicNs monotonic_ns() const override { return now_ns; }
  MonotonicNs now_ns = 60'000'000'000;
  MonotonicNs unit_takes_ns = 0;  // duration of CONFigure:UNIT
  std::vector<std::string> links() const override { return {"cmm: open", "sensor \"drop\": open"}; }

  Calibrator& calibrator() override { return calibration_steps; }
  HoleProber& hole_prober() override { return holes; }

  Recipe recipe_content = test_recipe();
  TestRecipeFiles files;
  TestReplayer replays;
  TriggerSource source = TriggerSource::bus;
  HostLinks configured;
  std::optional<StoreError> store_fault;
  bool out_of_memory = false;
  bool test_takes_time = false;
  SelfTestDone test_done;
  std::vector<std::string> who_did_what;
  LockArbiter desk{
      {}, [] { return 0; }, [this](int, const std::string& text) { who_did_what.push_back(text); }};
  TestCalibrator calibration_steps;
  TestHoleProber holes;
  std::optional<ProbePoint> point;
  std::vector<LinkReport> reports;
  int referenced = 0, reopened = 0;

  /// The frame arrived, was measured and stored.
  BoardVerdict finish_board(BoardVerdict verdict) {
    if (!store_) store_.emplace(file_);
    store_->store(verdict);
    state_ = InstrumentState::idle;
    return verdict;
  }

  void position_ahead(const std::string& store_id, const HeldPosition& held) override {
    who_did_what.push_back(fmt::format("ahead {} {} {}", store_id, held.sequence, held.who));
  }
  /// Assigns another id to the store.
  void renew(const HeldPosition& held) { store_->renew(held, "2026-11-22T12:00:00Z"); }

  std::string detail = "no frame yet";
  std::uint16_t questionable = 0;
  std::vector<std::string> failures;

 private:
  std::filesystem::path file_;
  std::optional<ResultStore> store_;  // created with the first board
  InstrumentState state_ = InstrumentState::idle;
  std::optional<SelectedRecipe> recipe_;
  std::string unit_;
  std::vector<std::string> panel_serials_;
  std::uint64_t begun_ = 0;
  std::optional<TemperatureReading> temperature_;
};

}  // namespace datum::testing
