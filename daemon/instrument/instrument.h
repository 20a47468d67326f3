// Instrument: what the command protocol asks of the inspection cell. The daemon implements it; the codec
// knows no more.
//
// Measuring is overlapped: trigger() returns at once, operation_pending() stays true until the result is
// stored (or the board was aborted), and whoever implements this then calls
// CommandEndpoint::instrument_changed() on every endpoint. All calls come from the loop's thread and must not
// block. A command is refused by throwing scpi::Error; anything else that is thrown is answered as -310 with
// its text (StoreError: -254, -250, ...).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "calib/calibration.h"
#include "daemon/instrument/calibrator.h"
#include "daemon/instrument/hole_prober.h"
#include "daemon/instrument/lock_arbiter.h"
#include "daemon/instrument/recipe_files.h"
#include "daemon/instrument/replayer.h"
#include "daemon/instrument/scpi_error.h"
#include "daemon/store/result_store.h"
#include "drivers/port/link_report.h"
#include "drivers/port/port.h"

namespace datum {

enum class InstrumentState : std::uint8_t {
  idle,       // not armed
  armed,      // a trigger is awaited
  waiting,    // triggered; positions or the frame are awaited
  measuring,  // the worker inspects, or its result is being stored
};
const char* name_of(InstrumentState s);  // "IDLE", "ARMED", "WAITING", "MEASURING"

/// Four fields of *IDN?; commas and semicolons in them are replaced, the whole is kept to 72 characters.
struct InstrumentIdentity {
  std::string maker = "datum", model = "datumd", serial, firmware;
};

struct SelectedRecipe {
  std::string name, sha256;
};

struct CalibrationStatus {
  std::string id;  // "" where the chosen recipe is in sensor coordinates, or none is chosen
  std::string sha256;
  std::string expires;  // ISO 8601 UTC
  double residual_rms_um = 0;
  std::string refusal;  // why it must not be used now; empty: it may
};

/// What starts a measurement once the cell is armed.
enum class TriggerSource : std::uint8_t {
  bus,       // a TRIGger command
  external,  // each frame that the sensor delivers
};

/// The links that hosts come by, as configured.
struct HostLinks {
  struct Tcp {
    std::string address;
    std::uint16_t port = 0;
  };
  std::optional<SerialSettings> serial;
  std::optional<Tcp> tcp;
};

/// What an instrument needs beside its links.
struct ServiceHealth {
  std::string backend;                                   // who measured last
  std::string backend_fault;                             // why that is not who should; empty: it is
  std::optional<std::uint64_t> store_bytes, free_bytes;  // of the store, and beside it; none: not known
};

/// Conditions of STATus:OPERation (SCPI-99 volume 1, 9.3); from bit 8 on datumd's own.
enum OperationBit : std::uint16_t {
  operation_calibrating = 1u << 0,
  operation_sweeping = 1u << 3,  // acquiring: positions or a frame are awaited
  operation_measuring = 1u << 4,
  operation_waiting_trigger = 1u << 5,
  operation_recipe_chosen = 1u << 8,
  operation_cmm_link = 1u << 9,      // up
  operation_sensor_link = 1u << 10,  // up
};
/// Bits 3 to 5 of a state.
std::uint16_t operation_bits(InstrumentState state);

/// Conditions of STATus:QUEStionable (9.4), of the last board.
enum QuestionableBit : std::uint16_t {
  questionable_calibration = 1u << 8,
  questionable_pose = 1u << 9,
  questionable_floor = 1u << 10,
  questionable_frame = 1u << 11,
};
/// Bits that the reasons in a verdict set.
std::uint16_t questionable_bits(const BoardVerdict& verdict);

class Instrument {
 public:
  virtual ~Instrument() = default;

  virtual InstrumentIdentity identity() const = 0;
  /// Which host may command. Codecs ask it before every call that changes the cell; abort() is only noted.
  virtual LockArbiter& control() = 0;
  virtual InstrumentState state() const = 0;
  /// What is awaited or being done, in words ("waiting for a frame since 2.1 s"); may be empty.
  virtual std::string state_detail() const = 0;
  /// A trigger was taken and its result is neither stored nor aborted: what *OPC, *OPC? and *WAI wait for.
  virtual bool operation_pending() const = 0;
  /// Boards are numbered from 1 as they are triggered. That of the one in work, 0: none is; it is none once its result
  /// was announced, or it was aborted.
  virtual std::uint64_t board_in_work() const = 0;
  /// While CommandEndpoint::push_result runs: the number of the board whose result it is.
  virtual std::uint64_t board_announced() const = 0;
  virtual std::uint16_t operation_condition() const = 0;
  virtual std::uint16_t questionable_condition() const = 0;

