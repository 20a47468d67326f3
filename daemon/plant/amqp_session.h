// AmqpSession: one connection of an AMQP 1.0 client (ISO/IEC 19464) that sends or receives, by Qpid Proton's engine. It has no descriptor
// and no clock: its user moves bytes between it and a port, and tells it the time.
//
// Messages are sent unsettled (at least once). Each has a number, counted from 1 within the connection, by which its outcome is
// reported. A peer that would take messages without confirming them is refused. What arrives counts from 1 likewise, and comes again in
// another connection where it was not accepted in this one.
#pragma once

#include <proton/connection_driver.h>
#include <proton/message.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daemon/plant/amqp_sasl.h"
#include "drivers/frame/probe_point.h"

namespace datum {

/// Who connects.
struct AmqpIdentity {
  std::string container;         // id of this client
  std::string host;              // the peer's name, as it was asked for
  std::string user, password{};  // SASL PLAIN; empty: none
  bool certificate = false;      // TLS below shows one: SASL EXTERNAL
};

struct AmqpMessage {
  std::string id, subject, content_type;
  bool durable = true;
  std::vector<std::pair<std::string, std::string>> properties{};  // of the application
  std::string body;                                               // bytes: one section of data
};

/// What the peer said about a message.
struct AmqpOutcome {
  std::uint64_t number = 0;
  bool accepted = false;
  std::string
      how;  // where not accepted: "rejected: amqp:not-allowed", "released", "settled without an outcome"
};

/// A message of the peer.
struct AmqpArrival {
  std::uint64_t number = 0;
  std::string body;  // bytes of its section; of a message that has none, or can't be decoded, all that came
};

class AmqpSession {
 public:
  /// `addresses`: of the senders, which are numbered in their order. `source`: of the receiver; empty: none. Throws std::bad_alloc.
  AmqpSession(const AmqpIdentity& who, const std::vector<std::string>& addresses,
              const std::string& source = "");
  ~AmqpSession();
  AmqpSession(const AmqpSession&) = delete;
  AmqpSession& operator=(const AmqpSession&) = delete;

  // Bytes. Call process() after them.
  pn_rwbytes_t room() { return pn_connection_driver_read_buffer(&driver_); }
  void received(std::size_t bytes) { pn_connection_driver_read_done(&driver_, bytes); }
  std::string_view output();
  void sent(std::size_t bytes) { pn_connection_driver_write_done(&driver_, bytes); }
  /// Tells the time; the answer is when to tell it again at the latest. None: never.
  std::optional<MonotonicNs> tick(MonotonicNs now);
  /// Acts on what has arrived.
  void process();

  /// Both sides have opened the connection.
  bool is_open() const { return open_; }
  /// Why the connection, its session or a sender has ended; empty: none has.
  const std::string& ended() const { return ended_; }
  /// Outcomes since the last call, in the peer's order.
  std::vector<AmqpOutcome> outcomes() { return std::exchange(outcomes_, {}); }

  /// The peer takes a message at this sender now.
  bool may_send(std::size_t sender) const;
  /// Returns its number; none: it exceeds the peer's max-message-size, which `ended()` then says.
  std::optional<std::uint64_t> send(std::size_t sender, const AmqpMessage& message);
  /// The peer gives messages to the receiver.
  bool may_receive() const;
  /// So many more may come.
  void allow(std::uint32_t messages);
  /// What has come since the last call, in the peer's order.
  std::vector<AmqpArrival> arrivals() { return std::exchange(arrivals_, {}); }
  /// The peer may forget it. Each is accepted at most once.
  void accept(std::uint64_t arrival);

  /// Closes in order, behind what was sent.
  void close();

 private:
  void handle(pn_event_t* event);
  void attach_sender(pn_session_t* session, const std::string& address);
  void attach_receiver(pn_session_t* session, const std::string& source);
  void attached(pn_link_t* link);
  void take(pn_link_t* link);
  void settle(pn_delivery_t* delivery);
  void end(const std::string& what, pn_condition_t* condition);
  std::string body_of(const std::string& bytes);
  std::string_view encoded(const AmqpMessage& message);

  struct MessageFree {
    void operator()(pn_message_t* message) const { pn_message_free(message); }
  };

  AmqpSasl sasl_;
  pn_connection_driver_t driver_{};
  std::vector<pn_link_t*> senders_;
  std::vector<std::string> addresses_;
  pn_link_t* receiver_ = nullptr;
  std::unique_ptr<pn_message_t, MessageFree> message_;
  std::string buffer_;  // of an encoded message
  std::uint64_t number_ = 0, arrived_ = 0;
  bool open_ = false;
  std::string ended_;
  std::vector<AmqpOutcome> outcomes_;
  std::vector<AmqpArrival> arrivals_;
  std::map<std::uint64_t, pn_delivery_t*> unaccepted_;
};

}  // namespace datum
