#include "daemon/cell/board.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <utility>

#include "daemon/cell/board_serial.h"
#include "daemon/cell/panel_serials.h"
#include "daemon/inspection/board/pipeline_alignment.h"
#include "daemon/inspection/board/pipeline_snapshots.h"
#include "daemon/inspection/surface/surface_recipe.h"
#include "daemon/pictures/part_files.h"
#include "daemon/pictures/picture.h"
#include "daemon/pictures/snapshot_pictures.h"
#include "daemon/system/event_loop.h"
#include "daemon/version/version.h"
#include "drivers/frame/bounded_text.h"
#include "drivers/frame/frame_error.h"

namespace datum {

Reason reason_of(PairFault fault) {
  switch (fault) {
    case PairFault::none:
      return Reason::none;
    case PairFault::missing:
      return Reason::pose_missing;
    case PairFault::stale:
      return Reason::pose_stale;
    case PairFault::moved:
      return Reason::pose_moved;
    case PairFault::error:
      return Reason::pose_error;
  }
  return Reason::internal;
}

namespace {

/// A board of which nothing could be measured still has a result that names what it was measured with.
BoardVerdict invalid_verdict(const BoardOrder& order, const InspectionInputs& inputs) {
  BoardVerdict v;
  v.decision = Decision::invalid;
  v.reason = order.reason;
  v.detail = bounded_text(order.detail);
  v.measured_at = inputs.measured_at;
  v.unit_id = order.unit;
  v.recipe = order.recipe->name;
  v.recipe_sha256 = order.recipe->sha256;
  v.calibration = order.calibration ? order.calibration->id : "none";
  v.calibration_sha256 = order.calibration ? order.calibration->sha256 : "";
  if (order.calibration && order.calibration->head) v.calibration_head = order.calibration->head->name;
  v.sensor_serial = order.sensor->serial;
  v.sensor_profile_sha256 = order.sensor->sha256;
  if (order.frame && !order.not_shown) {
    const HeightFrame& frame = order.frame->frame;
    v.frame_id = frame.frame_id;
    v.frame_source = frame.source;
    v.frame_sha256 = frame.content_sha256;
    v.captured = frame.captured;
    v.stamp = frame.stamp;
    v.stages = frame.stages;
  } else if (order.claim) {
    v.frame_id = order.claim->stem();
    v.frame_source = order.claim->name();
  }
  v.code = code_id();
  v.backend = order.measurer->describe();
  v.pose = inputs.pose;
  return v;
}

/// A part's snapshots, or those that came.
void measure_part(BoardOrder& order, const InspectionInputs& inputs) {
  std::vector<SurfaceFrame> frames;
  for (const TakenSnapshot& s : order.taken) frames.push_back({&s.frame.frame, pose_of(s.pairing)});
  if (order.reason != Reason::none) {
    order.verdict = refused_surface(frames, inputs, order.reason, order.detail);
    return;
  }
  InspectionInputs in = inputs;
  in.finder = order.finder;
  in.matcher = order.matcher;
  in.sharer = order.sharer;
  in.comparer = order.comparer;
  in.holes = order.holes;
  order.part = inspect_surface(frames, in, *order.models, cpu_backend(order.threads));
  order.verdict = order.part.verdict;
}

/// A board's snapshots, or those that came.
std::vector<BoardSnapshot> snapshots_of(const BoardOrder& order) {
  std::vector<BoardSnapshot> snapshots(order.recipe->snapshots.count(), {nullptr, {}, "it did not come"});
  for (const LostSnapshot& s : order.lost) snapshots[s.number] = {nullptr, s.pose, s.why};
  for (const TakenSnapshot& s : order.taken) snapshots[s.number] = {&s.frame.frame, pose_of(s.pairing), {}};
  return snapshots;
}

void measure_snapshots(BoardOrder& order, const InspectionInputs& inputs) {
  const std::vector<BoardSnapshot> snapshots = snapshots_of(order);
  if (order.reason == Reason::none)
    order.verdict = inspect_snapshots(snapshots, inputs, *order.measurer);
  else
    order.verdict =
        refused_snapshots(snapshots, inputs, order.measurer->describe(), order.reason, order.detail);
}

/// Adds the time since the last step to this one's.
class StepClock {
 public:
  explicit StepClock(BoardTimes& times) : times_(times), since_ns_(times.begun_ns) {}
  void end(InspectionStep step) {
    const MonotonicNs now = EventLoop::now();
    MonotonicNs& duration = step == InspectionStep::plan      ? times_.plan_ns
                            : step == InspectionStep::heights ? times_.heights_ns
                                                              : times_.evidence_ns;
    duration += now - since_ns_;
    since_ns_ = now;
  }

