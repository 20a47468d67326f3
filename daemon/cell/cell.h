// The cell: from a trigger to an announced result. It is what the command protocol commands.
//
//   IDLE -arm-> ARMED -trigger or frame-> WAITING -frame and positions-> MEASURING -stored, announced-> ARMED
//
// Everything runs on the loop's thread; reading a frame and inspecting it run on the worker's. A board that
// was triggered, or whose frame was taken, ends in a stored result, INVALID if need be, or in an abort that
// is logged.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/calibration/calibration_procedure.h"
#include "daemon/cell/board.h"
#include "daemon/cell/cell_mark.h"
#include "daemon/cell/frame_proof.h"
#include "daemon/cell/frame_time.h"
#include "daemon/cell/recipe_repository.h"
#include "daemon/cell/remeasurement.h"
#include "daemon/cell/signing_schedule.h"
#include "daemon/configuration/daemon_config.h"
#include "daemon/controller/controller_watch.h"
#include "daemon/gpu_worker/backend_choice.h"
#include "daemon/holes/hole_procedure.h"
#include "daemon/hosts/command_link.h"
#include "daemon/inspection/board/board_planner.h"
#include "daemon/inspection/board/pipeline.h"
#include "daemon/inspection/recipe/recipe_store.h"
#include "daemon/instrument/instrument.h"
#include "daemon/store/deed_book.h"
#include "daemon/store/result_store.h"
#include "daemon/store/retention/retention.h"
#include "daemon/store/signing_client.h"
#include "daemon/system/worker.h"
#include "drivers/cmm/source.h"
#include "drivers/cmm/stare_session.h"
#include "drivers/sensor/frame_source.h"

namespace datum {

/// Bytes of the store and beside it.
struct StoreRoom {
  std::optional<std::uint64_t> store_bytes, free_bytes;
};

/// What became of the sensor's frames.
struct FrameCounts {
  std::uint64_t taken = 0, refused = 0, twice = 0;
};

/// What a cell works with; all of it outlives the cell.
struct CellDependencies {
  const DaemonConfig& config;
  const SensorProfile& sensor;
  const BackendChoice& backend;
  Worker& worker;
  FrameSource& frames;
  CmmSource* cmm;                        // null: no CMM is configured
  ResultStore& writer;                   // used on the worker's thread only
  ResultStore& reader;                   // used on the loop's thread only
  std::function<std::int64_t()> utc_ns;  // since 1970-01-01
  LogSink log;
  const ControllerWatch* controller = nullptr;  // null: verdicts say nothing of it
  /// Told of each result, once it is announced.
  std::function<void(const BoardVerdict&, const BoardTimes&)> on_board{};
  std::function<StoreRoom()> room{};  // none: not known
  Retention* retention = nullptr;     // null: everything is kept, and no room is asked for
  /// Who parses recipes and calibrations, and who reads models; null: this process.
  const config::TomlParser* texts = nullptr;
  const ModelParser* models = nullptr;
  Worker* signer = nullptr;  // waits for whoever signs the chain of results; null: nobody is asked
  // Who parses what hosts upload, and waits for that and for the disk; null: `texts`, and the loop.
  const config::TomlParser* uploads = nullptr;
  Worker* uploader = nullptr;
};

class InspectionCell final : public Instrument, public Pollable {
 public:
  /// Reads recipes and calibration; what is wrong with them is logged and refused when armed.
  explicit InspectionCell(CellDependencies parts);

  /// Endpoints that are told of results and changes; they outlive the cell's last event.
  void add_endpoint(CommandEndpoint& endpoint) { endpoints_.push_back(&endpoint); }
  /// Links that status lists, beside the endpoints.
  void add_link(const Pollable& link, const LinkStatusProvider* status_provider) {
    links_.push_back(&link);
    status_providers_.push_back(status_provider);
  }

  /// The alarm that the store got another id, to be told once the endpoints are there.
  void tell_renewal(const Renewal& renewal);
  /// Takes frames where one is wanted; to be called after every round of the loop.
  void after_round(MonotonicNs now);
  /// SIGHUP: reads recipes and calibration again. A chosen recipe that is no longer valid is no longer
  /// chosen.
  void reload();
  /// After the last round of the loop, with the worker finished: the head of the chain is signed once more.
  void sign_at_end();
  /// One line for the service manager.
  std::string status_line() const;
  bool busy() const { return board_ != nullptr; }
  const FrameCounts& frame_counts() const { return frames_; }

