// One board between its trigger and its result, and what the worker does with it.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "daemon/cell/serial_binding.h"
#include "daemon/controller/controller_watch.h"
#include "daemon/hosts/command_link.h"
#include "daemon/inspection/surface/pipeline_surface.h"
#include "daemon/metrics/board_times.h"
#include "daemon/store/result_store.h"
#include "drivers/cmm/pairing.h"
#include "drivers/codes/code_reader.h"
#include "drivers/sensor/claimed_frame.h"

namespace datum {

/// Why a frame can't be trusted after all: told by the loop while the worker may be measuring it.
class LateFault {
 public:
  void tell(const std::string& why) {
    const std::lock_guard lock(mutex_);
    if (why_.empty()) why_ = why;
  }
  std::string why() const {
    const std::lock_guard lock(mutex_);
    return why_;
  }

 private:
  mutable std::mutex mutex_;
  std::string why_;
};

/// One snapshot of a part or board, with what it was paired with.
struct TakenSnapshot {
  ClaimedFrame claim;
  DroppedFrame frame;
  std::optional<PairingResult> pairing;  // with a CMM
  std::optional<FrameAge> age;
  std::size_t number = 0;  // of its pose
};

/// A snapshot of a board that can't be used, or did not come; the others are measured.
struct LostSnapshot {
  std::size_t number = 0;             // of its pose
  std::optional<ClaimedFrame> claim;  // of what came
  Pose pose;
  std::string why;
};

/// What an order to measure one board, or one part by its snapshots, holds. Shared by the loop and the worker; each field has one writer at
/// a time.
struct BoardOrder {
  ~BoardOrder();

  std::uint64_t number = 0;  // of the boards that were begun
  std::shared_ptr<const Recipe> recipe;
  std::shared_ptr<const std::string> recipe_text;                     // of its file; null: it is gone
  std::shared_ptr<const Calibration> calibration;                     // null in sensor coordinates
  std::shared_ptr<const std::vector<Calibration>> head_calibrations;  // of positions of a rotary head
  const SensorProfile* sensor = nullptr;
  BoardMeasurer* measurer = nullptr;
  DistanceFinder* finder = nullptr;
  FacetMatcher* matcher = nullptr;
  AreaSharer* sharer = nullptr;
  SurfaceComparer* comparer = nullptr;
  Diffuser* diffuser = nullptr;
  SystemInverter* inverter = nullptr;
  Correlator* correlator = nullptr;
  const CodeReader* codes = nullptr;  // of [serial.code]; null: nobody reads them
  const ControllerWatch* controller = nullptr;
  std::shared_ptr<BoardPlanner> planner;  // the worker may outlive the cell
  unsigned threads = 0;                   // of the host's own work
  std::optional<TemperatureReading> temperature;
  std::int64_t temperature_max_age_s = 0;
  std::string unit;
  MonotonicNs unit_told_ns = 0;
  bool unit_stated = false;            // since the trigger before: of snapshots, for each anew
  std::string unit_by, unit_read_hex;  // as SerialEvidence
  std::string unit_repair;             // what a host says was done since its last attempt
  std::string unit_doubt;              // why the number may be another board's: then unit is empty
  StatedBoards panel_serials;          // of a panel's boards, by a host
  MonotonicNs triggered_ns = 0;
  MonotonicNs frame_due_ns = 0;
  Reason reason = Reason::none;  // why it is INVALID without being measured
  std::string detail;

  std::optional<ClaimedFrame> claim;
  std::optional<DroppedFrame> frame;
  std::shared_ptr<FrameBuffers> buffers;  // where the frame's memory came from
  std::optional<FrameIdentity>
      not_shown;                        // the frame's, where its stated sum differs: as if it was never read
  std::string frame_error;              // why the delivery can't be read, or not be measured
  Reason frame_reason = Reason::frame;  // of that
  std::string
      left_over_fault;       // why one that was in work when datumd ended can't be measured as it was claimed
  MonotonicNs taken_ns = 0;  // the delivery
  std::optional<FrameAge> age;
  bool loading = false;
  Reason passed_over = Reason::none;  // why a frame that came since the trigger is not its own
  std::string passed_over_why;
  std::vector<TakenSnapshot> taken;  // of a part, or a board of several snapshots, all that have come so far
  std::vector<LostSnapshot> lost;    // of a board of several snapshots
  std::vector<HoleEvidence> holes;   // of a part whose recipe has holes, once they were touched
  std::shared_ptr<SurfaceModels> models;  // the worker may outlive the cell
  SurfaceInspection part;                 // compared; what its picture and files are made of
  std::optional<PairingResult> pairing;   // with a CMM

  std::optional<ReferenceEvidence> reference;  // as of its conclusion; none: the cell has no reference checks
  std::int64_t latest_utc_ns = 0;              // that the clock ever said; see UtcWatch
  std::atomic<bool> aborted{false};            // set by the loop, obeyed before the store
  LateFault late_fault;                        // the same

  BoardTimes times;  // loop and worker take turns
  BoardVerdict verdict;
  bool stored = false;
  std::string store_error;
  std::optional<StoreError::Kind> store_error_kind;
};

/// 1700000000123456789 -> "2023-11-14T22:13:20.123456Z".
std::string iso8601(std::int64_t utc_ns);

/// The pairing as it stands in a verdict. `none`: no CMM is configured.
Pose pose_of(const std::optional<PairingResult>& pairing);

/// Reads the claimed delivery into the order; beside it its claim's record must be synchronised (sync_claim_record). Of a
/// board, the sum that its sidecar states may be computed still (DroppedFrame::sum). Never throws.
void load(BoardOrder& order);

/// Gives what was read for `read` to another board.
void pass_on(BoardOrder& read, BoardOrder& board);

/// Waits for that sum. Where it differs, order.not_shown and order.frame_error say so; the frame stays, since the loop may look at
/// it. Never throws.
void settle_sum(BoardOrder& order);

/// Reason of a pairing that was not accepted.
Reason reason_of(PairFault fault);

/// Inspects. Without a readable frame, or with order.reason, the result is INVALID. Never throws; a fault of datumd's own stands
/// in store_error.
void measure(BoardOrder& order, std::int64_t utc_ns);

/// Stores the measured boards in this order, all or none; an aborted one may be stored still. False: none, and each has the store's
/// error. Never throws.
bool store_results(const std::vector<BoardOrder*>& boards, ResultStore& store);

/// Writes the board's picture; a failure is logged, the result stands.
void draw(const BoardOrder& order, const std::filesystem::path& file, const LogSink& log);

}  // namespace datum