 private:
  BoardTimes& times_;
  MonotonicNs since_ns_;
};

/// Counts the ends of the process while the order's delivery is measured; makes it INVALID where there were two.
std::unique_ptr<DeliveryTry> try_of(BoardOrder& order) {
  const ClaimedFrame* claim = order.claim           ? &*order.claim
                              : order.taken.empty() ? nullptr
                                                    : &order.taken.back().claim;
  if (!claim || order.reason != Reason::none) return nullptr;
  try {
    return std::make_unique<DeliveryTry>(*claim, "measured");
  } catch (const FrameError& error) {
    order.reason = order.frame_reason = Reason::frame;
    order.detail = order.frame_error = error.what();
    return nullptr;
  }
}

/// Takes the calibration of the position of the head where the first frame was taken. Where none fits, the chosen one stays and
/// is refused; so is a snapshot that was taken at another position.
void choose_head(BoardOrder& order) {
  if (!order.calibration || !order.head_calibrations) return;
  const std::optional<PairingResult>& pairing =
      order.taken.empty() ? order.pairing : order.taken.front().pairing;
  if (!pairing || head_refusal(*order.calibration, pairing->after.head_deg).empty()) return;
  for (const Calibration& c : *order.head_calibrations)
    if (head_refusal(c, pairing->after.head_deg).empty())
      order.calibration = std::shared_ptr<const Calibration>(order.head_calibrations, &c);
}

}  // namespace

std::string iso8601(std::int64_t utc_ns) {
  const std::time_t seconds = utc_ns / 1'000'000'000;
  std::tm t{};
  gmtime_r(&seconds, &t);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:06}Z", t.tm_year + 1900, t.tm_mon + 1, t.tm_mday,
                     t.tm_hour, t.tm_min, t.tm_sec, utc_ns % 1'000'000'000 / 1000);
}

Pose pose_of(const std::optional<PairingResult>& pairing) {
  Pose pose;
  if (!pairing) return pose;
  pose.used = true;
  pose.before = pairing->before;
  pose.after = pairing->after;
  pose.moved_um = pairing->moved_um;
  if (pairing->before.state == ProbeState::ok && pairing->after.state == ProbeState::ok)
    pose.pairing = PairingEvidence{PairingClass::stare,
                                   pairing->exposure_known ? ExposureBy::clock : ExposureBy::arrival,
                                   static_cast<double>(pairing->doubt.spread_ns) * 1e-6,
                                   pairing->doubt.speed_um_per_s, pairing->doubt.u_um};
  pose.reason = pairing->accepted ? Reason::none : reason_of(pairing->fault);
  pose.detail = pairing->detail;
  pose.q_mm = pairing->after.position_mm;
  return pose;
}

void load(BoardOrder& order) {
  try {
    order.buffers = order.sensor->reading.buffers;
    // A part's snapshots wait for each other, a frame that is read ahead has the time, and a left-over one may have its result.
    const bool is_board = order.recipe && !order.recipe->takes_snapshots() && !order.claim->left_over;
    order.frame =
        is_board ? read_claim_beside(*order.claim, *order.sensor) : read_claim(*order.claim, *order.sensor);
    order.frame_error = order.claim->doubt;
    if (order.frame_error.empty() && !is_board && order.claim->received)
      order.frame_error = bounded_text(order.claim->received->late_fault());
  } catch (const std::exception& error) {
    order.frame_error = bounded_text(error.what());
  }
  order.times.read_ns = EventLoop::now();
}

void pass_on(BoardOrder& read, BoardOrder& board) {
  board.frame = std::move(read.frame);
  board.buffers = read.buffers;
  board.frame_error = read.frame_error;
  board.times.read_ns = read.times.read_ns;
  if (const std::string why = read.late_fault.why(); !why.empty()) board.late_fault.tell(why);
}

void settle_sum(BoardOrder& order) {
  if (!order.frame || !order.frame->sum) return;
  try {
    std::exchange(order.frame->sum, nullptr)->check();
  } catch (const std::exception& error) {
    order.frame_reason = Reason::frame;
    order.frame_error = bounded_text(error.what());
    order.not_shown = order.frame->identity;
  }
}

BoardOrder::~BoardOrder() {
  if (!buffers) return;
  if (frame) buffers->give(std::move(frame->frame));
  for (TakenSnapshot& s : taken) buffers->give(std::move(s.frame.frame));
}

