// The inspection cell: what the command protocol commands, and what the loop calls. It owns the cell's classes, leads each
// call to the one that it concerns, and has no state of its own:
//
//   MeasurementBasis   recipe, calibration, temperature, clock
//   ReferenceChecks    artefacts that are measured when they are due
//   ControlCharts      rules that watch results behind their announcement
//   BoardSequencer     a board from its trigger to its announced result, with
//     FrameAcceptance  whose board a frame shows
//     BoardOrders      what holds for a board whatever comes
//     ReadAhead        the frame behind the board in work
//     PartSequencer    a part between its snapshots
//     PartHoles        its holes, touched behind the last one
//     BoardsOnWay      boards that are measured and stored, in their order
//     ResultAnnouncer  log, hosts, counters, picture
//   StoreMaintenance, ChainSigning, HostActions   room and old results; signatures; what hosts did
//   CellLinks, CellState, HostEvents              links; the state that hosts see; how hosts hear of all that
//
// Everything runs on the loop's thread; reading a frame, inspecting it and storing have threads of their own.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/calibration/calibration_procedure.h"
#include "daemon/cell/board_sequencer.h"
#include "daemon/cell/bundle_installer.h"
#include "daemon/cell/cell_links.h"
#include "daemon/cell/cell_self_test.h"
#include "daemon/cell/control_charts.h"
#include "daemon/cell/host_actions.h"
#include "daemon/cell/person_acts.h"
#include "daemon/cell/recipe_repository.h"
#include "daemon/cell/reference_checks.h"
#include "daemon/cell/remeasurement.h"
#include "daemon/cell/store_maintenance.h"
#include "daemon/holes/hole_procedure.h"
#include "daemon/holes/hole_tour.h"
#include "drivers/scanner/settings.h"

namespace datum {

/// Bytes of the store and beside it.
struct StoreRoom {
  std::optional<std::uint64_t> store_bytes, free_bytes;
};

/// What a cell works with; all of it outlives the cell.
struct CellDependencies {
  const DaemonConfig& config;
  const SensorProfile& sensor;
  const BackendChoice& backend;
  BoardThreads threads;
  FrameSource& frames;
  CmmSource* cmm;                        // null: no CMM is configured
  ResultStore& writer;                   // used on the storer's thread only
  ResultStore& reader;                   // used on the loop's thread only
  std::function<std::int64_t()> utc_ns;  // since 1970-01-01
  LogSink log;
  const ControllerWatch* controller = nullptr;  // null: verdicts say nothing of it
  /// Gets each result, once it is announced.
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
  const CodeReader* codes = nullptr;  // of [serial.code]; null: nobody reads them
  Worker* watcher = nullptr;          // watches results by control charts; null: nobody does
};

class InspectionCell final : public Instrument, public Pollable {
 public:
  /// Reads recipes and calibration; what is wrong with them is logged and refused when armed.
  explicit InspectionCell(CellDependencies dependencies);

  /// Endpoints that hear of results and changes; they outlive the cell's last event.
  void add_endpoint(CommandEndpoint& endpoint) { events_.add(endpoint); }
  /// Links that status lists, beside the endpoints.
  void add_link(const Pollable& link, const LinkStatusProvider* status_provider) {
    links_.add(link, status_provider);
  }

  /// The alarm that the store got another id, to be raised once the endpoints are there.
  void report_renewal(const Renewal& renewal) { maintenance_.report_renewal(renewal); }
  /// Takes frames where one is wanted; to be called after every round of the loop.
  void after_round(MonotonicNs now);
  /// SIGHUP: reads recipes and calibration again. A chosen recipe that is no longer valid is no longer
  /// chosen.
  void reload();
  /// After the last round of the loop, with the worker finished: the head of the chain is signed once more.
  void sign_at_end() { signing_.sign_at_end(); }
  /// One line for the service manager.
  std::string status_line() const;
  bool busy() const { return boards_.board() != nullptr; }
  const FrameCounts& frame_counts() const { return boards_.frame_counts(); }

  // Pollable: the cell's own deadlines (frame and position time-outs)
  int fd() const override { return -1; }
  void on_ready(MonotonicNs) override {}
  std::optional<MonotonicNs> deadline() const override;
  void on_deadline(MonotonicNs now) override;
  std::string describe() const override { return "cell: " + status_line(); }

  /// A scan of [scanner]: its number, or why it has none.
  void take_scan(const ScannedSerial& scan, const std::string& read_hex, MonotonicNs now);

