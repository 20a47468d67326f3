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

#include "daemon/plant/amqp_link.h"
#include "daemon/plant/cfx_messages.h"
#include "daemon/plant/delivery_window.h"
#include "daemon/plant/plant_feed.h"

namespace datum {

struct PlantLinkActions {
  std::function<BrokerAccess()>
      access;  // for each connection; throws RefusedError that names an unusable file
  std::function<void(const PlantPosition&)> keep;               // everything up to there was accepted
  std::function<void(int level, const std::string& text)> log;  // levels of syslog
  std::function<std::string()> utc;                             // now, ISO 8601
  std::function<void(const std::string&)> status;               // one line, when it has changed
};

class PlantLink final : public AmqpLink {
 public:
  /// A broker that accepts nothing for so long is named in the log ...
  static constexpr MonotonicNs slow_ns = 60'000'000'000;
  /// ... and after this time the connection is made anew; doubled each time, or one that answers later than that would
  /// never end.
  static constexpr MonotonicNs first_patience_ns = 900'000'000'000, longest_patience_ns = 14'400'000'000'000;

  PlantLink(const std::filesystem::path& store, const PlantSettings& settings, const PlantPosition& from,
            PlantLinkActions actions);

  /// Takes leave: EndpointShuttingDown, then at most 5 s for what is open.
  void end(MonotonicNs now);

  void on_deadline(MonotonicNs now) override;

 private:
  std::unique_ptr<AmqpConnection> make_connection() override;
  void work(MonotonicNs now) override;
  /// Everything that was not accepted is sent again.
  void lost(MonotonicNs now) override;
  std::string proved() override;
  void hear(MonotonicNs now);
  void fill(MonotonicNs now);
  bool send(const PlantMessage& message);
  void look_for_progress(MonotonicNs now);
  void greet(MonotonicNs now);
  void tell(const CfxMessage& message);
  const PlantMessage* next_message();
  void keep();
  void report();
  void finish();
  CfxOrigin origin() const { return {settings_.handle, actions_.utc()}; }

  const PlantSettings settings_;
  const PlantLinkActions actions_;
  PlantPosition accepted_;
  PlantFeed feed_;
  DeliveryWindow window_;

  std::optional<std::size_t> messages_, entries_;  // senders
  bool greeted_ = false;                           // EndpointConnected was sent on this connection
  bool is_drained_ = false;                        // the store has nothing newer
  bool is_waiting_ = false;                        // something is to be accepted
  bool is_kept_ = true, is_slow_ = false;
  MonotonicNs patience_ns_ = first_patience_ns;
  MonotonicNs kept_ns_ = 0, heart_at_ = 0, ending_until_ = 0;
  MonotonicNs progress_ns_ = 0;  // the newest acceptance, or when nothing was to be accepted
  std::optional<MonotonicNs> offline_since_;
  std::string store_told_, keep_told_, status_;  // each trouble once
};

}  // namespace datum