void measure(BoardOrder& order, std::int64_t utc_ns) {
  try {
    order.times.begun_ns = EventLoop::now();
    order.times.plan_ns = order.times.heights_ns = order.times.evidence_ns = 0;
    StepClock clock(order.times);
    std::unique_ptr<DeliveryTry> attempt = try_of(order);
    choose_head(order);
    InspectionInputs inputs;
    inputs.recipe = order.recipe.get();
    inputs.sensor = order.sensor;
    inputs.calibration = order.calibration.get();
    inputs.pose = pose_of(order.pairing);
    inputs.measured_at = iso8601(utc_ns);
    inputs.now_utc_s = std::max(utc_ns, order.latest_utc_ns) / 1'000'000'000;
    inputs.temperature = order.temperature;
    inputs.temperature_max_age_s = order.temperature_max_age_s;
    settle_stated_serial(order);
    if (!order.recipe->code) settle_missing_serial(order);
    settle_panel_serials(order);
    std::future<CodeFinding> code;
    std::future<std::vector<CodeFinding>> codes;
    const auto look_at_codes = [&](const BoardVerdict& measured) {
      code = look_at_code(order, inputs, measured.stages);
      codes = look_at_panel_codes(order, inputs, measured.boards);
    };
    if (!order.recipe->alignment) look_at_codes({});  // beside the measurement
    inputs.unit_id = order.unit;
    inputs.diffuser = order.diffuser;
    inputs.inverter = order.inverter;
    inputs.correlator = order.correlator;
    inputs.threads = order.threads;
    inputs.planner = order.planner.get();
    inputs.step_ended = [&clock](InspectionStep step) { clock.end(step); };
    const auto without_measuring = [&] {
      if (order.recipe->surface)
        measure_part(order, inputs);
      else if (order.recipe->is_board_of_snapshots())
        measure_snapshots(order, inputs);
      else
        order.verdict = invalid_verdict(order, inputs);
    };
    if (order.recipe->surface)
      measure_part(order, inputs);
    else if (order.recipe->is_board_of_snapshots())
      measure_snapshots(order, inputs);
    else if (order.reason == Reason::none && order.frame)
      order.verdict = inspect(order.frame->frame, inputs, *order.measurer);
    else
      without_measuring();
    if (order.recipe->alignment) look_at_codes(order.verdict);  // where the board was found
    if (settle_sum(order); order.not_shown) {
      order.reason = order.frame_reason;
      order.detail = order.frame_error;
      order.age.reset();
      without_measuring();
    }
    if (order.recipe->code) {
      const bool measured = order.reason == Reason::none;
      if (code.valid()) settle_code(order, code.get());
      settle_missing_serial(order);
      if (measured && order.reason != Reason::none) without_measuring();
      order.verdict.unit_id = order.unit;
    }
    settle_board_numbers(order, codes.valid() ? codes.get() : std::vector<CodeFinding>{});
    if (order.claim && order.claim->received) order.late_fault.tell(order.claim->received->late_fault());
    if (const std::string why = order.late_fault.why(); !why.empty() && order.reason == Reason::none) {
      order.reason = Reason::frame;
      order.detail = why;
      without_measuring();
    }
    order.verdict.frame_age = order.age;
    order.verdict.reference = order.reference;
    if (order.recipe->without_serial) order.verdict.serial = serial_evidence(order);
    if (order.controller) order.verdict.controller = order.controller->newest();
    order.times.measured_ns = EventLoop::now();
  } catch (const std::exception& error) {
    order.store_error = error.what();
  }
}

bool store_results(const std::vector<BoardOrder*>& boards, ResultStore& store) {
  const auto fail = [&](const std::string& what, std::optional<StoreError::Kind> kind) {
    for (BoardOrder* board : boards) {
      board->store_error = what;
      board->store_error_kind = kind;
    }
    return false;
  };
  try {
    std::vector<BoardVerdict*> verdicts;
    std::vector<RecipeText> recipes;
    for (BoardOrder* board : boards) {
      verdicts.push_back(&board->verdict);
      recipes.push_back({board->verdict.recipe_sha256, board->verdict.recipe, board->recipe_text});
    }
    store.store(verdicts, recipes);
  } catch (const StoreError& error) {
    return fail(error.what(), error.kind());
  } catch (const std::exception& error) {
    return fail(error.what(), std::nullopt);
  }
  for (BoardOrder* board : boards) {
    board->times.stored_ns = EventLoop::now();
    board->stored = true;
  }
  return true;
}

void draw(const BoardOrder& order, const std::filesystem::path& file, const LogSink& log) {
  try {
    if (const SurfaceInspection& part = order.part; part.map) {
      write_part_files(file, *order.recipe->surface, *part.map, part.cover, part.facets.get(), order.verdict);
      return;
    }
    InspectionInputs inputs;
    inputs.recipe = order.recipe.get();
    inputs.calibration = order.calibration.get();
    if (order.recipe->is_board_of_snapshots()) {
      write_snapshot_pictures(file, snapshots_of(order), inputs, order.verdict);
      return;
    }
    inputs.pose = pose_of(order.pairing);
    const auto stretched = stretched_recipe(*order.recipe, order.verdict.stages);
    write_picture(file, order.frame->frame, stretched ? *stretched : *order.recipe, order.verdict,
                  moved(board_from_sensor(inputs), order.verdict.stages).inverse());
  } catch (const std::exception& error) {
    log(4, fmt::format("no picture {}: {}", file.string(), error.what()));
  }
}

}  // namespace datum