  /// Names that select_recipe takes, sorted.
  virtual std::vector<std::string> recipes() const = 0;
  virtual std::optional<SelectedRecipe> recipe() const = 0;
  /// -256 no such recipe; -221 a board is being measured, or `sha256` is given and is not the file's. Every
  /// refusal but that during a measurement leaves no recipe chosen and nothing armed: the next board is never
  /// measured by the old one.
  virtual void select_recipe(const std::string& name, const std::optional<std::string>& sha256) = 0;
  /// Serial number of the next board, empty for none. It holds for one board.
  /// None where none is chosen.
  virtual const Recipe* chosen_recipe() const = 0;
  virtual RecipeFiles& recipe_files() = 0;
  virtual std::string unit() const = 0;
  virtual void set_unit(const std::string& serial) = 0;
  /// The cell's temperature of this moment, which calibrations may demand.
  virtual void set_temperature(double degc) = 0;
  /// As it was told last; none: nobody told it since the start.
  virtual std::optional<TemperatureReading> temperature() const = 0;

  /// -221 no recipe chosen; -213 already armed or measuring; -241 a demanded link is down; -340 calibration
  /// refused.
  virtual void arm() = 0;
  /// Ends waiting or measuring without a result, disarms. Never refuses.
  virtual void abort() = 0;
  /// -211 not armed, or the trigger source is not bus.
  virtual void trigger() = 0;
  virtual TriggerSource trigger_source() const = 0;
  /// -221 not idle, or a CMM is configured, which needs bus.
  virtual void set_trigger_source(TriggerSource source) = 0;
  /// *RST: abort, no recipe, no unit, the trigger source of the configuration. Settings of links and the store stay.
  virtual void reset() = 0;
  /// Checks of this moment (store writable, links, calibration, a kernel against its known answer), one line
  /// per failure. `done` is called when they have ended, at once or later from the loop, and then
  /// instrument_changed() on every endpoint.
  using SelfTestDone = std::function<void(const std::vector<std::string>& failures)>;
  virtual void self_test(SelfTestDone done) = 0;
  /// The same at once, without what the worker would have to be asked for.
  virtual std::vector<std::string> self_test() = 0;

  /// Newest result, or that of a sequence; none: there is no such result.
  virtual std::optional<StoredResult> result(std::optional<std::uint64_t> sequence) = 0;
  virtual StoreExtent results() = 0;
  /// The newest head of the store's chain that the signer signed, as text (daemon/sign/signed_head.h); none: none was.
  virtual std::optional<std::string> signed_head() { return std::nullopt; }
  /// A host holds a number of the store with this id that the store never gave: it was set back, and gets another id.
  virtual void position_ahead(const std::string& /*store_id*/, const HeldPosition& /*held*/) {}
  virtual Replayer& replayer() = 0;
  virtual CalibrationStatus calibration() const = 0;
  virtual Calibrator& calibrator() = 0;
  virtual HoleProber& hole_prober() = 0;
  /// The CMM's position of this moment; none: no CMM is configured.
  virtual std::optional<ProbePoint> position() const = 0;
  /// An operator states that the machine was homed since its position was lost. -241 no CMM.
  virtual void confirm_referenced() = 0;
  /// Opens links that were refused, once an operator has mended the cause. -241 no CMM.
  virtual void reopen_links() = 0;
  virtual HostLinks host_links() const = 0;
  virtual ServiceHealth health() const { return {}; }
  /// Seconds since 1970-01-01.
  virtual std::int64_t utc_s() const = 0;
  /// One line per link: Pollable::describe().
  virtual std::vector<std::string> links() const = 0;
  /// Each link's state and history: the sensor first, then the CMM, then those of hosts.
  virtual std::vector<LinkReport> link_reports() const = 0;
  /// The monotonic clock's time that reports are given in.
  virtual MonotonicNs monotonic_ns() const = 0;
};

}  // namespace datum