  // Pollable: the cell's own deadlines (frame and position time-outs)
  int fd() const override { return -1; }
  void on_ready(MonotonicNs) override {}
  std::optional<MonotonicNs> deadline() const override;
  void on_deadline(MonotonicNs now) override;
  std::string describe() const override { return "cell: " + status_line(); }

  // Instrument
  InstrumentIdentity identity() const override;
  LockArbiter& control() override { return control_; }
  InstrumentState state() const override { return state_; }
  std::string state_detail() const override;
  /// Between two snapshots of a part nothing is: the host moves the stage.
  bool operation_pending() const override {
    return board_ != nullptr || desk_.pending() || holes_.pending() || replays_.pending();
  }
  std::uint64_t board_in_work() const override { return board_ ? board_->number : 0; }
  std::uint64_t board_announced() const override { return announced_; }
  std::uint16_t operation_condition() const override;
  std::uint16_t questionable_condition() const override { return questionable_; }
  std::vector<std::string> recipes() const override { return recipes_->names(); }
  std::optional<SelectedRecipe> recipe() const override;
  void select_recipe(const std::string& name, const std::optional<std::string>& sha256) override;
  const Recipe* chosen_recipe() const override { return recipe_.get(); }
  RecipeFiles& recipe_files() override { return recipe_repository_; }
  std::string unit() const override { return unit_; }
  void set_unit(const std::string& serial) override;
  void set_temperature(double degc) override;
  std::optional<TemperatureReading> temperature() const override { return temperature_; }
  void arm() override;
  void abort() override;
  void trigger() override;
  TriggerSource trigger_source() const override;
  void set_trigger_source(TriggerSource source) override;
  void reset() override;
  void self_test(SelfTestDone done) override;
  std::vector<std::string> self_test() override;
  std::optional<StoredResult> result(std::optional<std::uint64_t> sequence) override;
  StoreExtent results() override { return parts_.reader.extent(); }
  std::optional<std::string> signed_head() override { return parts_.reader.signed_head(); }
  void position_ahead(const std::string& store_id, const HeldPosition& held) override;
  CalibrationStatus calibration() const override;
  Replayer& replayer() override { return replays_; }
  Calibrator& calibrator() override { return desk_; }
  HoleProber& hole_prober() override { return holes_; }
  std::optional<ProbePoint> position() const override;
  void confirm_referenced() override;
  void reopen_links() override;
  HostLinks host_links() const override;
  ServiceHealth health() const override;
  std::int64_t utc_s() const override { return parts_.utc_ns() / 1'000'000'000; }
  std::vector<std::string> links() const override;
  std::vector<LinkReport> link_reports() const override;
  MonotonicNs monotonic_ns() const override;

 private:
  DeskParts procedure_dependencies();
  CalibrationProcedureDependencies calibration_dependencies();
  HoleProcedureDependencies hole_dependencies();
  RecipeRepositoryDependencies repository_dependencies();
  std::shared_ptr<const RecipeStore> look_at_recipes();
  RemeasurementDependencies remeasurement_dependencies();
  void refuse_beside(const char* what) const;
  std::vector<std::string> link_self_test();
  void load_calibration();
  std::string calibration_refusal() const;
  std::string reader_refusal() const;
  void enter(InstrumentState state, const std::string& why = "");
  void abandon(const std::string& why);
  std::shared_ptr<BoardOrder> new_order(MonotonicNs now);
  void begin_board(MonotonicNs now);
  void let_expose(MonotonicNs now);
  void end_exposure();
  void arm_anew(bool resumes);
  bool delivered_while_armed(const ClaimedFrame& claim) const;
  bool is_early(const ClaimedFrame& claim) const;
  void refuse_early(const ClaimedFrame& claim);
  void examine_early(const ClaimedFrame& claim);
  void refuse_frame(const ClaimedFrame& claim, const std::string& why);
  void pass_over(BoardOrder& board, Reason reason, const std::string& why);
  void await_another_frame(MonotonicNs now);
  void take_frame(const ClaimedFrame& claim, MonotonicNs now);
  ClaimRecord record_of_claims() const;
  void restore_order(BoardOrder& order, const ClaimedFrame& claim);
  void frame_loaded(const std::shared_ptr<BoardOrder>& board);
  std::optional<HostSpan> time_frame(BoardOrder& board);
  bool prove_triggered(BoardOrder& board, const std::optional<HostSpan>& exposed);
  void prove_unasked(BoardOrder& board, const std::optional<HostSpan>& exposed);
  struct Doubt {
    Reason reason = Reason::none;
    std::string why;
    bool of_another_unit = false;  // the number that was told waits for its own frame
  };
  Doubt doubt_of_unasked(const BoardOrder& board, const std::optional<HostSpan>& exposed);
  void remember(const BoardOrder& board);
  std::string picture_id(const BoardOrder& board) const;
  void return_unit(BoardOrder& board);
  void position(const ProbePoint& sample, MonotonicNs now);
  void measure_when_ready();
  void refuse_unmeasurable_part() const;
  void resume_part();
  void snapshot_taken(MonotonicNs now);
  void snapshot_missing();
  void fail_snapshots(const BoardOrder& order);
  std::string next_snapshot() const;
  void finish(const std::shared_ptr<BoardOrder>& board);
  void settle_frame(const BoardOrder& board);
  void announce(const std::shared_ptr<BoardOrder>& board);
  void watch_cmm(const ProbePoint& sample);
  void watch_sensor();
  void watch_clock(MonotonicNs now);
  void watch_room();
  void keep_results(MonotonicNs now);
  void note_deed(const std::string& host, std::string_view what);
  void keep_deeds(MonotonicNs now);
  void keep_signatures(MonotonicNs now);
  void store_signatures();
  void signing_done();
  void signing_failed(const std::string& why);
  void watch_signatures();
  std::string signing_refusal() const;
  std::string shortage() const { return parts_.retention ? parts_.retention->shortage() : ""; }
  void conclude(Reason reason, const std::string& detail);
  void conclude_without_frame(Reason reason, const std::string& detail);
  void conclude_unfinished();
  void raise(int number, const std::string& detail, const LogEvent& event = {});
  void log(int priority, const std::string& text, const LogEvent& event = {}) const {
    parts_.log(priority, text, event);
  }

  CellDependencies parts_;
  LockArbiter control_;
  DeedBook deeds_;
  MonotonicNs deeds_due_ns_ = 0;            // not before: the store refused them
  std::optional<SigningSchedule> signing_;  // none: nobody signs
  Signatures signed_;                       // not stored yet
  std::string not_signed_;                  // why, as it was told last
  std::shared_ptr<BoardPlanner> planner_ = std::make_shared<BoardPlanner>();  // used by whoever measures
  std::vector<CommandEndpoint*> endpoints_;
  std::vector<const Pollable*> links_;
  std::vector<const LinkStatusProvider*> status_providers_;  // of them
  std::shared_ptr<const RecipeStore> recipes_;
  std::shared_ptr<const Recipe> recipe_;
  std::shared_ptr<const Calibration> calibration_;
  std::string calibration_problem_;
  std::string unit_;
  MonotonicNs unit_told_ns_ = 0, armed_ns_ = 0;
  MonotonicNs ended_ns_ = 0;  // the board before
  std::optional<TemperatureReading> temperature_;
  UtcWatch utc_;
  InstrumentState state_ = InstrumentState::idle;
  std::string why_idle_;  // since it was armed last
  FrameCounts frames_;
  std::string doubtful_id_;  // of the store, which this run found; nobody can be ahead of an id that it made
  bool mark_failed_ = false;
  TriggerMode trigger_;
  std::optional<StareSession> stare_;  // with a CMM
  std::shared_ptr<BoardOrder> board_;
  std::shared_ptr<SurfaceModels> models_ = std::make_shared<SurfaceModels>(parts_.models);
  std::shared_ptr<BoardOrder> part_;        // between two of its snapshots; no board is in work then
  std::optional<MonotonicNs> part_due_;     // its next one
  std::shared_ptr<BoardOrder> unfinished_;  // its result could not be stored; first when armed again
  bool cmm_up_ = true;
  std::string sensor_refusal_;  // as it was told last
  std::string shortage_;        // the same
  std::optional<MonotonicNs> frame_due_;
  FrameTimeLimits time_limits_;
  OutstandingExposures exposures_;
  SeenPictures seen_;
  CellMark armed_mark_;       // an armed cell measures each frame
  CellMark exposing_mark_;    // a frame is awaited, or outstanding
  bool resumed_ = false;      // the arming is that of the process before
  bool same_recipe_ = false;  // and so is the recipe
  std::uint16_t questionable_ = 0;
  std::uint64_t boards_ = 0;
  std::uint64_t begun_ = 0, announced_ = 0;
  CalibrationProcedure desk_;
  HoleProcedure holes_;
  RecipeRepository recipe_repository_;
  Remeasurement replays_;
};

}  // namespace datum
