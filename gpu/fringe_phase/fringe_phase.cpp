#include "gpu/fringe_phase/fringe_phase.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "gpu/core/isa_table.h"
#include "gpu/core/parallel_for.h"
#include "gpu/fringe_phase/fringe_check.h"
#include "gpu/fringe_phase/fringe_phase_kernels.h"
#include "gpu/fringe_phase/unwrap_plan.h"

namespace datum {

const char* name_of(FringeClass c) {
  switch (c) {
    case FringeClass::ok:
      return "OK";
    case FringeClass::saturated:
      return "SATURATED";
    case FringeClass::low_modulation:
      return "LOW MODULATION";
    case FringeClass::unwrap:
      return "UNWRAP";
    case FringeClass::out_of_range:
      return "OUT OF RANGE";
  }
  return "UNKNOWN";
}

namespace fringe {
namespace {

/// cos(2 pi quarter_turns / 4 of N), exactly 0, 1 and -1 where it is.
float wave(std::uint32_t k, std::uint32_t steps, bool sine) {
  const std::uint32_t quarters = 4 * (k % steps);
  if (quarters % steps == 0) {
    constexpr float cosines[4] = {1, 0, -1, 0}, sines[4] = {0, 1, 0, -1};
    const float* of_quarter =
        sine ? sines : cosines;  // GCC 13's checks lose `steps` where both are one expression
    return of_quarter[quarters / steps];
  }
  const double angle = 2 * M_PI * k / steps;
  return static_cast<float>(sine ? std::sin(angle) : std::cos(angle));
}

void set_weights(const FringePattern& pattern, const std::uint32_t* order, Job* job) {
  const double n = job->steps;
  double sum = 0;
  for (std::uint32_t i = 0; i < job->periods; ++i) {
    job->period[i] = pattern.period_px[order[i]];
    job->per_px[i] = 1 / job->period[i];
    sum += 1 / (static_cast<double>(job->period[i]) * job->period[i]);
  }
  for (std::uint32_t i = 0; i < job->periods;
       ++i) {  // the phases' noise is equal, so a column's is as its period
    const double period = job->period[i], weight = 1 / (period * period) / sum;
    job->weight[i] = static_cast<float>(weight);
    job->variance[i] = static_cast<float>(weight * weight * period * period * n / (8 * M_PI * M_PI));
  }
}

}  // namespace

Job job_of(const FringePattern& pattern, const FringeLimits& limits, const HeightModel* model,
           std::uint32_t* order) {
  Job job{};
  const double n = pattern.steps;
  job.steps = pattern.steps;
  job.periods = pattern.periods;
  std::iota(order, order + pattern.periods, 0u);
  std::sort(order, order + pattern.periods,
            [&](std::uint32_t a, std::uint32_t b) { return pattern.period_px[a] < pattern.period_px[b]; });
  for (std::uint32_t k = 0; k < pattern.steps; ++k) {
    job.cosine[k] = wave(k, pattern.steps, false);
    job.sine[k] = 0 - pattern.direction * wave(k, pattern.steps, true);
  }
  job.maximum = limits.camera_maximum;
  const double least = limits.min_modulation * n / 2;
  job.least_power = static_cast<float>(least * least);
  job.zero = pattern.zero_turns;
  job.per_step = static_cast<float>(1 / n);
  job.two_per_step = static_cast<float>(2 / n);
  job.per_freedom = pattern.steps > 3 ? static_cast<float>(1 / (n - 3)) : 0.f;
  set_weights(pattern, order, &job);
  for (std::uint32_t i = 0; i < job.periods; ++i)
    job.agree[i] = limits.agreement_px * job.period[i] / job.period[0];
  job.noise = limits.noise_grey * limits.noise_grey;
  job.noise_per_sum = static_cast<float>(limits.noise_per_grey / n);
  const UnwrapPlan plan = plan_unwrapping(pattern, limits.agreement_px);
  job.levels = plan.levels;
  for (std::uint32_t l = 0; l < plan.levels; ++l) {
    job.level[l].period = plan.level[l].period_px;
    job.level[l].per_px = plan.level[l].per_px;
    for (std::uint32_t i = 0; i < job.periods; ++i) job.level[l].factor[i] = plan.level[l].factor[order[i]];
  }
  job.middle = pattern.width_px / 2;
  job.half_width = plan.edge_px > 0 ? static_cast<float>(pattern.width_px / 2.0 - plan.edge_px)
                                    : pattern.width_px / 2 + limits.agreement_px;
  job.counts_per_um = model ? 1 / model->lsb_um : 0;
  return job;
}

namespace {

/// The nodes of one image row, each cell's left end and what is added to reach the right one.
void expand(const HeightModel& model, std::uint32_t row, std::vector<float>* cells) {
  for (std::uint32_t i = 0; i < 8; ++i) {
    float left = coefficient_of_row(model, row, 0, i);
    for (std::uint32_t col = 0; col + 1 < model.columns; ++col) {
      const float right = coefficient_of_row(model, row, col + 1, i);
      (*cells)[16 * col + i] = left;
      (*cells)[16 * col + 8 + i] = right - left;
      left = right;
    }
  }
}

}  // namespace
}  // namespace fringe

void demodulate(const FringeImages& images, const FringePattern& pattern, const FringeLimits& limits,
                const HeightModel* model, const Backend& backend, const FringeMaps& maps) {
  using namespace fringe;
  check(pattern);
  check(limits, images.type);
  check_images(images, pattern);
  check_maps(images, pattern, model, maps);
  std::uint32_t order[most_periods];
  const Job job = job_of(pattern, limits, model, order);
  const MeasureRow measure = measure_row_of(backend.isa);
  std::vector<const void*> sorted;
  for (std::uint32_t i = 0; i < pattern.periods; ++i)
    for (std::uint32_t k = 0; k < pattern.steps; ++k)
      sorted.push_back(images.images[order[i] * pattern.steps + k]);
  const Rows rows{&job, sorted.data(), images.type, images.width, maps};
  std::vector<std::vector<float>> cells(std::max(1u, backend.threads));
  parallel_for(backend.threads, images.height, [&](std::size_t row, unsigned slot) {
    RowCells row_cells;
    if (model) {
      cells[slot].resize(16 * std::size_t{model->columns});
      expand(*model, static_cast<std::uint32_t>(row), &cells[slot]);
      row_cells = {cells[slot].data(), static_cast<std::uint32_t>(__builtin_ctz(model->cell_px))};
    }
    measure(rows, static_cast<std::uint32_t>(row), row_cells);
  });
}

namespace fringe {

extern const MeasureRow measure_row_scalar, measure_row_avx2, measure_row_avx512, measure_row_neon;

MeasureRow measure_row_of(Isa isa) {
  return loops_of<MeasureRow>(isa, DATUM_ISA_TABLE(measure_row), "fringes");
}

}  // namespace fringe
}  // namespace datum
