#include "daemon/hosts/command_link.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "daemon/scpi/scpi_session.h"

namespace datum {
namespace {

constexpr MonotonicNs store_again_ns = 250'000'000;
constexpr int reads_per_event = 16;  // per event, then the other links are served
constexpr int commands_per_turn = 64;
// Budget of one host per turn of the loop; a command that has begun is completed. Between frame and result the loop turns
// five times: one host delays a board by at most 5 ms, and twenty keep the round well below the watchdog's 20 s.
constexpr MonotonicNs turn_ns = 1'000'000;
constexpr int warning = 4, notice = 5, error = 3;

LinkLimits limits_of(const CommandLinkSettings& settings) {
  LinkLimits limits;
  limits.last_back_off_ms = 5000;  // a host waits for results
  limits.reopens = settings.reopen;
  return limits;
}

}  // namespace

CommandLink::CommandLink(std::unique_ptr<Port> port, Instrument& instrument, CommandLinkSettings settings,
                         LogSink log)
    : instrument_(instrument),
      codec_(codec_of(settings)),
      rate_(settings.commands_per_second, std::max(1, settings.commands_per_second / 10)),
      delivery_(instrument),
      settings_(std::move(settings)),
      log_(std::move(log)),
      spoke_ns_(settings_.since),
      was_open_(port->is_open()),
      link_(
          std::move(port), limits_of(settings_), [this](MonotonicNs) { opened(); },
          [this](const std::string& why, MonotonicNs) { lost(why); }) {
  codec_->on_command([this] { return in_pace(); });
  if (!was_open_) link_.start_at(0);
}

std::unique_ptr<HostCodec> CommandLink::codec_of(const CommandLinkSettings& settings) {
  if (settings.gocator)
    return std::make_unique<GocatorSession>(instrument_, *settings.gocator, settings.host);
  auto session = std::make_unique<scpi::Session>(instrument_, settings.host);
  session->push_results(settings.push_results);
  session->on_other_line([this](std::string_view line) { return take_host_line(line); });
  return session;
}

bool CommandLink::in_pace() {
  if (turn_left_ <= 0 || instrument_.monotonic_ns() >= turn_ends_ || !rate_.take(now_)) return false;
  --turn_left_;
  return true;
}

std::string CommandLink::describe() const {
  const char* state = link_.is_open() ? "open" : link_.deadline() ? "waiting to reopen" : "closed";
  std::string text =
      fmt::format("commands, {}: {}", name(), link_.refused() ? link_.record().last_error.c_str() : state);
  if (delivery_.active()) text += ", delivers without loss";
  if (delivery_.repeated() > 0) text += fmt::format(", {} lines repeated", delivery_.repeated());
  if (damaged_lines_ > 0) text += fmt::format(", {} damaged lines of the host", damaged_lines_);
  if (lost_results_ > 0) text += fmt::format(", {} result lines not sent", lost_results_);
  return text;
}

std::optional<LinkReport> CommandLink::report(MonotonicNs) const {
  return report_of(link_, "host.serial", settings_.gocator ? "gocator" : "scpi");
}

std::optional<MonotonicNs> CommandLink::deadline() const {
  if (!link_.is_open()) return link_.deadline();
  if (codec_->waits()) return rate_.ready_at();
  // Bytes are already read, so no event announces them; only the turn ended.
  if (link_.port().holds_input() && !codec_->full()) return 0;
  if (!delivery_.active() || !unsent_.empty()) return std::nullopt;
  if (store_again_at_) return store_again_at_;
  return result_waits_ ? 0 : delivery_.deadline();
}

void CommandLink::on_deadline(MonotonicNs now) {
  now_ = now;
  if (link_.is_open()) return codec_->waits() || link_.port().holds_input() ? work(now) : deliver();
  link_.on_deadline(now);
}

void CommandLink::opened() {
  was_open_ = true;
  log_(notice, describe(), {Event::link_back, of_host(settings_.host)});
  announce_gap();
}

void CommandLink::lost(const std::string& why) {
  const bool was_open = std::exchange(was_open_, false);
  if (was_open) {
    instrument_.control().left(settings_.host);
    codec_->link_lost();
    delivery_.stop();
    unsent_.clear();
    unsent_bytes_ = sent_of_first_ = 0;
  }
  LogEvent event{Event::link_lost, of_host(settings_.host)};
  event.fields.emplace_back("DATUM_REASON", why);
  if (link_.refused())
    log_(error, fmt::format("{}; this link stays closed", why), event);
  else if (was_open)
    // A host may disconnect at any time.
    log_(settings_.reopen ? warning : 6, why, settings_.reopen ? event : LogEvent{});
  else if (link_.record().attempts == 1)
    log_(warning, fmt::format("{}; trying again", why), event);
}

std::optional<MonotonicNs> CommandLink::quiet_since() const {
  if (!link_.is_open() || codec_->owes() || instrument_.control().owner() == settings_.host)
    return std::nullopt;
  return spoke_ns_;
}

bool CommandLink::listens() const {
  return (codec_->pushes_results() || delivery_.active()) && unsent_.empty();
}

void CommandLink::dismiss(const std::string& line, const std::string& why, MonotonicNs now) {
  link_.run(now, [&] {
    if (unsent_.empty()) link_.port().write(reinterpret_cast<const std::uint8_t*>(line.data()), line.size());
    link_.lose(why, now);
  });
}

void CommandLink::on_ready(MonotonicNs now) { work(now); }

void CommandLink::work(MonotonicNs now) {
  now_ = now;
  turn_left_ = commands_per_turn;
  turn_ends_ = instrument_.monotonic_ns() + turn_ns;
  std::array<std::uint8_t, 4096> bytes{};
  link_.run(now, [&] {
    codec_->resume();
    send_answers();
    for (int i = 0; i < reads_per_event && link_.is_open() && !codec_->waits() && !codec_->full(); ++i) {
      const std::size_t n = link_.read(bytes.data(), bytes.size(), now);
      if (n == 0) break;
      link_.good();  // resets the back-off: the peer communicates
      if (begins_tls(bytes.data(), n, now)) break;
      codec_->receive({reinterpret_cast<const char*>(bytes.data()), n});
      send_answers();
    }
    if (std::exchange(executed_, codec_->executed()) != codec_->executed()) spoke_ns_ = now;
    if (link_.is_open()) flush();
    deliver();
  });
}

/// TLS record header of a handshake (RFC 8446, 5.1). No host's line begins with these bytes.
bool CommandLink::begins_tls(const std::uint8_t* bytes, std::size_t size, MonotonicNs now) {
  if (std::exchange(began_, true) || !settings_.tells_of_tls || size < 2 || bytes[0] != 22 || bytes[1] != 3)
    return false;
  const std::string link = "host." + settings_.host.substr(0, settings_.host.find(' '));
  dismiss(fmt::format("REFUSED,{} speaks without TLS\r\n", link),
          fmt::format("{}: the peer speaks TLS, {} does not", name(), link), now);
  return true;
}

void CommandLink::instrument_changed() {
  codec_->instrument_changed();
  send_answers();
}

void CommandLink::push_result(const BoardVerdict& verdict) {
  if (delivery_.active()) {
    result_waits_ = true;
    return;
  }
  if (!codec_->pushes_results()) return;
  if (link_.is_open() && unsent_bytes_ <= most_unsent_for_push) {
    announce_gap();
    ++instrument_.control().meter().of(settings_.host).announced;
    return send(codec_->pushed(verdict), false);
  }
  ++lost_results_;
  ++instrument_.control().meter().of(settings_.host).left_out;
  if (!gap_) {
    gap_ = Gap{verdict.sequence, verdict.sequence, verdict.store_id};
    LogEvent event{Event::results_left_out, of_host(settings_.host)};
    event.fields.emplace_back("DATUM_SEQUENCE", fmt::format("{}", verdict.sequence));
    log_(warning,
         fmt::format("{}: {}; result lines from {} on are left out", name(),
                     link_.is_open() ? "the host does not read" : "not open", verdict.sequence),
         event);
  }
  gap_->to = verdict.sequence;
}

void CommandLink::announce_gap() {
  if (!gap_) return;
  log_(warning, fmt::format("{}: results {} to {} were not sent", name(), gap_->from, gap_->to));
  const std::string line = codec_->gap(gap_->store_id, gap_->from, gap_->to);
  gap_.reset();
  if (!line.empty()) send(line, false);
}

bool CommandLink::take_host_line(std::string_view line) {
  if (!is_host_line(line)) return false;
  const bool before = delivery_.active();
  const std::uint64_t acknowledged = delivery_.acknowledged_results();
  try {
    delivery_.take(parse_host_line(line), now_);
    spoke_ns_ = now_;
    if (const auto ahead = delivery_.take_ahead())
      instrument_.position_ahead(instrument_.results().store_id, {*ahead, settings_.host});
    instrument_.control().meter().of(settings_.host).acknowledged +=
        delivery_.acknowledged_results() - acknowledged;
    if (delivery_.active() != before)
      log_(6, fmt::format("{}: results are {} without loss", name(),
                          delivery_.active() ? "delivered" : "no longer delivered"));
  } catch (const StoreError& error) {
    codec_->raise(scpi::mass_storage_error, error.what());
  } catch (const std::runtime_error& damaged) {
    if (++damaged_lines_ == 1) log_(5, fmt::format("{}: {}", name(), damaged.what()));
  }
  return true;
}

/// Enqueues only on a link without unsent bytes: results that a host does not read wait in the store.
void CommandLink::deliver() {
  if (!link_.is_open() || !delivery_.active() || !unsent_.empty()) return;
  if (store_again_at_ && now_ < *store_again_at_) return;
  std::vector<std::string> lines;
  try {
    const std::uint64_t announced = delivery_.announced_results();
    lines = delivery_.due(now_);
    instrument_.control().meter().of(settings_.host).announced += delivery_.announced_results() - announced;
    result_waits_ = false;
    store_again_at_.reset();
  } catch (const std::exception& failed) {
    if (!store_again_at_) log_(error, fmt::format("{}: results can't be read: {}", name(), failed.what()));
    store_again_at_ = now_ + store_again_ns;
    return;
  }
  for (auto& line : lines) send(std::move(line) + '\n', false);
}

void CommandLink::send_answers() {
  for (auto& line : codec_->take_answers()) send(std::move(line), true);
}

void CommandLink::send(std::string bytes, bool answer) {
  if (!link_.is_open()) return;
  if (answer && !unsent_.empty() && unsent_bytes_ + bytes.size() > most_unsent) {
    drop_answers();
    codec_->raise(scpi::query_deadlocked, "answers were not read and are dropped");
    return;
  }
  unsent_bytes_ += bytes.size();
  unsent_.push_back({std::move(bytes), answer});
  link_.run(now_, [&] { flush(); });
}

/// Drops all answers except a line that is partly sent.
void CommandLink::drop_answers() {
  const auto from = unsent_.begin() + (sent_of_first_ > 0 ? 1 : 0);
  unsent_.erase(std::remove_if(from, unsent_.end(), [](const Unsent& u) { return u.answer; }), unsent_.end());
  unsent_bytes_ = 0;
  for (const auto& u : unsent_) unsent_bytes_ += u.bytes.size();
}

void CommandLink::flush() {
  if (link_.port().wants_write()) link_.port().write(nullptr, 0);  // of bytes that the port accepted before
  while (!unsent_.empty()) {
    const std::string& first = unsent_.front().bytes;
    const auto* from = reinterpret_cast<const std::uint8_t*>(first.data()) + sent_of_first_;
    const std::size_t n = link_.port().write(from, first.size() - sent_of_first_);
    if (n == 0) return;
    sent_of_first_ += n;
    if (sent_of_first_ < first.size()) continue;
    unsent_bytes_ -= first.size();
    sent_of_first_ = 0;
    unsent_.pop_front();
  }
  delivery_.sent(now_);
  announce_gap();
}

}  // namespace datum
