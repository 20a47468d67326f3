#include "daemon/instrument/lock_arbiter.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "daemon/instrument/scpi_error.h"

namespace datum {
namespace {

constexpr std::size_t most_accounts = 64;  // more than there are links: hosts may come and go
constexpr std::size_t longest_note = 120;  // characters of a logged command

std::string link_of(const std::string& host) { return host.substr(0, host.find(' ')); }
std::string without_port(const std::string& host) { return host.substr(0, host.rfind(':')); }

/// One printable line for the log: a block in a command may hold any byte.
std::string shown(std::string_view what) {
  std::string text(what.substr(0, longest_note));
  for (char& c : text)
    if (static_cast<unsigned char>(c) < ' ' || c == 127) c = ' ';
  return what.size() > longest_note ? text + "..." : text;
}

}  // namespace

const char* name_of(Role role) {
  return role == Role::read ? "read" : role == Role::operate ? "operate" : "configure";
}

LockArbiter::LockArbiter(ControlSettings settings, Clock now, Log log)
    : settings_(std::move(settings)), now_(std::move(now)), log_(std::move(log)) {}

bool LockArbiter::is_reserved(const std::string& host) const {
  return !settings_.reserved.empty() && link_of(host) == settings_.reserved;
}

void LockArbiter::identify(const std::string& host, HostIdentity identity) {
  const Role role = identity.role;
  identities_[host] = std::move(identity);
  if (role < Role::operate) release(host);
}

std::string LockArbiter::certificate_of(const std::string& host) const {
  const auto found = identities_.find(host);
  return found == identities_.end() ? "" : found->second.certificate;
}

Role LockArbiter::role_of(const std::string& host) const {
  if (const auto proved = identities_.find(host); proved != identities_.end()) return proved->second.role;
  const auto found = settings_.roles.find(link_of(host));
  return found == settings_.roles.end() ? Role::configure : found->second;
}

void LockArbiter::demand(Role needed, const std::string& host) const {
  if (role_of(host) >= needed) return;
  const std::string link = link_of(host);
  if (identities_.count(host) > 0)
    throw scpi::Error(scpi::command_protected,
                      fmt::format("this certificate has role \"{}\"; this takes role = \"{}\" in its "
                                  "[[host.{}.tls.client]]",
                                  name_of(role_of(host)), name_of(needed), link));
  throw scpi::Error(scpi::command_protected,
                    fmt::format("hosts of [host.{}] have role \"{}\"; this takes host.{}.role = \"{}\"", link,
                                name_of(role_of(host)), link, name_of(needed)));
}

void LockArbiter::name_person(const std::string& host, const std::string& person) {
  constexpr std::size_t longest = 128;
  if (person.empty()) {
    persons_.erase(host);
    return;
  }
  const bool printable = std::all_of(person.begin(), person.end(),
                                     [](char c) { return static_cast<unsigned char>(c) >= ' ' && c != 127; });
  if (person.size() > longest || !printable || person.find_first_not_of(' ') == std::string::npos)
    throw scpi::Error(scpi::illegal_parameter_value,
                      fmt::format("a person's name has 1 to {} bytes and no control characters", longest));
  persons_[host] = person;
}

std::string LockArbiter::person_of(const std::string& host) const {
  const auto found = persons_.find(host);
  return found == persons_.end() ? "" : found->second;
}

void LockArbiter::demand_person(NamedAct act, const std::string& host) const {
  if (!settings_.named.contains(act) || persons_.contains(host)) return;
  throw scpi::Error(
      scpi::command_protected,
      "this plant asks who does it (host.named_for): SYSTem:PERSon \"NAME\", or datumctl --person NAME");
}

bool LockArbiter::request(const std::string& host) {
  demand(Role::operate, host);
  if (holder_ == host) return true;
  const bool free = holder_.empty() && settings_.reserved.empty();
  const bool its_own = is_reserved(host) && !is_reserved(holder_);
  if (!free && !its_own) return false;
  const std::string words = holder_.empty() ? "has control" : "takes control back from " + holder_;
  note(logged_notice, host, words);
  tell_deed(host, words);
  holder_ = host;
  lost_.clear();
  return true;
}

void LockArbiter::force(const std::string& host) {
  const bool anothers = !settings_.reserved.empty() && !is_reserved(host);
  demand(anothers ? Role::configure : Role::operate, host);
  if (holder_ == host) return;
  demand_person(NamedAct::control, host);
  const std::string words = owner().empty() ? "has control" : "takes control by force from " + owner();
  note(logged_warning, host, words);
  tell_deed(host, words);
  holder_ = host;
  lost_.clear();
}

void LockArbiter::release(const std::string& host) {
  if (holder_ != host) return;
  holder_.clear();
  note(logged_notice, host, "gives control back");
}

void LockArbiter::left(const std::string& host) {
  if (holder_ == host) {
    holder_.clear();
    lost_ = host;
    note(logged_notice, host, "is gone; its control is free");
  }
  identities_.erase(host);
  persons_.erase(host);
}

bool LockArbiter::may_change(const std::string& host) const {
  if (role_of(host) < Role::operate) return false;
  if (!holder_.empty()) return holder_ == host;
  return settings_.reserved.empty() || is_reserved(host);
}

void LockArbiter::change(const std::string& host, std::string_view what, Role needed) {
  demand(needed, host);
  demand_control(host);
  demand_person(needed == Role::configure ? NamedAct::configure : NamedAct::operate, host);
  note(logged_info, host, what);
  tell_deed(host, what);
}

void LockArbiter::measure(const std::string& host, std::string_view what) {
  demand(Role::operate, host);
  demand_control(host);
  note(logged_info, host, what);
}

void LockArbiter::demand_control(const std::string& host) const {
  if (!may_change(host))
    throw scpi::Error(
        scpi::command_protected,
        fmt::format("{} {}; SYSTem:LOCK:FORCe takes control, SYSTem:LOCK:REQuest? asks for it", owner(),
                    holder_.empty() ? "is the only link that may command" : "has control"));
}

void LockArbiter::stop(const std::string& host, std::string_view what) {
  demand(Role::operate, host);
  note(logged_info, host, what);
  tell_deed(host, what);
}

void LockArbiter::note(int priority, const std::string& host, std::string_view what) {
  Noted& account = account_of(host);
  if (!(priority == logged_info ? account.commands : account.control).take(now_())) {
    ++account.left_out;
    return;
  }
  const std::uint64_t left_out = std::exchange(account.left_out, 0);
  const std::string certificate = certificate_of(host);
  log_(priority,
       fmt::format("{}{}: {}{}", host, certificate.empty() ? "" : " (" + certificate + ")", shown(what),
                   left_out == 0 ? "" : fmt::format(" ({} before it are not listed)", left_out)),
       priority == logged_warning ? LogEvent{Event::control_taken, of_host(host)} : LogEvent{});
}

LockArbiter::Noted& LockArbiter::account_of(const std::string& host) {
  const std::string key = without_port(host);
  if (noted_.size() >= most_accounts && noted_.count(key) == 0) noted_.erase(noted_.begin());
  const TokenBucket fresh(settings_.logged_per_second, settings_.logged_burst);
  return noted_.try_emplace(key, Noted{fresh, fresh}).first->second;
}

}  // namespace datum
