#include "tests/daemon/plant/test_broker.h"

#include <proton/condition.h>
#include <proton/connection.h>
#include <proton/delivery.h>
#include <proton/disposition.h>
#include <proton/link.h>
#include <proton/message.h>
#include <proton/sasl.h>
#include <proton/sasl_plugin.h>
#include <proton/session.h>
#include <proton/terminus.h>
#include <proton/transport.h>

#include <algorithm>
#include <cstring>
#include <new>

namespace datum::testing {

struct TestBroker::Wire {
  std::string to_broker, to_client;
  bool is_cut = false;      // by the broker: nothing more comes through
  bool has_closed = false;  // the client: what it had written can be read
};

/// The client's end.
class BrokerPort final : public Port {
 public:
  explicit BrokerPort(TestBroker& broker) : broker_(broker) {}
  ~BrokerPort() override { BrokerPort::close(); }
  void open() override;
  void close() noexcept override {
    if (wire_) wire_->has_closed = true;
    wire_.reset();
  }
  bool is_open() const override { return wire_ != nullptr; }
  int fd() const override { return -1; }
  std::size_t read(std::uint8_t* to, std::size_t room) override {
    if (!wire_) throw LostError("broker: is not open");
    if (wire_->to_client.empty() && wire_->is_cut) throw LostError("broker: the peer hung up");
    const std::size_t n = std::min(room, wire_->to_client.size());
    std::memcpy(to, wire_->to_client.data(), n);
    wire_->to_client.erase(0, n);
    return n;
  }
  std::size_t write(const std::uint8_t* from, std::size_t size) override {
    if (!wire_ || wire_->is_cut) throw LostError("broker: write failed");
    constexpr std::size_t most = 256 * 1024;  // as a socket's buffer
    const std::size_t n = std::min(size, most - std::min(most, wire_->to_broker.size()));
    wire_->to_broker.append(reinterpret_cast<const char*>(from), n);
    return n;
  }
  std::string describe() const override { return "broker"; }

 private:
  TestBroker& broker_;
  std::shared_ptr<TestBroker::Wire> wire_;
};

class TestBroker::Connection {
 public:
  Connection(TestBroker& broker, const Behaviour& behaviour) : broker_(broker), behaviour_(behaviour) {
    if (pn_connection_driver_init(&driver_, nullptr, nullptr) != 0) throw std::bad_alloc();
    pn_transport_set_server(driver_.transport);
    if (behaviour.max_frame != 0) pn_transport_set_max_frame(driver_.transport, behaviour.max_frame);
    if (behaviour.idle_ms != 0)
      pn_transport_set_idle_timeout(driver_.transport, static_cast<pn_millis_t>(behaviour.idle_ms));
    pn_sasl(driver_.transport);
    pnx_sasl_set_implementation(driver_.transport, &server(), this);
    process();
  }
  ~Connection() {
    pn_connection_driver_destroy(&driver_);
    for (auto given = given_.rbegin(); given != given_.rend(); ++given)
      broker_.queue.push_front(given->second);
  }

  bool step(Wire& wire, MonotonicNs now) {
    bool moved = false;
    if (behaviour_.is_silent) return false;
    if (!behaviour_.garbage.empty()) {
      wire.to_client += std::exchange(behaviour_.garbage, "");
      behaviour_.is_silent = true;
      return true;
    }
    while (!wire.to_broker.empty()) {
      const pn_rwbytes_t room = pn_connection_driver_read_buffer(&driver_);
      if (room.size == 0) break;
      std::size_t n = std::min(room.size, wire.to_broker.size());
      if (behaviour_.cut_behind != 0) n = std::min(n, behaviour_.cut_behind - read_);
      std::memcpy(room.start, wire.to_broker.data(), n);
      wire.to_broker.erase(0, n);
      pn_connection_driver_read_done(&driver_, n);
      process();
      read_ += n;
      moved = true;
      if (behaviour_.cut_behind != 0 && read_ >= behaviour_.cut_behind) {
        wire.is_cut = true;
        return true;
      }
    }
    pn_transport_tick(driver_.transport, now / 1'000'000 + 1);
    process();
    if (giver_) give_queue();
    for (pn_bytes_t bytes = pn_connection_driver_write_buffer(&driver_); bytes.size > 0;
         bytes = pn_connection_driver_write_buffer(&driver_)) {
      wire.to_client.append(bytes.start, bytes.size);
      pn_connection_driver_write_done(&driver_, bytes.size);
      process();
      moved = true;
    }
    if (pn_connection_driver_finished(&driver_)) wire.is_cut = true;
    return moved;
  }

  void answer_late(Answer answer) {
    for (const auto& [delivery, taken] : kept_) give(delivery, taken, answer);
    kept_.clear();
    process();
  }
  void close() {
    fail(pn_connection_condition(driver_.connection));
    pn_connection_close(driver_.connection);
    process();
  }

