// A broker of AMQP 1.0 in memory, by Proton's engine in the part of the server, that behaves as badly as it is told.
#pragma once

#include <proton/connection_driver.h>

#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "daemon/plant/plant_link.h"

namespace datum::testing {

struct Taken {
  std::string address, id, subject, body;
  bool durable = false, is_data = false;  // is_data: one section of data
  std::size_t tag_bytes = 0;
};

enum class Answer : std::uint8_t { accept, reject, release, modify, settle_only, keep_silent };

/// What a connection does.
struct Behaviour {
  std::function<Answer(const Taken&)> answer = [](const Taken&) { return Answer::accept; };
  bool stores = true;               // false: accepts, and forgets
  int credit = 100;                 // kept up
  std::uint32_t max_frame = 0;      // bytes; 0: any
  std::uint64_t max_message = 0;    // bytes; 0: any
  int idle_ms = 0;                  // demanded of the peer
  std::size_t answers_at_once = 1;  // outcomes are given together, the newest first where more than 1
  std::size_t cut_behind = 0;       // bytes that it reads before the connection breaks; 0: does not
  std::string garbage;              // in place of the protocol
  bool refuses = false;             // no connection at all
  bool is_silent = false;           // connects, and says nothing
  bool closes_connection = false;   // with an error, as soon as it is open
  bool detaches = false;            // each link, with an error, as soon as it is attached
  bool has_no_target = false;       // attaches without a target, or a source
  bool takes_settled = false;       // wants messages without outcomes
  bool gives_settled = false;       // gives messages without waiting, on a link whose sender may do either
  const char* mechanisms = "PLAIN EXTERNAL ANONYMOUS";
  bool denies = false;  // whoever it is
};

class TestBroker {
 public:
  TestBroker();
  ~TestBroker();

  Behaviour behaviour;  // of the connections to come
  /// A port to it, for BrokerAccess.
  std::unique_ptr<Port> port();
  /// Moves bytes on its side. True: some moved.
  bool step(MonotonicNs now);
  /// Gives the outcomes that it has kept back, as `answer` says.
  void answer_late(Answer answer);
  /// The connection breaks; its queue stays.
  void cut();
  void close_connection();

  std::vector<Taken> taken;        // all of them, repeated ones too
  std::set<std::string> stored;    // ids of durable messages that it accepted and stored
  std::set<std::string> accepted;  // ids that it accepted
  std::deque<std::string>
      queue;         // bodies that it gives to a receiver, and again to the next where they were not accepted
  bool raw = false;  // gives them as they are, not in a message
  std::vector<std::string> forgotten;  // bodies that a receiver accepted
  std::vector<std::string> mechanism_of_connection;
  int connections = 0;
  bool is_mute = false;  // neither reads nor writes

 private:
  class Connection;
  std::unique_ptr<Connection> connection_;
  friend class BrokerPort;
  struct Wire;
  std::shared_ptr<Wire> wire_;
};

}  // namespace datum::testing
