// Line layer, queues and faults of the virtual I++ DME server.
#include "tests/virtual_cell/virtual_ipp_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace datum {
namespace {

struct NamedFault {
  const char* name;
  VirtualIppFault fault;
};
constexpr NamedFault faults[] = {{"none", VirtualIppFault::none},       {"stall", VirtualIppFault::stall},
                                 {"drop", VirtualIppFault::drop},       {"corrupt", VirtualIppFault::corrupt},
                                 {"reorder", VirtualIppFault::reorder}, {"cut", VirtualIppFault::cut},
                                 {"no-end", VirtualIppFault::no_end},   {"babble", VirtualIppFault::babble}};

bool is_event(const std::string& tag) { return tag[0] == 'E'; }

bool legal(const std::string& tag) {
  if (tag.size() != 5 || tag == "00000" || tag == "E0000") return false;
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  return (digit(tag[0]) || tag[0] == 'E') && std::all_of(tag.begin() + 1, tag.end(), digit);
}

std::string trimmed(std::string text) {
  text.erase(0, text.find_first_not_of(' '));
  const auto end = text.find_last_not_of(' ');
  text.erase(end == std::string::npos ? 0 : end + 1);
  return text;
}

/// "X(1), Y ( 2 )" -> "X(1)", "Y ( 2 )".
std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  int depth = 0;
  std::string part;
  for (const char c : text) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == ',' && depth == 0) {
      parts.push_back(trimmed(part));
      part.clear();
    } else {
      part += c;
    }
  }
  if (!trimmed(part).empty()) parts.push_back(trimmed(part));
  return parts;
}

}  // namespace

VirtualIppFault virtual_ipp_fault(const std::string& name) {
  std::string known;
  for (const NamedFault& named : faults) {
    if (name == named.name) return named.fault;
    known += (known.empty() ? "" : ", ") + std::string(named.name);
  }
  throw std::invalid_argument(fmt::format("fault '{}' is not known; allowed: {}", name, known));
}

std::string VirtualIppServer::receive(const std::string& bytes, MonotonicNs now) {
  if (fault == VirtualIppFault::stall) return "";
  received_ += bytes;
  std::vector<std::string> lines;
  for (std::size_t end = 0; (end = received_.find("\r\n")) != std::string::npos; received_.erase(0, end + 2))
    lines.push_back(received_.substr(0, end));
  if (lines.size() > 1)
    fail("E0000", 2, 8, "Server", "Protocol error");
  else if (lines.size() == 1)
    take_line(lines[0], now);
  work(now);
  return take_output();
}

void VirtualIppServer::take_line(const std::string& line, MonotonicNs now) {
  const bool readable = std::all_of(line.begin(), line.end(), [](char c) { return c >= 32 && c <= 126; });
  if (!readable) return fail("E0000", 2, 7, line.substr(0, 5), "Illegal character");
  Command c;
  c.tag = line.substr(0, 5);
  if (!legal(c.tag) || running_.count(c.tag) > 0) return fail("E0000", 2, 1, c.tag, "Illegal tag");
  if (line.size() < 7 || line[5] != ' ') return fail("E0000", 2, 2, c.tag, "No space at pos. 6");
  c.text = trimmed(line.substr(6));
  const auto open = c.text.find('(');
  if (open == std::string::npos || c.text.back() != ')') return fail("E0000", 2, 8, c.tag, "Protocol error");
  c.name = trimmed(c.text.substr(0, open));
  c.arguments = split(c.text.substr(open + 1, c.text.size() - open - 2));
  if (is_event(c.tag) != (c.name.back() == 'E')) return fail("E0000", 2, 1, c.tag, "Illegal tag");
  running_.insert(c.tag);
  say(c.tag, '&');
  if (is_event(c.tag)) return execute(c, now);  // ahead of queued commands
  queue_.push_back(c);
}

// The normal queue waits behind a running move.
void VirtualIppServer::work(MonotonicNs now) {
  if (moving_ && !machine.moving(now)) arrive();
  // The move of a lost client continues too.
  while (!moving_ && !machine.moving(now) && !queue_.empty()) {
    const Command c = queue_.front();
    queue_.pop_front();
    execute(c, now);
  }
}

std::string VirtualIppServer::advance(MonotonicNs now) {
  if (fault == VirtualIppFault::stall) return "";
  report(now);
  work(now);
  if (fault == VirtualIppFault::babble) out_ += std::string(4096, '7');
  return take_output();
}

std::optional<MonotonicNs> VirtualIppServer::deadline() const {
  if (!moving_ && queue_.empty()) return std::nullopt;
  if (!daemon_ || !moving_) return machine.arrives_ns();
  constexpr MonotonicNs shortest_ns = 100'000'000;  // ten reports a second at most
  return std::min(machine.arrives_ns(), std::max(daemon_->last_ns, daemon_->looked_ns) + shortest_ns);
}

void VirtualIppServer::report(MonotonicNs now) {
  if (!daemon_ || !moving_ || now - daemon_->last_ns < 100'000'000) return;
  daemon_->looked_ns = now;
  const VirtualXyz at = machine.shown(now);
  const double way =
      std::hypot(at[0] - daemon_->last_mm[0], at[1] - daemon_->last_mm[1], at[2] - daemon_->last_mm[2]);
  if (static_cast<double>(now - daemon_->last_ns) < daemon_->time_s * 1e9 && way < daemon_->way_mm) return;
  daemon_->last_ns = now;
  daemon_->last_mm = at;
  say(daemon_->tag, '#', words(daemon_->content, at));
}

void VirtualIppServer::hung_up() {
  received_.clear();
  out_.clear();
  held_.clear();
  queue_.clear();
  running_.clear();
  moving_.reset();
  daemon_.reset();
  session_ = false;
}

void VirtualIppServer::say(const std::string& tag, char mark, const std::string& text) {
  std::string line = tag + " " + mark;
  if (!text.empty()) line += " " + text;
  using F = VirtualIppFault;
  if (mark == '#') {
    if (fault == F::drop) return;
    if (fault == F::corrupt) line[line.size() / 2] = static_cast<char>(line[line.size() / 2] | 0x80);
    if (fault == F::cut) {
      out_ += line.substr(0, line.size() / 2);
      return;
    }
    if (fault == F::reorder) {
      held_ += line + "\r\n";
      return;
    }
  }
  if (mark == '%' && fault == F::no_end) return;
  out_ += line + "\r\n";
  if (mark == '%') out_ += std::exchange(held_, "");
}

void VirtualIppServer::complete(const Command& c) {
  running_.erase(c.tag);
  say(c.tag, '%');
}

void VirtualIppServer::fail(const std::string& tag, int severity, int code, const std::string& cause,
                            const std::string& text) {
  say(tag, '!', fmt::format("Error({}, {:04}, \"{}\", \"{}\")", severity, code, cause, text));
  if (severity < 2) return;
  error_ = true;
  errors_.push_back(fmt::format("{:04}: {}", code, text));
  for (const Command& dropped : std::exchange(queue_, {})) {
    say(dropped.tag, '!', "Error(2, 0006, \"" + dropped.text + "\", \"Transaction aborted\")");
    complete(dropped);
  }
}

std::string VirtualIppServer::take_output() {
  const std::string bytes = std::exchange(out_, "");
  return fault == VirtualIppFault::stall ? "" : bytes;
}

}  // namespace datum
