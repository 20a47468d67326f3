#include "tests/daemon/scpi/conformance/cell_event.h"

#include <functional>
#include <map>
#include <stdexcept>

namespace datum::testing {
namespace {

using Event = std::function<void(ScpiHost&)>;

BoardVerdict without_frame() {
  BoardVerdict v = board(9);
  v.reason = Reason::frame;
  v.components.clear();
  return v;
}

/// Two boards with one component each, and one that is marked as bad.
BoardVerdict panel() {
  BoardVerdict v = board(3);
  v.components = {component("U1@1-1", Decision::pass, 1160.25, Reason::none),
                  component("U1@2-1", Decision::fail, 1190.0, Reason::none),
                  component("U1@3-1", Decision::invalid, 0, Reason::skipped)};
  v.decision = Decision::fail;
  v.reason = Reason::none;
  v.boards = {{"1-1", "SN-1", Decision::pass, Reason::none, "", {}, {}},
              {"2-1", "SN-2", Decision::fail, Reason::none, "", {}, {}},
              {"3-1", "", std::nullopt, Reason::skipped, "its mark is there", {}, {}}};
  return v;
}

ProbePoint position(ProbeState state) {
  ProbePoint p;
  p.position_mm = {1.5, -2, 0.25};
  p.state = state;
  if (state != ProbeState::ok) p.detail = "no line for 1500 ms";
  return p;
}

/// The cell's monotonic clock shows 60 s.
LinkReport sensor_link() {
  LinkReport l;
  l.name = "sensor";
  l.kind = "gocator";
  l.peer = "tcp 192.168.1.10:3190";
  l.state = LinkState::open;
  l.record = {48'000'000'000, 2, 1, 0, "the peer closed the connection", 40'000'000'000, 59'500'000'000};
  l.delivered_ns = 58'000'000'000;
  l.clock = ClockOffset{1'500'000'000, 250'000};
  return l;
}

LinkReport cmm_link() {
  LinkReport l;
  l.name = "cmm";
  l.kind = "grbl_1_1";
  l.peer = "serial /dev/ttyACM0 115200 8N1";
  l.state = LinkState::refused;
  l.trouble = l.record.last_error = "no permission";
  return l;
}

void replayed(ScpiHost& host, const char* state, const char* detail) {
  host.cell.replays.now.state = state;
  host.cell.replays.now.detail = detail;
}

const std::map<std::string, Event>& events() {
  static const std::map<std::string, Event> all{
      {"a board is measured", [](ScpiHost& h) { h.cell.finish_board(board()); }},
      {"another board is measured", [](ScpiHost& h) { h.cell.finish_board(board(2)); }},
      {"a panel is measured", [](ScpiHost& h) { h.cell.finish_board(panel()); }},
      {"no frame comes", [](ScpiHost& h) { h.cell.finish_board(without_frame()); }},
      {"the pose is doubtful", [](ScpiHost& h) { h.cell.questionable = questionable_pose; }},
      {"the pose is good again", [](ScpiHost& h) { h.cell.questionable = 0; }},
      {"the store can't be read",
       [](ScpiHost& h) { h.cell.store_fault = StoreError(StoreError::Kind::io, "results.db: read error"); }},
      {"the disk is full",
       [](ScpiHost& h) { h.cell.store_fault = StoreError(StoreError::Kind::full, "results.db: no room"); }},
      {"the store is damaged",
       [](ScpiHost& h) {
         h.cell.store_fault = StoreError(StoreError::Kind::corrupt, "results.db: damaged");
       }},
      {"memory is short", [](ScpiHost& h) { h.cell.out_of_memory = true; }},
      {"the store is good again",
       [](ScpiHost& h) {
         h.cell.store_fault.reset();
         h.cell.out_of_memory = false;
       }},
      {"a self-test fails", [](ScpiHost& h) { h.cell.failures = {"cmm: link down"}; }},
      {"self-tests take time", [](ScpiHost& h) { h.cell.test_takes_time = true; }},
      {"the self-test ends", [](ScpiHost& h) { h.cell.test_done(h.cell.failures); }},
      {"the sensor's link is open again and the CMM's is refused",
       [](ScpiHost& h) {
         h.cell.reports = {sensor_link(), cmm_link()};
       }},
      {"the machine stands at 1.5, -2, 0.25", [](ScpiHost& h) { h.cell.point = position(ProbeState::ok); }},
      {"the machine is silent", [](ScpiHost& h) { h.cell.point = position(ProbeState::link_down); }},
      {"the replay gives the same", [](ScpiHost& h) { replayed(h, "SAME", ""); }},
      {"the replay differs",
       [](ScpiHost& h) { replayed(h, "DIFFERENT", "components[0].checks[0].value: 1160.25, now 1160.5"); }},
      {"the folder of recipes is read-only",
       [](ScpiHost& h) { h.cell.files.refusal = scpi::media_protected; }},
      {"the folder of recipes is full", [](ScpiHost& h) { h.cell.files.refusal = scpi::media_full; }},
      {"a serial line and TCP are configured",
       [](ScpiHost& h) {
         SerialSettings line;
         line.parity = Parity::even;
         line.data_bits = 7;
         line.flow = FlowControl::xon_xoff;
         h.cell.configured = {line, HostLinks::Tcp{"127.0.0.1", 5025}};
       }},
      {"the next move is into the wall",
       [](ScpiHost& h) {
         h.cell.holes.next = {{true, {1, 2, 3.5}}};
       }},
      {"the recipe is lost at a reload",
       [](ScpiHost& h) { h.session.raise(scpi::configuration_memory_lost, "recipe mainboard is gone"); }},
      {"the result can't be stored",
       [](ScpiHost& h) { h.session.raise(scpi::mass_storage_error, "results.db: read-only"); }},
      {"the hole can't be probed on",
       [](ScpiHost& h) { h.session.raise(scpi::execution_error, "its log is gone"); }},
      {"another host takes control", [](ScpiHost& h) { h.cell.desk.force("tcp 10.0.0.2:1024"); }},
      {"the other host is gone", [](ScpiHost& h) { h.cell.desk.left("tcp 10.0.0.2:1024"); }},
      {"the link breaks", [](ScpiHost& h) { h.session.link_lost(); }},
  };
  return all;
}

}  // namespace

void happen(ScpiHost& host, const std::string& event) {
  const auto found = events().find(event);
  if (found == events().end()) throw std::runtime_error("no event '" + event + "'; see cell_event.cpp");
  found->second(host);
  host.session.instrument_changed();
}

}  // namespace datum::testing
