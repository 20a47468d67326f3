#include "daemon/modbus/window.h"

#include <algorithm>
#include <cmath>

#include "daemon/delivery/result_line.h"
#include "daemon/modbus/codes.h"
#include "daemon/modbus/registers.h"

namespace datum::modbus {
namespace {

std::uint16_t counted(std::size_t n) { return static_cast<std::uint16_t>(std::min<std::size_t>(n, 65535)); }

/// True: the reference was truncated.
bool put_row(Words words, std::size_t row, const std::string& reference, const CheckVerdict& check) {
  const Words to = words.subspan(in_first_row + row * row_size, row_size);
  const bool whole = put_text(to, of_reference, reference_text, reference);
  to[of_characteristic] = code_of(check.check.characteristic);
  to[of_decision] = code_of(check.decision);
  to[of_result_code] = code_of(check.reason);
  to[of_measure] = measure_code_of(check.check.characteristic);
  if (check.decision == Decision::invalid || !std::isfinite(check.value)) return !whole;
  const double expanded = 2 * check.u;
  put_f32(to, of_value, static_cast<float>(check.value));
  put_f32(to, of_expanded, static_cast<float>(expanded));
  put_i32(to, of_value_milli, milli(check.value));
  put_i32(to, of_expanded_milli, milli(expanded));
  return !whole;
}

void put_head(Words words, const BoardVerdict& v) {
  words[in_shown] = 1;
  put_u64(words, in_sequence, v.sequence);
  words[in_decision] = code_of(v.decision);
  words[in_result_code] = code_of(reason_of(v));
  put_u64(words, in_time, static_cast<std::uint64_t>(utc_us_from_iso8601(v.measured_at)));
  words[in_components] = counted(v.components.size());
  const auto of = [&](Decision d) {
    return counted(std::count_if(v.components.begin(), v.components.end(),
                                 [d](const ComponentVerdict& c) { return c.decision == d; }));
  };
  words[in_components_pass] = of(Decision::pass);
  words[in_components_inconclusive] = of(Decision::inconclusive);
  words[in_components_fail] = of(Decision::fail);
  words[in_components_invalid] = of(Decision::invalid);
  unsigned cut = put_text(words, in_unit, long_text, v.unit_id) ? 0 : truncated_unit;
  if (!put_text(words, in_job, long_text, v.recipe)) cut |= truncated_job;
  if (!put_text(words, in_frame, 40, v.frame_id)) cut |= truncated_frame;
  words[in_truncated] = static_cast<std::uint16_t>(cut);
}

}  // namespace

Reason reason_of(const BoardVerdict& verdict) {
  if (verdict.decision != Decision::invalid || verdict.reason != Reason::none) return verdict.reason;
  for (const ComponentVerdict& component : verdict.components)
    for (const CheckVerdict& check : component.checks)
      if (check.decision == Decision::invalid) return check.reason;
  return Reason::internal;
}

std::shared_ptr<const Window> window_of(const BoardVerdict& verdict, std::uint16_t result_id) {
  Window words = *empty_window();
  put_head(words, verdict);
  words[in_result_id] = result_id;
  std::size_t checks = 0;
  for (const ComponentVerdict& component : verdict.components)
    for (const CheckVerdict& check : component.checks) {
      if (checks < most_rows && put_row(words, checks, component.reference, check))
        words[in_truncated] |= truncated_reference;
      ++checks;
    }
  words[in_checks] = counted(checks);
  words[in_rows] = counted(std::min<std::size_t>(checks, most_rows));
  if (checks > most_rows) words[in_truncated] |= truncated_rows;
  return std::make_shared<const Window>(std::move(words));
}

}  // namespace datum::modbus
