#include "daemon/ctl/watch_link.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "daemon/ctl/scpi_client.h"
#include "daemon/ctl/scpi_text.h"
#include "daemon/ctl/watched_board.h"

namespace datum {
namespace {

constexpr MonotonicNs first_back_off_ns = 250'000'000, longest_back_off_ns = 5'000'000'000;
constexpr MonotonicNs silence_ns = 8'000'000'000;  // for a peer with a heartbeat per second
constexpr MonotonicNs answer_ns = 5'000'000'000;   // a row of a board takes 5 ms at 115200 baud
constexpr std::size_t most_unexplained = 50;       // no screen shows more

// One answer of known parts after a mark, so that no other line is mistaken for it.
const std::string mark = "datumctl watch";
const std::string question = ":DIAGnostic:ECHO? \"" + mark +
                             "\";:SYSTem:STATe?;:CONFigure:RECipe?;:CONFigure:UNIT?;:CALibration:CURRent?;"
                             ":DIAGnostic:LINKs?\n";

}  // namespace

MonotonicNs WatchLink::deadline() const {
  if (!port_) return open_at_;
  if (!up_) return heard_ns_ + silence_ns;
  return std::min(
      {ask_at_, results_.deadline(), heard_ns_ + silence_ns, asked_ ? give_up_at_ : heard_ns_ + silence_ns});
}

void WatchLink::work(MonotonicNs now) {
  try {
    if (!port_) return now >= open_at_ ? connect(now) : void();
    if (!up_) go_on_connecting(now);
    if (up_) receive(now);
    if (asked_ && now >= give_up_at_) asked_.reset();
    if (up_ && now >= ask_at_) ask(now);
    if (up_) ask_for_board(now);
    if (up_ && now >= results_.deadline()) results_.on_deadline(now);
    if (up_) unsent_ += results_.to_daemon();
    send();
    if (now - heard_ns_ >= silence_ns) throw LostError(port_->describe() + ": nothing was heard");
  } catch (const LostError& gone) {
    lose(gone.what(), now);
  } catch (const TransientError& gone) {
    lose(gone.what(), now);
  }
}

void WatchLink::connect(MonotonicNs now) {
  port_ = open_();
  heard_ns_ = now;
  port_->open();
  if (port_->connected()) up(now);
  send();
}

void WatchLink::go_on_connecting(MonotonicNs now) {
  port_->write(nullptr, 0);  // throws the cause where the connection failed
  if (port_->connected()) up(now);
}

void WatchLink::up(MonotonicNs now) {
  up_ = true;
  heard_ns_ = ask_at_ = now;
  results_.connected(now);
  unsent_ = "\n" + results_.to_daemon();  // ends an incomplete line on a serial link
  view_.connected();
}

void WatchLink::lose(const std::string& why, MonotonicNs now) {
  port_.reset();
  up_ = false;
  received_.clear();
  unsent_.clear();
  cell_.reset();
  unexplained_.clear();
  asked_.reset();
  back_off_ns_ = std::clamp(2 * back_off_ns_, first_back_off_ns, longest_back_off_ns);
  open_at_ = now + back_off_ns_;
  view_.lost(why, back_off_ns_);
}

void WatchLink::receive(MonotonicNs now) {
  std::array<std::uint8_t, 4096> bytes{};
  while (const std::size_t n = port_->read(bytes.data(), bytes.size()))
    received_.append(reinterpret_cast<const char*>(bytes.data()), n);
  while (const std::size_t n = whole_line(received_)) {
    const std::string line = received_.substr(0, n - 1);
    received_.erase(0, n);
    take(line, now);
  }
  // A damaged quote or block would join all further lines.
  constexpr std::size_t longest_line = 1 << 20;
  if (received_.size() > longest_line) received_.clear();
}

void WatchLink::take(const std::string& line, MonotonicNs now) {
  heard_ns_ = now;
  if (line.rfind("REFUSED,", 0) == 0) throw LostError(port_->describe() + ": " + line);
  back_off_ns_ = 0;
  if (!results_.take(line, now)) return take_answer(line);
  for (const auto& event : results_.events()) {
    view_.delivered(event);
    if (event.kind == DeliveryEvent::Kind::result) explain(event.result);
  }
}

void WatchLink::take_answer(const std::string& line) {
  const auto parts = answers_of(line);
  if (asked_ && answer_fields(parts[0]) == std::vector<std::string>{board_mark(*asked_)})
    return take_board(parts);
  if (parts.size() != 6 || answer_fields(parts[0]) != std::vector<std::string>{mark}) return;
  const auto state = answer_fields(parts[1]), recipe = answer_fields(parts[2]),
             unit = answer_fields(parts[3]), calibration = answer_fields(parts[4]);
  if (state.size() < 2 || recipe.empty() || calibration.size() < 6) return;
  WatchedCell now{
      state[0], state[1], recipe[0], unit[0], calibration[0], calibration[5], answer_fields(parts[5])};
  if (cell_ == now) return;
  cell_ = now;
  view_.cell(now);
}

void WatchLink::ask(MonotonicNs now) {
  ask_at_ = now + period_ns_;
  if (unsent_.empty()) unsent_ = question;
}

void WatchLink::explain(const ResultLine& result) {
  unexplained_.push_back(result);
  if (unexplained_.size() > most_unexplained) unexplained_.pop_front();
}

/// One at a time, the newest first: it is the one that an operator waits for.
void WatchLink::ask_for_board(MonotonicNs now) {
  if (asked_ || unexplained_.empty() || !unsent_.empty()) return;
  const ResultLine result = unexplained_.back();
  unexplained_.pop_back();
  asked_ = result.sequence;
  give_up_at_ = now + answer_ns;
  unsent_ = board_question(result);
}

void WatchLink::take_board(const std::vector<std::string>& parts) {
  asked_.reset();
  if (const auto board = watched_board(parts)) view_.explained(*board);
}

void WatchLink::send() {
  while (up_ && !unsent_.empty()) {
    const std::size_t n = port_->write(reinterpret_cast<const std::uint8_t*>(unsent_.data()), unsent_.size());
    if (n == 0) return;
    unsent_.erase(0, n);
  }
}

}  // namespace datum
