// The link to the broker: AMQP 1.0, at least once, in the order of the store.
//
// A message counts as delivered when the broker has accepted it, and an entry when all messages up to it are. After a lost
// connection, and after a message that the broker did not take, everything behind the newest delivered entry is sent again, with the
// same ids. Nothing is skipped: a broker that refuses a message holds the link back, and the log says which.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "daemon/plant/amqp_connection.h"
#include "daemon/plant/cfx_messages.h"
#include "daemon/plant/delivery_window.h"
#include "daemon/plant/plant_feed.h"
#include "drivers/port/pollable.h"

namespace datum {

struct PlantLinkActions {
  std::function<BrokerAccess()>
      access;  // for each connection; throws RefusedError that names an unusable file
  std::function<void(const PlantPosition&)> keep;               // everything up to there was accepted
  std::function<void(int level, const std::string& text)> log;  // levels of syslog
  std::function<std::string()> utc;                             // now, ISO 8601
  std::function<void(const std::string&)> status;               // one line, when it has changed
};

class PlantLink final : public Pollable {
 public:
  // Before connecting again; doubled each time, until something is accepted.
  static constexpr MonotonicNs first_wait_ns = 500'000'000, longest_wait_ns = 30'000'000'000;
  /// A connection that is not open after this time is given up.
  static constexpr MonotonicNs opening_ns = 30'000'000'000;
  /// A broker that accepts nothing for so long is named in the log ...
  static constexpr MonotonicNs slow_ns = 60'000'000'000;
  /// ... and after this time the connection is made anew; doubled each time, or one that answers later than that would
  /// never end.
  static constexpr MonotonicNs first_patience_ns = 900'000'000'000, longest_patience_ns = 14'400'000'000'000;

  PlantLink(const std::filesystem::path& store, const PlantSettings& settings, const PlantPosition& from,
            PlantLinkActions actions);

  /// Takes leave: EndpointShuttingDown, then at most 5 s for what is open.
  void end(MonotonicNs now);
  bool has_ended() const { return ended_; }

  int fd() const override { return connection_ ? connection_->fd() : -1; }
  bool wants_write() const override { return connection_ && connection_->wants_write(); }
  void on_ready(MonotonicNs now) override { exchange(now); }
  std::optional<MonotonicNs> deadline() const override;
  void on_deadline(MonotonicNs now) override;
  std::string describe() const override;

 private:
  enum class Phase : std::uint8_t { away, opening, open };

  void connect(MonotonicNs now);
  void exchange(MonotonicNs now);
  void hear(MonotonicNs now);
  void fill(MonotonicNs now);
  bool send(const PlantMessage& message);
  void drop(const std::string& why, MonotonicNs now);
  void look_for_progress(MonotonicNs now);
  void greet(MonotonicNs now);
  void announce();
  void tell(const CfxMessage& message);
  const PlantMessage* next_message();
  void keep();
  void report();
  void leave();
  CfxOrigin origin() const { return {settings_.handle, actions_.utc()}; }

  const PlantSettings settings_;
  const PlantLinkActions actions_;
  PlantPosition accepted_;
  PlantFeed feed_;
  DeliveryWindow window_;

  std::unique_ptr<AmqpConnection> connection_;
  std::optional<std::size_t> messages_, entries_;  // senders
  Phase phase_ = Phase::away;
  bool greeted_ = false;     // EndpointConnected was sent on this connection
  bool is_drained_ = false;  // the store has nothing newer
  bool is_waiting_ = false;  // something is to be accepted
  bool is_kept_ = true, ending_ = false, ended_ = false, is_slow_ = false;
  bool is_announced_ = false;
  MonotonicNs wait_ns_ = first_wait_ns, patience_ns_ = first_patience_ns;
  std::optional<MonotonicNs> tick_at_, session_at_;
  MonotonicNs connect_at_ = 0, opening_until_ = 0, opened_ns_ = 0, kept_ns_ = 0, heart_at_ = 0,
              ending_until_ = 0;
  MonotonicNs progress_ns_ = 0;  // the newest acceptance, or when nothing was to be accepted
  std::optional<MonotonicNs> offline_since_;
  std::string told_, store_told_, keep_told_, status_;  // each trouble once
};

}  // namespace datum
