// Instrument: the interface of the command protocols to the inspection cell. The daemon implements it.
//
// Measurements are overlapped: trigger() returns at once, and operation_pending() stays true until the result is stored
// or the board aborted. The implementation then calls CommandEndpoint::instrument_changed() on every endpoint. All calls
// come from the loop's thread and must not block. A refusal is thrown as scpi::Error; any other exception is answered as
// -310 with its text (StoreError: -254, -250, ...).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "calib/calibration.h"
#include "daemon/instrument/calibrator.h"
#include "daemon/instrument/chart_watcher.h"
#include "daemon/instrument/hole_prober.h"
#include "daemon/instrument/lock_arbiter.h"
#include "daemon/instrument/recipe_files.h"
#include "daemon/instrument/reference_checker.h"
#include "daemon/instrument/replayer.h"
#include "daemon/instrument/scpi_error.h"
#include "daemon/store/result_store.h"
#include "drivers/port/link_report.h"
#include "drivers/port/port.h"

namespace datum {

enum class InstrumentState : std::uint8_t {
  idle,       // not armed
  armed,      // a trigger is awaited
  waiting,    // triggered; positions or the frame are outstanding
  measuring,  // the worker inspects, or its result is being stored
};
const char* name_of(InstrumentState s);  // "IDLE", "ARMED", "WAITING", "MEASURING"

/// The four fields of *IDN?; commas and semicolons are replaced, and the whole has at most 72 characters.
struct InstrumentIdentity {
  std::string maker = "datum", model = "datumd", serial, firmware;
};

struct SelectedRecipe {
  std::string name, sha256;
};

struct CalibrationStatus {
  std::string id;  // "" for a recipe in sensor coordinates, or without a recipe
  std::string sha256;
  std::string expires;  // ISO 8601 UTC
  double residual_rms_um = 0;
  std::string refusal;  // why it must not be used now; empty: usable
};

/// The event that starts a measurement in an armed cell.
enum class TriggerSource : std::uint8_t {
  bus,       // a TRIGger command
  external,  // each frame that the sensor delivers
};

/// The configured host links.
struct HostLinks {
  struct Tcp {
    std::string address;
    std::uint16_t port = 0;
  };
  std::optional<SerialSettings> serial;
  std::optional<Tcp> tcp;
};

/// State of the services beside the links.
struct ServiceHealth {
  std::string backend;        // backend of the last measurement
  std::string backend_fault;  // why another backend measured; empty: no fault
  // Used by the store, and free on its file system; none: unknown.
  std::optional<std::uint64_t> store_bytes, free_bytes;
};

/// Conditions of STATus:OPERation (SCPI-99 volume 1, 9.3); bits from 8 on are datumd's own.
enum OperationBit : std::uint16_t {
  operation_calibrating = 1u << 0,
  operation_sweeping = 1u << 3,  // acquisition: positions or a frame are outstanding
  operation_measuring = 1u << 4,
  operation_waiting_trigger = 1u << 5,
  operation_recipe_chosen = 1u << 8,
  operation_cmm_link = 1u << 9,      // up
  operation_sensor_link = 1u << 10,  // up
};
/// Bits 3 to 5 for a state.
std::uint16_t operation_bits(InstrumentState state);

/// Conditions of STATus:QUEStionable (SCPI-99 volume 1, 9.4) for the last board.
enum QuestionableBit : std::uint16_t {
  questionable_calibration = 1u << 8,
  questionable_pose = 1u << 9,
  questionable_floor = 1u << 10,
  questionable_frame = 1u << 11,
};
/// Bits for the reasons in a verdict.
std::uint16_t questionable_bits(const BoardVerdict& verdict);

class BundleFiles;

class Instrument {
 public:
  virtual ~Instrument() = default;

  virtual InstrumentIdentity identity() const = 0;
  /// Arbiter of control. Codecs ask it before every call that changes the cell; abort() is only recorded.
  virtual LockArbiter& control() = 0;
  virtual InstrumentState state() const = 0;
  /// The outstanding event or the running operation as text ("waiting for a frame since 2.1 s"); may be empty.
  virtual std::string state_detail() const = 0;
  /// A trigger was accepted, and its result is neither stored nor aborted: *OPC, *OPC? and *WAI wait for that.
  virtual bool operation_pending() const = 0;
  /// Number of the board in progress, counted from 1 by triggers. 0: none, also after the announcement of its result or
  /// an abort.
  virtual std::uint64_t board_in_work() const = 0;
  /// Number of the board that CommandEndpoint::push_result announces; valid during that call.
  virtual std::uint64_t board_announced() const = 0;
  virtual std::uint16_t operation_condition() const = 0;
  virtual std::uint16_t questionable_condition() const = 0;

