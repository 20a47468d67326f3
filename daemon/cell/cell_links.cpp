#include "daemon/cell/cell_links.h"

#include <utility>

#include "daemon/controller/controller_text.h"
#include "daemon/instrument/instrument.h"
#include "daemon/instrument/scpi_error.h"
#include "daemon/system/event_loop.h"

namespace datum {

void CellLinks::add(const Pollable& link, const LinkStatusProvider* status_provider) {
  links_.push_back(&link);
  status_providers_.push_back(status_provider);
}

void CellLinks::watch_cmm(const ProbePoint& sample) {
  const bool up = sample.state != ProbeState::link_down;
  if (up == std::exchange(cmm_up_, up)) return;
  const std::string text = cmm_->describe();
  if (up)
    events_.log(5, text, {Event::link_back, {{"DATUM_LINK", "cmm"}}});
  else
    events_.raise(scpi::hardware_missing, text,
                  {Event::link_lost, {{"DATUM_LINK", "cmm"}, {"DATUM_REASON", text}}});
  events_.changed();
}

std::string CellLinks::watch_sensor() {
  for (const std::string& warning : frames_.take_warnings()) events_.log(4, warning);
  std::string fault = frames_.take_fault();
  const std::string refusal = frames_.refusal();
  if (refusal == std::exchange(sensor_refusal_, refusal)) return fault;
  if (refusal.empty())
    events_.log(5, frames_.describe(), {Event::link_back, {{"DATUM_LINK", "sensor"}}});
  else
    events_.raise(scpi::hardware_missing, refusal,
                  {Event::link_lost, {{"DATUM_LINK", "sensor"}, {"DATUM_REASON", refusal}}});
  events_.changed();
  return fault;
}

void CellLinks::log_cmm_notes() const {
  if (!cmm_) return;
  for (const std::string& note : cmm_->take_notes()) events_.log(5, "cmm: " + note);
}

std::optional<ProbePoint> CellLinks::position() const {
  return cmm_ ? std::optional(cmm_->latest(EventLoop::now())) : std::nullopt;
}

bool CellLinks::cmm_is_down() const {
  return cmm_ && cmm_->latest(EventLoop::now()).state == ProbeState::link_down;
}

std::vector<std::string> CellLinks::faults() const {
  std::vector<std::string> faults;
  if (std::string why = frames_.refusal(); !why.empty()) faults.push_back(std::move(why));
  if (cmm_is_down()) faults.push_back(cmm_->describe());
  return faults;
}

void CellLinks::demand_up() const {
  if (const auto down = faults(); !down.empty()) throw scpi::Error(scpi::hardware_missing, down.front());
}

unsigned CellLinks::condition() const {
  unsigned bits = 0;
  if (cmm_ && !cmm_is_down()) bits |= operation_cmm_link;
  if (frames_.refusal().empty()) bits |= operation_sensor_link;
  return bits;
}

CmmSource& CellLinks::demand_cmm() const {
  if (!cmm_) throw scpi::Error(scpi::hardware_missing, "no CMM is configured");
  return *cmm_;
}

std::vector<std::string> CellLinks::describe() const {
  std::vector<std::string> lines{frames_.describe()};
  if (cmm_) lines.push_back(cmm_->describe());
  for (const CommandEndpoint* endpoint : events_.endpoints()) lines.push_back(endpoint->describe());
  for (const Pollable* link : links_) lines.push_back(link->describe());
  if (const auto controller = controller_ ? controller_->newest() : std::nullopt)
    lines.push_back("controller: " + as_text(*controller));
  return lines;
}

std::vector<LinkReport> CellLinks::reports() const {
  const MonotonicNs now = EventLoop::now();
  std::vector<const LinkStatusProvider*> status_providers{&frames_, cmm_};
  status_providers.insert(status_providers.end(), events_.endpoints().begin(), events_.endpoints().end());
  status_providers.insert(status_providers.end(), status_providers_.begin(), status_providers_.end());
  std::vector<LinkReport> reports;
  for (const LinkStatusProvider* status_provider : status_providers)
    if (auto report = status_provider ? status_provider->report(now) : std::nullopt)
      reports.push_back(std::move(*report));
  return reports;
}

}  // namespace datum
