// AmqpLink: a client's link to a broker. It connects again after longer and longer pauses, moves bytes, and tells each trouble once. What is
// sent, taken and given up is of the class derived from it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "daemon/plant/amqp_connection.h"
#include "drivers/port/pollable.h"

namespace datum {

class AmqpLink : public Pollable {
 public:
  /// Before connecting again; doubled each time, up to the longest one.
  static constexpr MonotonicNs first_wait_ns = 500'000'000, longest_wait_ns = 30'000'000'000;
  /// A connection that is not open after this time is given up.
  static constexpr MonotonicNs opening_ns = 30'000'000'000;
  /// One that lasts so long has proved itself.
  static constexpr MonotonicNs proved_ns = 10'000'000'000;

  bool has_ended() const { return ended_; }

  int fd() const override { return connection_ ? connection_->fd() : -1; }
  bool wants_write() const override { return connection_ && connection_->wants_write(); }
  void on_ready(MonotonicNs now) override { exchange(now); }
  std::optional<MonotonicNs> deadline() const override;
  std::string describe() const override;

 protected:
  using Log = std::function<void(int level, const std::string& text)>;  // levels of syslog
  enum class Phase : std::uint8_t { away, opening, open };

  /// `meanwhile`: where what is not accepted is, for the log.
  AmqpLink(std::string url, std::string meanwhile, Log log);

  /// Not open yet. Throws std::runtime_error.
  virtual std::unique_ptr<AmqpConnection> make_connection() = 0;
  /// Acts on what has come, and says what is to go.
  virtual void work(MonotonicNs now) = 0;
  /// The connection is lost.
  virtual void lost(MonotonicNs now) = 0;
  /// The link has proved itself; the line of the log.
  virtual std::string proved() = 0;

  /// Bytes in, work, bytes out, until nothing moves.
  void exchange(MonotonicNs now);
  /// To be called by on_deadline(). True: it connected, or gave up a connection.
  bool attend(MonotonicNs now);
  /// The broker has opened it.
  void opened(MonotonicNs now);
  /// Once for a connection, when it has proved itself: a broker that breaks each one is not told as good each time.
  void announce();
  bool is_proved_by_time(MonotonicNs now) const {
    return phase_ == Phase::open && now - opened_ns_ >= proved_ns;
  }
  void begin_pauses_anew() { wait_ns_ = first_wait_ns; }
  void drop(const std::string& why, MonotonicNs now);
  /// Takes leave of the broker, and ends.
  void leave();

  AmqpSession& session() { return connection_->session(); }
  Phase phase() const { return phase_; }
  const std::string& url() const { return url_; }
  const std::string& trouble() const { return told_; }
  bool is_ending() const { return ending_; }
  void set_ending() { ending_ = true; }
  /// The derived class's own deadline; it goes on at the tick behind it.
  void tick_at(MonotonicNs at) { tick_at_ = at; }
  MonotonicNs connects_at() const { return connect_at_; }

 private:
  void connect(MonotonicNs now);

  const std::string url_, meanwhile_;
  const Log log_;
  std::unique_ptr<AmqpConnection> connection_;
  Phase phase_ = Phase::away;
  bool ending_ = false, ended_ = false, is_announced_ = false;
  MonotonicNs wait_ns_ = first_wait_ns, connect_at_ = 0, opening_until_ = 0, opened_ns_ = 0;
  std::optional<MonotonicNs> tick_at_ = 0, session_at_;
  std::string told_;  // each trouble once
};

}  // namespace datum
