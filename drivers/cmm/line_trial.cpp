#include "drivers/cmm/line_trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace datum {
namespace {

constexpr std::size_t most_labels = 16;  // limit of remembered labels: a line of noise has many

// As if the device sent unsolicited; its lines are the same when polled.
CmmSettings unasked(CmmSettings settings) {
  settings.poll.strings.clear();
  settings.poll.accepted.reset();
  settings.poll.rejected.reset();
  return settings;
}

std::vector<std::string> fill_in(CmmSettings& settings) {
  std::vector<std::string> left;
  if (settings.number.pointless && !settings.number.implied_decimals) {
    settings.number.implied_decimals = 0;
    left.emplace_back(
        "the device sends no decimal point: state number.implied_decimals as set at the device");
  }
  bool measured[3] = {false, false, false};
  for (const AxisSettings& axis : settings.axes)
    if (axis.moves_stage()) measured[axis.machine_axis] = true;
  for (std::size_t i = 0; i < 3; ++i) {
    if (measured[i] || settings.fixed_mm[i]) continue;
    settings.fixed_mm[i] = 0;
    left.push_back(fmt::format("the device does not measure {0}: state fixed_{1}_mm", "XYZ"[i], "xyz"[i]));
  }
  return left;
}

}  // namespace

LineTrial::LineTrial(CmmSettings settings)
    : settings_(std::move(settings)),
      left_to_the_cell_(fill_in(settings_)),
      framer_(settings_.framing, settings_.integrity),
      reader_(settings_),
      codec_(unasked(settings_)) {
  framer_.reset(false);
  // The first line of an answer is complete, but the codec would treat it as the rest of one.
  const std::string& end = settings_.framing.terminator;
  if (!settings_.poll.strings.empty())
    codec_.receive(reinterpret_cast<const std::uint8_t*>(end.data()), end.size(), 0);
}

void LineTrial::receive(std::string_view bytes, MonotonicNs at) {
  bytes_ += bytes.size();
  for (const char c : bytes)
    if (const auto line = framer_.push(static_cast<std::uint8_t>(c), at)) take(*line);
  codec_.receive(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(), at);
  pause(at);
}

void LineTrial::pause(MonotonicNs now) {
  if (const auto line = framer_.pause(now)) take(*line);
  codec_.pause(now);
  while (const auto point = codec_.next())
    point->state == ProbeState::ok ? void(++positions_) : note(point->state, point->detail);
}

void LineTrial::take(const Line& line) {
  TriedLine tried{line.text, reader_.read(line), line.last_byte_ns};
  ++lines_;
  if (!tried.reading.values.empty()) ++read_;
  for (const auto& [axis, value] : tried.reading.values) axes_seen_.insert(axis);
  if (!tried.reading.unknown_label.empty() && unknown_labels_.size() < most_labels)
    unknown_labels_.insert(tried.reading.unknown_label);
  fresh_.push_back(std::move(tried));
}

std::vector<TriedLine> LineTrial::take_lines() { return std::exchange(fresh_, {}); }

void LineTrial::note(ProbeState state, const std::string& detail) {
  Fault& fault = faults_[state];
  if (fault.count++ == 0) fault.first = detail;
}

std::vector<std::string> LineTrial::axis_needs() const {
  std::vector<std::string> needs;
  for (const std::string& label : unknown_labels_)
    needs.push_back(
        fmt::format("label {} is on the line and no axis: give it a [[cmm.axis]] (machine_axis = \"none\": "
                    "read and not used)",
                    in_quotes(label)));
  const bool told_apart = settings_.grouping == Grouping::by_label || settings_.layout == Layout::labelled;
  if (!told_apart || axes_seen_.empty() || axes_seen_.size() == settings_.axes.size()) return needs;
  std::string missing;
  for (std::size_t i = 0; i < settings_.axes.size(); ++i)
    if (axes_seen_.count(i) == 0) missing += (missing.empty() ? "" : ", ") + settings_.axes[i].label;
  needs.push_back(
      fmt::format("{} of {} axes came, label {} did not: list the axes that the device has as "
                  "[[cmm.axis]], and where the others stand (fixed_x_mm ...)",
                  axes_seen_.size(), settings_.axes.size(), missing));
  return needs;
}

std::vector<std::string> LineTrial::needs() const {
  std::vector<std::string> needs;
  if (bytes_ == 0) {
    needs.emplace_back(settings_.poll.strings.empty()
                           ? "nothing came: the device's output switched on? Cable, address?"
                           : "nothing came: it must be polled; or cable, address, line settings?");
    return needs;
  }
  if (lines_ == 0)
    needs.push_back(
        fmt::format("{} bytes without an end of line: framing.terminator, or the line settings?", bytes_));
  const std::vector<std::string> axes = axis_needs();
  needs.insert(needs.end(), axes.begin(), axes.end());
  if (const auto unit = faults_.find(ProbeState::wrong_unit); unit != faults_.end())
    needs.push_back("unit and number.decimals as the display is set: " + unit->second.first);
  for (const auto& [state, fault] : faults_) {
    if (state == ProbeState::malformed && read_ == 0)
      needs.push_back("another preset, or line settings: " + fault.first);
    if (state == ProbeState::not_referenced) needs.push_back("a referenced machine: " + fault.first);
  }
  needs.insert(needs.end(), left_to_the_cell_.begin(), left_to_the_cell_.end());
  return needs;
}

std::vector<const LineTrial*> ranked(const std::vector<LineTrial>& trials) {
  std::vector<const LineTrial*> order;
  for (const LineTrial& trial : trials) order.push_back(&trial);
  std::stable_sort(order.begin(), order.end(), [](const LineTrial* a, const LineTrial* b) {
    return std::pair(a->positions(), a->read()) > std::pair(b->positions(), b->read());
  });
  return order;
}

}  // namespace datum