  /// Sorted names that select_recipe accepts.
  virtual std::vector<std::string> recipes() const = 0;
  virtual std::optional<SelectedRecipe> recipe() const = 0;
  /// -256 no such recipe; -221 a board is being measured, or `sha256` is given and differs from the file's. Except for
  /// that refusal during a measurement, a refusal deselects the recipe and disarms: the next board is never measured by
  /// the former recipe.
  virtual void select_recipe(const std::string& name, const std::optional<std::string>& sha256) = 0;
  /// Null without a chosen recipe.
  virtual const Recipe* chosen_recipe() const = 0;
  virtual RecipeFiles& recipe_files() = 0;
  /// Null: the cell takes no bundles of recipes and calibrations.
  virtual BundleFiles* bundle_files() { return nullptr; }
  /// Serial number of the next board, for that board only; "" none.
  virtual std::string unit() const = 0;
  virtual void set_unit(const std::string& serial) = 0;
  /// What was done to the next board since it was measured last; empty takes it back.
  virtual void set_repair(const std::string& what) { static_cast<void>(what); }
  virtual std::string repair() const { return ""; }
  /// Serial numbers of the boards of the next panel, for that panel only, in the order of the recipe's places, "" for none;
  /// empty: not stated.
  virtual std::vector<std::string> panel_serials() const { return {}; }
  /// All of them empty: takes them back. -221 no recipe is chosen, or none of a panel; -224 another number of boards than the recipe's,
  /// or one serial number twice.
  virtual void set_panel_serials(const std::vector<std::string>& serials) = 0;
  /// The present temperature of the cell in degC, which calibrations may demand.
  virtual void set_temperature(double degc) = 0;
  /// The last reported temperature; none: not reported since the start.
  virtual std::optional<TemperatureReading> temperature() const = 0;

  /// -221 no recipe chosen; -213 already armed or measuring; -241 a demanded link is down; -340 calibration refused.
  virtual void arm() = 0;
  /// Ends waiting or measuring without a result, and disarms. Never refuses.
  virtual void abort() = 0;
  /// -211 not armed, or the trigger source is not bus.
  virtual void trigger() = 0;
  virtual TriggerSource trigger_source() const = 0;
  /// -221 not idle, or a CMM is configured, which demands bus.
  virtual void set_trigger_source(TriggerSource source) = 0;
  /// *RST: abort, no recipe, no unit, trigger source of the configuration. Link settings and the store stay.
  virtual void reset() = 0;
  /// Checks the store, links, calibration, and a kernel against its known answer. One line per failure. `done` is called
  /// at the end, at once or later from the loop; instrument_changed() follows on every endpoint.
  using SelfTestDone = std::function<void(const std::vector<std::string>& failures)>;
  virtual void self_test(SelfTestDone done) = 0;
  /// The same checks at once, without those of the worker.
  virtual std::vector<std::string> self_test() = 0;

  /// The newest result, or that of a sequence number; none: not stored.
  virtual std::optional<StoredResult> result(std::optional<std::uint64_t> sequence) = 0;
  virtual StoreExtent results() = 0;
  /// The newest signed head of the store's chain as text (daemon/sign/signed_head.h); none: not signed.
  virtual std::optional<std::string> signed_head() { return std::nullopt; }
  /// A host holds a sequence number that this store never gave: the store was set back, and gets another id.
  virtual void position_ahead(const std::string& /*store_id*/, const HeldPosition& /*held*/) {}
  virtual Replayer& replayer() = 0;
  virtual CalibrationStatus calibration() const = 0;
  virtual Calibrator& calibrator() = 0;
  virtual HoleProber& hole_prober() = 0;
  /// Null: the cell has no reference checks.
  virtual ReferenceChecker* reference_checker() { return nullptr; }
  /// Null: no control charts are watched.
  virtual ChartWatcher* chart_watcher() { return nullptr; }
  /// The present CMM position; none: no CMM is configured.
  virtual std::optional<ProbePoint> position() const = 0;
  /// The operator confirms that the machine was homed after it lost its position. -241 no CMM.
  virtual void confirm_referenced() = 0;
  /// Opens refused links after the operator removed the cause. -241 no CMM.
  virtual void reopen_links() = 0;
  virtual HostLinks host_links() const = 0;
  virtual ServiceHealth health() const { return {}; }
  /// What the cell's files state and probably do not mean, and what will stop it: one line each.
  virtual std::vector<std::string> warnings() { return {}; }
  /// Seconds since 1970-01-01.
  virtual std::int64_t utc_s() const = 0;
  /// One line per link, as of Pollable::describe().
  virtual std::vector<std::string> links() const = 0;
  /// State and history of each link: sensor, CMM, then host links.
  virtual std::vector<LinkReport> link_reports() const = 0;
  /// The monotonic clock that the reports refer to, in ns.
  virtual MonotonicNs monotonic_ns() const = 0;
};

}  // namespace datum
