// SYSTem, STATus and DIAGnostic: the state that every SCPI instrument reports.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "daemon/scpi/scpi_answer.h"
#include "daemon/scpi/scpi_commands.h"

namespace datum::scpi {
namespace {

/// SCPI-99 volume 2, 21.11: one header per line, "/qonly/" for queries without command, "/nquery/" for commands without
/// query.
void help_headers(Call& call) {
  std::set<std::string> commands, queries;
  for (const auto& c : all_commands()) (c.pattern.is_query() ? queries : commands).insert(c.pattern.text());
  std::string list;
  const auto line = [&](const std::string& text, const char* mark) {
    list += (text[0] == '*' ? "" : ":") + text + mark + "\n";
  };
  for (const auto& command : commands) {
    const bool queried = queries.erase(command + "?") > 0;
    line(command, queried ? "" : "/nquery/");
  }
  for (const auto& query : queries) line(query, "/qonly/");
  call.session.answer(block(list));
}

/// The header as in a message: short or long form, with or without '?'.
void help_syntax(Call& call) {
  std::string typed = call[0].text, out;
  Parser parser(typed);
  const auto unit = parser.next();
  for (const auto& c : all_commands()) {
    if (!unit || !c.pattern.match(unit->header.mnemonics, c.pattern.is_query())) continue;
    const auto parameters = signature(c.parameters);
    out += fmt::format("{}{}{}{}{}{}", out.empty() ? "" : " | ", c.pattern.text(),
                       parameters.empty() ? "" : " ", parameters, *c.help ? ": " : "", c.help);
  }
  if (out.empty())
    throw Error(illegal_parameter_value, typed + " is no header; SYSTem:HELP:HEADers? lists them");
  call.session.answer(quote_whole(out));
}

void all_errors(Call& call) {
  std::string out = call.session.errors().pop();
  while (call.session.errors().size() > 0) out += "," + call.session.errors().pop();
  call.session.answer(out);
}

void state(Call& call) {
  call.session.answer(
      fmt::format("{},{}", name_of(call.instrument().state()), quote(call.instrument().state_detail())));
}

void position(Call& call) {
  const auto p = call.instrument().position();
  if (!p) throw Error(hardware_missing, "no CMM is configured");
  const auto& q = p->position_mm;
  const bool ok = p->state == ProbeState::ok;  // an old position is not reported
  call.session.answer(
      ok ? fmt::format("OK,{},{},{},\"\"", number(q[0]), number(q[1]), number(q[2]))
         : fmt::format("{},9.91E+37,9.91E+37,9.91E+37,{}", name_of(p->state), quote(p->detail)));
}

void links(Call& call) {
  std::string out;
  for (const auto& line : call.instrument().links()) out += (out.empty() ? "" : ",") + quote(line);
  call.session.answer(out.empty() ? quote("") : out);
}

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

const char* word_of(LinkState state) {
  switch (state) {
    case LinkState::closed:
      return "CLOSED";
    case LinkState::connecting:
      return "CONNECTING";
    case LinkState::open:
      return "OPEN";
    case LinkState::refused:
      return "REFUSED";
  }
  return "?";
}

/// Seconds since `then`; NaN for none.
std::string age_s(std::optional<MonotonicNs> then, MonotonicNs now) {
  return number(then ? static_cast<double>(now - *then) * 1e-9 : not_a_number);
}

void link_table(Call& call) {
  const MonotonicNs now = call.instrument().monotonic_ns();
  std::string out;
  for (const LinkReport& l : call.instrument().link_reports()) {
    const LinkRecord& r = l.record;
    const auto since = r.since_ns > 0 ? std::optional(r.since_ns) : std::nullopt;
    out +=
        fmt::format("{}{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}", out.empty() ? "" : ",", quote(l.name),
                    quote(l.kind), quote(l.peer), word_of(l.state), quote(l.trouble), age_s(since, now),
                    r.opened, r.lost, r.attempts, age_s(r.heard_ns, now), age_s(l.delivered_ns, now),
                    number(l.clock ? static_cast<double>(l.clock->offset_ns) * 1e-9 : not_a_number),
                    number(l.clock ? static_cast<double>(l.clock->uncertainty_ns) * 1e-3 : not_a_number),
                    quote(r.last_error), age_s(r.last_error_ns, now));
  }
  call.session.answer(out.empty() ? quote("") : out);
}

void health(Call& call) {
  const ServiceHealth h = call.instrument().health();
  const auto bytes = [](const std::optional<std::uint64_t>& n) {
    return n ? fmt::format("{}", *n) : number(not_a_number);
  };
  call.session.answer(fmt::format("{},{},{},{}", quote(h.backend), quote(h.backend_fault),
                                  bytes(h.store_bytes), bytes(h.free_bytes)));
}

void warnings(Call& call) {
  std::string out;
  for (const auto& line : call.instrument().warnings()) out += (out.empty() ? "" : ",") + quote(line);
  call.session.answer(out.empty() ? quote("") : out);
}

void one_link(Call& call) {
  const auto all = call.instrument().links();
  const int n = call.suffixes.front();
  if (n < 1 || static_cast<std::size_t>(n) > all.size())
    throw Error(header_suffix_out_of_range, fmt::format("link {}; 1 to {}", n, all.size()));
  call.session.answer(quote(all[static_cast<std::size_t>(n) - 1]));
}

template <ConditionRegister Status::*reg>
void condition(Call& call) {
  call.session.answer(fmt::format("{}", (call.session.status().*reg).condition));
}
template <ConditionRegister Status::*reg>
void event(Call& call) {
  call.session.answer(fmt::format("{}", (call.session.status().*reg).read_event()));
}
template <ConditionRegister Status::*reg>
void enable(Call& call) {
  (call.session.status().*reg).enable =
      static_cast<std::uint16_t>(call[0].integer & 0x7FFF);  // SCPI-99: bit 15 is always 0
}
template <ConditionRegister Status::*reg>
void enabled(Call& call) {
  call.session.answer(fmt::format("{}", (call.session.status().*reg).enable));
}
template <ConditionRegister Status::*reg, std::uint16_t ConditionRegister::*filter>
void set_filter(Call& call) {
  (call.session.status().*reg).*filter = static_cast<std::uint16_t>(call[0].integer & 0x7FFF);
}
template <ConditionRegister Status::*reg, std::uint16_t ConditionRegister::*filter>
void tell_filter(Call& call) {
  call.session.answer(fmt::format("{}", (call.session.status().*reg).*filter));
}

/// SCPI-99 volume 2, 20.7: no bit enabled, positive transitions cause events, negative ones do not.
void preset(Call& call) {
  for (ConditionRegister* r : {&call.session.status().operation, &call.session.status().questionable}) {
    r->enable = r->falls = 0;
    r->rises = 0x7FFF;
  }
}

template <ConditionRegister Status::*reg>
std::vector<Command> filter_commands(const char* rises, const char* rises_query, const char* falls,
                                     const char* falls_query) {
  const Parameter mask{Parameter::Kind::integer, "mask", false, 0, 65535};
  using R = ConditionRegister;
  return {{rises,
           set_filter<reg, &R::rises>,
           {mask},
           "conditions whose coming is an event: all at start",
           Access::reads},
          {rises_query, tell_filter<reg, &R::rises>, {}, ""},
          {falls,
           set_filter<reg, &R::falls>,
           {mask},
           "conditions whose going is an event: none at start",
           Access::reads},
          {falls_query, tell_filter<reg, &R::falls>, {}, ""}};
}

std::vector<Command> status_commands() {
  const Parameter mask{Parameter::Kind::integer, "mask", false, 0, 65535};
  return {
      {"STATus:OPERation:CONDition?",
       condition<&Status::operation>,
       {},
       "1 calibrating, 8 acquiring, 16 measuring, 32 waiting for trigger, 256 recipe chosen, 512 CMM link "
       "up, 1024 sensor "
       "link up"},
      {"STATus:OPERation[:EVENt]?",
       event<&Status::operation>,
       {},
       "conditions that came since the last read"},
      {"STATus:OPERation:ENABle",
       enable<&Status::operation>,
       {mask},
       "bits that enter the status byte",
       Access::reads},
      {"STATus:OPERation:ENABle?", enabled<&Status::operation>, {}, ""},
      {"STATus:QUEStionable:CONDition?",
       condition<&Status::questionable>,
       {},
       "of the last board: 256 calibration, 512 pose, 1024 floor, 2048 frame"},
      {"STATus:QUEStionable[:EVENt]?",
       event<&Status::questionable>,
       {},
       "conditions that came since the last read"},
      {"STATus:QUEStionable:ENABle",
       enable<&Status::questionable>,
       {mask},
       "bits that enter the status byte",
       Access::reads},
      {"STATus:QUEStionable:ENABle?", enabled<&Status::questionable>, {}, ""},
      {"STATus:PRESet",
       preset,
       {},
       "clear both enables; what comes is an event, what goes is none",
       Access::reads},
  };
}

}  // namespace

std::vector<Command> system_commands() {
  const Parameter text{Parameter::Kind::string, "header"};
  std::vector<Command> commands = {
      {"SYSTem:ERRor[:NEXT]?",
       [](Call& c) { c.session.answer(c.session.errors().pop()); },
       {},
       "oldest error, taken out"},
      {"SYSTem:ERRor:COUNt?",
       [](Call& c) { c.session.answer(fmt::format("{}", c.session.errors().size())); },
       {},
       "errors waiting"},
      {"SYSTem:ERRor:ALL?", all_errors, {}, "all errors, taken out"},
      {"SYSTem:VERSion?", [](Call& c) { c.session.answer("1999.0"); }, {}, "SCPI version"},
      {"SYSTem:HELP:HEADers?", help_headers, {}, "this list"},
      {"SYSTem:HELP:SYNTax?", help_syntax, {text}, "parameters and meaning of one header"},
      {"SYSTem:STATe?", state, {}, "IDLE, ARMED, WAITING or MEASURING, and what is going on in words"},
      {"DIAGnostic:LINKs?", links, {}, "every link with its state"},
      {"DIAGnostic:LINKs:STATe<n>?", one_link, {}, "one link with its state"},
      {"DIAGnostic:LINKs:TABLe?",
       link_table,
       {},
       "15 fields a link: name, kind, peer, CLOSED, CONNECTING, OPEN or REFUSED, trouble of this moment "
       "(empty: none), s in "
       "this state, times opened, times lost, attempts since it was well, s since a byte, s since a frame or "
       "position, "
       "host's less its clock in s, within us, last error, s since that; 9.91E37: never, or not known"},
      {"DIAGnostic:LINKs:REOPen",
       [](Call& c) { c.instrument().reopen_links(); },
       {},
       "open links that were refused, once the cause is removed"},
      {"DIAGnostic:SERVice?",
       health,
       {},
       "who measured last, why that is not who should (empty: it is), bytes of the store, bytes free beside "
       "it; 9.91E37: not "
       "known"},
      {"DIAGnostic:WARNings?",
       warnings,
       {},
       "values in the cell's files that are probably not meant, and certificates that expire, one text each"},
      {"DIAGnostic:POSition?",
       position,
       {},
       "state, X, Y, Z in mm (9.91E+37: no number) and text of the CMM"},
      {"DIAGnostic:POSition:REFerenced",
       [](Call& c) { c.instrument().confirm_referenced(); },
       {},
       "state that the machine was homed since it lost its position"},
      {"DIAGnostic:ECHO?",
       [](Call& c) { c.session.answer(quote_whole(c[0].text)); },
       {{Parameter::Kind::string, "text"}},
       "the text itself: a mark in the stream of answers"},
  };
  for (auto part :
       {status_commands(),
        filter_commands<&Status::operation>("STATus:OPERation:PTRansition", "STATus:OPERation:PTRansition?",
                                            "STATus:OPERation:NTRansition", "STATus:OPERation:NTRansition?"),
        filter_commands<&Status::questionable>(
            "STATus:QUEStionable:PTRansition", "STATus:QUEStionable:PTRansition?",
            "STATus:QUEStionable:NTRansition", "STATus:QUEStionable:NTRansition?")})
    for (auto& command : part) commands.push_back(std::move(command));
  return commands;
}

const std::vector<Command>& all_commands() {
  static const std::vector<Command> table = [] {
    auto all = common_commands();
    for (auto part :
         {system_commands(), control_commands(), inspection_commands(), calibration_commands(),
          hole_commands(), chart_commands(), check_commands(), result_commands(), height_commands(),
          data_commands(), form_commands(), memory_commands(), environment_commands()})
      for (auto& command : part) all.push_back(std::move(command));
    return all;
  }();
  return table;
}

}  // namespace datum::scpi