 private:
  static void fail(pn_condition_t* condition) {
    pn_condition_set_name(condition, "amqp:internal-error");
    pn_condition_set_description(condition, "no disk left");
  }
  static const pnx_sasl_implementation& server() {
    static const pnx_sasl_implementation made = [] {
      pnx_sasl_implementation sasl{};
      sasl.free = [](pn_transport_t*) {};
      sasl.list_mechanisms = [](pn_transport_t* t) {
        return static_cast<Connection*>(pnx_sasl_get_context(t))->behaviour_.mechanisms;
      };
      sasl.init_server = [](pn_transport_t* t) {
        pnx_sasl_set_desired_state(t, SASL_POSTED_MECHANISMS);
        return true;
      };
      sasl.init_client = [](pn_transport_t*) { return false; };
      sasl.prepare_write = [](pn_transport_t*) {};
      sasl.process_init = [](pn_transport_t* t, const char* mechanism, const pn_bytes_t* response) {
        auto* self = static_cast<Connection*>(pnx_sasl_get_context(t));
        self->broker_.mechanism_of_connection.push_back(std::string(mechanism) +
                                                        std::string(response->start, response->size));
        self->behaviour_.denies ? pnx_sasl_set_failed(t) : pnx_sasl_set_succeeded(t, "cell", "");
        pnx_sasl_set_desired_state(t, SASL_POSTED_OUTCOME);
      };
      sasl.process_response = [](pn_transport_t*, const pn_bytes_t*) {};
      sasl.process_mechanisms = [](pn_transport_t*, const char*) { return false; };
      sasl.process_challenge = [](pn_transport_t*, const pn_bytes_t*) {};
      sasl.process_outcome = [](pn_transport_t*, const pn_bytes_t*) {};
      sasl.can_encrypt = [](pn_transport_t*) { return false; };
      sasl.max_encrypt_size = [](pn_transport_t*) { return ssize_t{0}; };
      sasl.encode = [](pn_transport_t*, pn_bytes_t, pn_bytes_t*) { return ssize_t{0}; };
      sasl.decode = [](pn_transport_t*, pn_bytes_t, pn_bytes_t*) { return ssize_t{0}; };
      return sasl;
    }();
    return made;
  }

