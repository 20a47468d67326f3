#include "daemon/ctl/status_text.h"

#include <fmt/format.h>

#include <cstdlib>
#include <utility>

#include "daemon/inspection/verdict/verdict_table.h"
#include "daemon/instrument/instrument.h"

namespace datum {
namespace {

using Names = std::vector<std::pair<unsigned, const char*>>;

std::vector<std::string> words_of(unsigned bits, const Names& names) {
  std::vector<std::string> words;
  for (const auto& [bit, name] : names) {
    if (bits & bit) words.emplace_back(name);
    bits &= ~bit;
  }
  if (bits) words.push_back(fmt::format("bits {}", bits));  // of a newer datumd
  return words;
}

}  // namespace

std::vector<std::string> operation_text(unsigned bits) {
  static const Names names{
      {operation_calibrating, "calibrating"},     {operation_sweeping, "acquiring"},
      {operation_measuring, "measuring"},         {operation_waiting_trigger, "waiting for trigger"},
      {operation_recipe_chosen, "recipe chosen"}, {operation_cmm_link, "CMM link up"},
      {operation_sensor_link, "sensor link up"}};
  return words_of(bits, names);
}

std::vector<std::string> questionable_text(unsigned bits) {
  static const Names names{{questionable_calibration, "calibration"},
                           {questionable_pose, "pose"},
                           {questionable_floor, "floor"},
                           {questionable_frame, "frame"}};
  return words_of(bits, names);
}

std::string span_text(std::int64_t seconds) {
  constexpr std::int64_t minute = 60, hour = 60 * minute, day = 24 * hour;
  const std::int64_t s = std::abs(seconds);
  const std::string span = s >= 2 * day      ? fmt::format("{} days", s / day)
                           : s >= 2 * hour   ? fmt::format("{} h", s / hour)
                           : s >= 2 * minute ? fmt::format("{} min", s / minute)
                                             : fmt::format("{} s", s);
  return seconds < 0 ? span + " ago" : "in " + span;
}

Ink ink_of_decision(const std::string& name) {
  for (const auto d : {Decision::pass, Decision::inconclusive, Decision::fail, Decision::invalid})
    if (name == name_of(d)) return ink_of(d);
  return Ink::plain;
}

}  // namespace datum
