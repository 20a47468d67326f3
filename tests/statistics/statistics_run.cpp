#include "tests/statistics/statistics_run.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

#include "tests/statistics/statistics_hole.h"
#include "tests/statistics/statistics_measure.h"
#include "tests/statistics/statistics_real.h"
#include "tests/statistics/statistics_warp.h"

namespace datum::statistics {
namespace {

/// True: each frame is equal, and counts once.
bool drawn_once(const Row& row) { return row.real == Real::left_dies || row.real == Real::right_dies; }

/// Frames are independent: threads process them in any order; sums are formed in the order of frames.
std::vector<Tallies> measure_frames(const Cells* cells, std::size_t count, const Plan& plan) {
  const auto frames = static_cast<std::size_t>(plan.frames);
  std::vector<Tallies> results(count * frames);
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::mutex mutex;
  const auto work = [&] {
    try {
      for (std::size_t task; (task = next++) < results.size();) {
        const Cells& c = cells[task / frames];
        const std::uint64_t seed = plan.seed * 1000003 + task % frames;
        if (drawn_once(c.row) && task % frames > 0) continue;
        results[task] =
            c.row.real == Real::none ? measure_frame(c.row, c.body, seed) : measure_real_frame(c.row, seed);
      }
    } catch (...) {
      const std::lock_guard lock(mutex);
      failure = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  for (unsigned i = 1; i < plan.threads; ++i) others.emplace_back(work);
  work();
  for (std::thread& t : others) t.join();
  if (failure) std::rethrow_exception(failure);
  return results;
}

}  // namespace

Tallies measure_frame(const Row& row, const Body& body, std::uint64_t seed) {
  if (row.warp != WarpForm::none) return measure_warp_frame(row, seed);
  if (row.chamfer_mm) return measure_hole_frame(row, seed);
  const Scene scene = draw_scene(row, body, seed);
  Tallies tallies;
  std::vector<Column> columns{Column::mean};
  if (row.production) {
    columns = {Column::mean, Column::median};
  } else if (!row.floors) {
    columns = {Column::mean,    Column::median, Column::percentile,
               Column::maximum, Column::tilt,   Column::presence};
  }
  if (!row.bowed) measure(scene, columns, FloorForm::plane, tallies);
  columns.front() = Column::quadratic;
  if (!row.bowed) columns.resize(1);
  measure(scene, columns, FloorForm::quadratic, tallies);
  return tallies;
}

void run(const Plan& plan, const std::function<void(const Cells&)>& done) {
  std::vector<Cells> cells;
  for (const Row& row : plan.rows)
    for (const Body& body : plan.bodies)
      if (row.warp != WarpForm::none || row.chamfer_mm) {
        if (&body == &plan.bodies.front())
          cells.push_back({row, row.chamfer_mm ? drilled_plate() : bare_board(), {}});
      } else if (row.real != Real::none) {
        if (&body == &plan.bodies.front() && real_board_is_here()) cells.push_back({row, real_die(), {}});
      } else if (!row.floors || std::string(body.name) == "0805") {
        cells.push_back({row, body, {}});
      }
  const std::size_t batch =
      std::max<std::size_t>(1, plan.threads);  // number of cells whose frame results are kept
  const auto frames = static_cast<std::size_t>(plan.frames);
  for (std::size_t first = 0; first < cells.size(); first += batch) {
    const std::size_t here = std::min(batch, cells.size() - first);
    const std::vector<Tallies> results = measure_frames(&cells[first], here, plan);
    for (std::size_t i = 0; i < here; ++i) {
      Cells& c = cells[first + i];
      for (std::size_t f = 0; f < frames; ++f)
        for (std::size_t k = 0; k < column_count; ++k) c.tallies[k] += results[i * frames + f][k];
      done(c);
    }
  }
}

}  // namespace datum::statistics