  void process() {
    while (pn_event_t* event = pn_connection_driver_next_event(&driver_)) handle(event);
  }
  void handle(pn_event_t* event) {
    switch (pn_event_type(event)) {
      case PN_CONNECTION_REMOTE_OPEN:
        pn_connection_open(driver_.connection);
        if (behaviour_.closes_connection) {
          fail(pn_connection_condition(driver_.connection));
          pn_connection_close(driver_.connection);
        }
        return;
      case PN_SESSION_REMOTE_OPEN:
        return pn_session_open(pn_event_session(event));
      case PN_LINK_REMOTE_OPEN:
        return attach(pn_event_link(event));
      case PN_DELIVERY:
        return pn_event_link(event) == giver_ ? forget(pn_event_delivery(event))
                                              : take(pn_event_delivery(event));
      case PN_CONNECTION_REMOTE_CLOSE:
        return pn_connection_close(driver_.connection);
      default:
        return;
    }
  }
  void attach(pn_link_t* link) {
    pn_terminus_copy(pn_link_source(link), pn_link_remote_source(link));
    pn_terminus_copy(pn_link_target(link), pn_link_remote_target(link));
    if (behaviour_.has_no_target)
      pn_terminus_set_type(pn_link_is_sender(link) ? pn_link_source(link) : pn_link_target(link),
                           PN_UNSPECIFIED);
    pn_link_set_snd_settle_mode(link, behaviour_.takes_settled   ? PN_SND_SETTLED
                                      : behaviour_.gives_settled ? PN_SND_MIXED
                                                                 : PN_SND_UNSETTLED);
    if (behaviour_.max_message != 0) pn_link_set_max_message_size(link, behaviour_.max_message);
    pn_link_open(link);
    if (behaviour_.detaches) {
      fail(pn_link_condition(link));
      return pn_link_close(link);
    }
    if (pn_link_is_sender(link))
      giver_ = link;
    else
      pn_link_flow(link, behaviour_.credit);
  }
  void give_queue() {
    while (pn_link_credit(giver_) > 0 && !broker_.queue.empty()) {
      const std::string body = broker_.queue.front();
      broker_.queue.pop_front();
      std::string bytes = body;
      if (!broker_.raw) {
        pn_message_t* message = pn_message();
        pn_message_set_inferred(message, true);
        pn_data_put_binary(pn_message_body(message), pn_bytes(body.size(), body.data()));
        bytes.assign(body.size() + 1024, '\0');
        std::size_t size = bytes.size();
        if (pn_message_encode(message, bytes.data(), &size) != 0) throw std::bad_alloc();
        bytes.resize(size);
        pn_message_free(message);
      }
      const std::string tag = std::to_string(++given_count_);
      pn_delivery_t* delivery = pn_delivery(giver_, pn_dtag(tag.data(), tag.size()));
      pn_link_send(giver_, bytes.data(), bytes.size());
      pn_link_advance(giver_);
      if (behaviour_.gives_settled) {
        broker_.queue.push_back(body);  // for the test's next connection; a real one has forgotten it
        pn_delivery_settle(delivery);
        return;
      }
      given_.emplace_back(delivery, body);
    }
  }
  void forget(pn_delivery_t* delivery) {
    const auto found =
        std::find_if(given_.begin(), given_.end(), [&](const auto& g) { return g.first == delivery; });
    if (found == given_.end() || pn_delivery_remote_state(delivery) != PN_ACCEPTED) return;
    broker_.forgotten.push_back(found->second);
    given_.erase(found);
    pn_delivery_settle(delivery);
  }
  void take(pn_delivery_t* delivery) {
    if (!pn_delivery_readable(delivery) || pn_delivery_partial(delivery)) return;
    pn_link_t* link = pn_delivery_link(delivery);
    std::string bytes(pn_delivery_pending(delivery), '\0');
    pn_link_recv(link, bytes.data(), bytes.size());
    Taken taken;
    taken.tag_bytes = pn_delivery_tag(delivery).size;
    taken.address = pn_terminus_get_address(pn_link_remote_target(link));
    read(bytes, taken);
    pn_link_advance(link);
    if (pn_link_credit(link) < behaviour_.credit / 2 + 1)
      pn_link_flow(link, behaviour_.credit - pn_link_credit(link));
    broker_.taken.push_back(taken);
    waiting_.emplace_back(delivery, taken);
    if (waiting_.size() < behaviour_.answers_at_once) return;
    std::reverse(waiting_.begin(), waiting_.end());
    for (const auto& [of, what] : waiting_) give(of, what, behaviour_.answer(what));
    waiting_.clear();
  }
  static void read(const std::string& bytes, Taken& taken) {
    pn_message_t* message = pn_message();
    if (pn_message_decode(message, bytes.data(), bytes.size()) == 0) {
      const pn_atom_t id = pn_message_get_id(message);
      taken.id.assign(id.u.as_bytes.start, id.u.as_bytes.size);
      taken.subject = pn_message_get_subject(message);
      taken.durable = pn_message_is_durable(message);
      taken.is_data = pn_message_is_inferred(message);
      pn_data_t* body = pn_message_body(message);
      pn_data_next(body);
      const pn_bytes_t binary = pn_data_get_binary(body);
      taken.body.assign(binary.start, binary.size);
    }
    pn_message_free(message);
  }
  void give(pn_delivery_t* delivery, const Taken& taken, Answer answer) {
    switch (answer) {
      case Answer::keep_silent:
        kept_.emplace_back(delivery, taken);
        return;
      case Answer::accept:
        broker_.accepted.insert(taken.id);
        if (behaviour_.stores && taken.durable) broker_.stored.insert(taken.id);
        pn_delivery_update(delivery, PN_ACCEPTED);
        break;
      case Answer::reject:
        fail(pn_disposition_condition(pn_delivery_local(delivery)));
        pn_delivery_update(delivery, PN_REJECTED);
        break;
      case Answer::release:
        pn_delivery_update(delivery, PN_RELEASED);
        break;
      case Answer::modify:
        pn_delivery_update(delivery, PN_MODIFIED);
        break;
      case Answer::settle_only:
        break;
    }
    pn_delivery_settle(delivery);
  }

  TestBroker& broker_;
  Behaviour behaviour_;
  pn_connection_driver_t driver_{};
  std::size_t read_ = 0;
  std::vector<std::pair<pn_delivery_t*, Taken>> waiting_, kept_;
  pn_link_t* giver_ = nullptr;
  std::vector<std::pair<pn_delivery_t*, std::string>> given_;  // and not accepted
  int given_count_ = 0;
};

void BrokerPort::open() {
  if (broker_.behaviour.refuses) throw LostError("broker: connection refused");
  wire_ = std::make_shared<TestBroker::Wire>();
  if (broker_.wire_) broker_.wire_->is_cut = true;
  broker_.wire_ = wire_;
  broker_.connection_ = std::make_unique<TestBroker::Connection>(broker_, broker_.behaviour);
  ++broker_.connections;
}

TestBroker::TestBroker() = default;
TestBroker::~TestBroker() = default;

std::unique_ptr<Port> TestBroker::port() { return std::make_unique<BrokerPort>(*this); }

bool TestBroker::step(MonotonicNs now) {
  if (!connection_ || !wire_ || wire_->is_cut || is_mute) return false;
  const bool moved = connection_->step(*wire_, now);
  if (!wire_->has_closed || !wire_->to_broker.empty()) return moved;
  wire_->is_cut = true;
  return false;
}

void TestBroker::answer_late(Answer answer) {
  if (connection_) connection_->answer_late(answer);
}
void TestBroker::cut() {
  if (wire_) wire_->is_cut = true;
}
void TestBroker::close_connection() {
  if (connection_) connection_->close();
}

}  // namespace datum::testing