  // Instrument
  InstrumentIdentity identity() const override;
  LockArbiter& control() override { return control_; }
  InstrumentState state() const override { return state_.now(); }
  std::string state_detail() const override;
  /// Between two snapshots of a part nothing is: the host moves the stage.
  bool operation_pending() const override {
    return busy() || calibration_procedure_.pending() || hole_procedure_.pending() || replays_.pending() ||
           checks_.storing() || charts_.storing();
  }
  std::uint64_t board_in_work() const override { return busy() ? boards_.board()->number : 0; }
  std::uint64_t board_announced() const override { return announcer_.board(); }
  std::uint16_t operation_condition() const override;
  std::uint16_t questionable_condition() const override { return announcer_.questionable(); }
  std::vector<std::string> recipes() const override { return basis_.recipes()->names(); }
  std::optional<SelectedRecipe> recipe() const override;
  void select_recipe(const std::string& name, const std::optional<std::string>& sha256) override;
  const Recipe* chosen_recipe() const override { return basis_.recipe().get(); }
  RecipeFiles& recipe_files() override { return recipe_repository_; }
  BundleFiles* bundle_files() override { return bundles_.taken() ? &bundles_ : nullptr; }
  std::string unit() const override { return orders_.unit(); }
  void set_unit(const std::string& serial) override;
  void set_repair(const std::string& what) override { orders_.serials().state_repair(what); }
  std::string repair() const override { return orders_.serials().repair(); }
  std::vector<std::string> panel_serials() const override { return orders_.serials().boards().serials; }
  void set_panel_serials(const std::vector<std::string>& serials) override;
  void set_temperature(double degc) override { basis_.report_temperature(degc); }
  std::optional<TemperatureReading> temperature() const override { return basis_.temperature(); }
  void arm() override { arm_anew(false); }
  void abort() override;
  void trigger() override;
  TriggerSource trigger_source() const override;
  void set_trigger_source(TriggerSource source) override;
  void reset() override;
  void self_test(SelfTestDone done) override { self_test_.start(std::move(done)); }
  std::vector<std::string> self_test() override { return self_test_.run(); }
  std::optional<StoredResult> result(std::optional<std::uint64_t> sequence) override;
  StoreExtent results() override { return deps_.reader.extent(); }
  std::optional<std::string> signed_head() override { return deps_.reader.signed_head(); }
  void position_ahead(const std::string& store_id, const HeldPosition& held) override {
    maintenance_.position_ahead(store_id, held);
  }
  CalibrationStatus calibration() const override { return basis_.calibration_status(); }
  Replayer& replayer() override { return replays_; }
  Calibrator& calibrator() override { return calibration_procedure_; }
  HoleProber& hole_prober() override { return hole_procedure_; }
  ReferenceChecker* reference_checker() override { return checks_.configured() ? &checks_ : nullptr; }
  ChartWatcher* chart_watcher() override { return &charts_; }
  std::optional<ProbePoint> position() const override { return links_.position(); }
  void confirm_referenced() override;
  void reopen_links() override;
  HostLinks host_links() const override;
  ServiceHealth health() const override;
  std::vector<std::string> warnings() override;
  std::int64_t utc_s() const override { return deps_.utc_ns() / 1'000'000'000; }
  std::vector<std::string> links() const override { return links_.describe(); }
  std::vector<LinkReport> link_reports() const override { return links_.reports(); }
  MonotonicNs monotonic_ns() const override;

 private:
  MeasurementBasisDependencies basis_dependencies();
  BoardSequencerDependencies board_dependencies();
  ProcedureDependencies procedure_dependencies();
  CalibrationProcedureDependencies calibration_dependencies();
  HoleProcedureDependencies hole_dependencies();
  RecipeRepositoryDependencies repository_dependencies();
  BundleInstallerDependencies bundle_dependencies();
  RemeasurementDependencies remeasurement_dependencies();
  ReferenceCheckDependencies check_dependencies();
  ControlChartDependencies chart_dependencies();
  void read_again();
  void demand_idle() const;
  void arm_anew(bool resumes);
  void refuse_beside(const char* what) const;
  void position(const ProbePoint& sample, MonotonicNs now);
  void disarm_where_refused();

  CellDependencies deps_;
  HostEvents events_;
  MeasurementBasis basis_;
  CellState state_;
  CellLinks links_;
  LockArbiter control_;
  HostActions actions_;
  ChainSigning signing_;
  StoreMaintenance maintenance_;
  FrameAcceptance acceptance_;
  BoardOrders orders_;
  ResultAnnouncer announcer_;
  CalibrationProcedure calibration_procedure_;
  HoleProcedure hole_procedure_;
  PartHoles part_holes_;
  ReferenceChecks checks_;
  ControlCharts charts_;
  PersonActs acts_;
  BoardSequencer boards_;
  CellSelfTest self_test_;
  RecipeRepository recipe_repository_;
  BundleInstaller bundles_;
  Remeasurement replays_;
};

}  // namespace datum
