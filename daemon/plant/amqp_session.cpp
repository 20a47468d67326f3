#include "daemon/plant/amqp_session.h"

#include <fmt/format.h>
#include <proton/condition.h>
#include <proton/connection.h>
#include <proton/delivery.h>
#include <proton/disposition.h>
#include <proton/link.h>
#include <proton/sasl.h>
#include <proton/session.h>
#include <proton/terminus.h>
#include <proton/transport.h>

#include <cstring>
#include <new>

namespace datum {
namespace {

constexpr pn_millis_t idle_ms = 30'000;             // without a byte the connection is dead
constexpr std::uint32_t most_frame_bytes = 65'536;  // from the peer, whose frames are outcomes and credit
constexpr std::size_t longest_words = 300;          // of the peer, in a message

pn_bytes_t bytes_of(const std::string& text) { return pn_bytes(text.size(), text.data()); }

/// The peer's words, as one line of printable characters.
std::string shown(const char* text) {
  std::string line = std::string(text ? text : "").substr(0, longest_words);
  for (char& c : line)
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) c = ' ';
  return line;
}

std::string words_of(pn_condition_t* condition) {
  if (!condition || !pn_condition_is_set(condition)) return "";
  const std::string name = shown(pn_condition_get_name(condition)),
                    description = shown(pn_condition_get_description(condition));
  return description.empty() ? name : name + ": " + description;
}

std::string how_of(pn_delivery_t* delivery) {
  switch (pn_delivery_remote_state(delivery)) {
    case PN_REJECTED: {
      const std::string why = words_of(pn_disposition_condition(pn_delivery_remote(delivery)));
      return why.empty() ? "rejected" : "rejected: " + why;
    }
    case PN_RELEASED:
      return "released";
    case PN_MODIFIED:
      return "released (modified)";
    default:
      return "settled without an outcome";
  }
}

bool is_outcome(std::uint64_t state) {
  return state == PN_ACCEPTED || state == PN_REJECTED || state == PN_RELEASED || state == PN_MODIFIED;
}

}  // namespace

AmqpSession::AmqpSession(const AmqpIdentity& who, const std::vector<std::string>& addresses,
                         const std::string& source)
    : sasl_(who.certificate, who.user, who.password), addresses_(addresses), message_(pn_message()) {
  if (!message_ || pn_connection_driver_init(&driver_, nullptr, nullptr) != 0) throw std::bad_alloc();
  pn_connection_set_container(driver_.connection, who.container.c_str());
  pn_connection_set_hostname(driver_.connection, who.host.c_str());
  pn_transport_set_idle_timeout(driver_.transport, idle_ms);
  // Without it the engine would make room for whatever a frame's header says.
  pn_transport_set_max_frame(driver_.transport, most_frame_bytes);
  sasl_.attach(driver_.transport);
  pn_connection_open(driver_.connection);
  pn_session_t* session = pn_session(driver_.connection);
  pn_session_open(session);
  for (const std::string& address : addresses) attach_sender(session, address);
  if (!source.empty()) attach_receiver(session, source);
  process();
}

void AmqpSession::attach_sender(pn_session_t* session, const std::string& address) {
  pn_link_t* sender = pn_sender(session, address.c_str());
  pn_terminus_set_address(pn_link_target(sender), address.c_str());
  pn_link_set_snd_settle_mode(sender, PN_SND_UNSETTLED);
  pn_link_set_rcv_settle_mode(sender, PN_RCV_FIRST);
  pn_link_open(sender);
  senders_.push_back(sender);
}

void AmqpSession::attach_receiver(pn_session_t* session, const std::string& source) {
  receiver_ = pn_receiver(session, source.c_str());
  pn_terminus_set_address(pn_link_source(receiver_), source.c_str());
  pn_link_set_snd_settle_mode(receiver_, PN_SND_UNSETTLED);
  pn_link_set_rcv_settle_mode(receiver_, PN_RCV_FIRST);
  pn_link_open(receiver_);
}

AmqpSession::~AmqpSession() { pn_connection_driver_destroy(&driver_); }

std::string_view AmqpSession::output() {
  const pn_bytes_t bytes = pn_connection_driver_write_buffer(&driver_);
  return {bytes.start, bytes.size};
}

std::optional<MonotonicNs> AmqpSession::tick(MonotonicNs now) {
  // Proton takes 0 for no time.
  const std::int64_t next = pn_transport_tick(driver_.transport, now / ns_per_ms + 1);
  if (next == 0) return std::nullopt;
  return (next - 1) * ns_per_ms;
}

void AmqpSession::process() {
  while (pn_event_t* event = pn_connection_driver_next_event(&driver_)) handle(event);
  const pn_sasl_outcome_t outcome = pn_sasl_outcome(pn_sasl(driver_.transport));
  if (outcome != PN_SASL_NONE && outcome != PN_SASL_OK)
    end(fmt::format("it refuses this client by SASL {} (amqp:unauthorized-access): {}", sasl_.mechanism(),
                    sasl_.objection().empty() ? "its user, password or certificate" : sasl_.objection()),
        nullptr);
}

void AmqpSession::handle(pn_event_t* event) {
  switch (pn_event_type(event)) {
    case PN_CONNECTION_REMOTE_OPEN:
      open_ = true;
      return;
    case PN_LINK_REMOTE_OPEN:
      return attached(pn_event_link(event));
    case PN_DELIVERY:
      return pn_event_link(event) == receiver_ ? take(receiver_) : settle(pn_event_delivery(event));
    case PN_CONNECTION_REMOTE_CLOSE:
      return end("it closed the connection", pn_connection_remote_condition(driver_.connection));
    case PN_SESSION_REMOTE_CLOSE:
      return end("it ended the session", pn_session_remote_condition(pn_event_session(event)));
    case PN_LINK_REMOTE_CLOSE:
    case PN_LINK_REMOTE_DETACH: {
      pn_link_t* link = pn_event_link(event);
      return end(fmt::format("it closed the way to {}", shown(pn_link_name(link))),
                 pn_link_remote_condition(link));
    }
    case PN_TRANSPORT_ERROR:
      if (!sasl_.objection().empty()) return end(sasl_.objection(), nullptr);
      return end("the connection failed", pn_transport_condition(driver_.transport));
    case PN_TRANSPORT_CLOSED:
      return end("the connection ended", nullptr);
    default:
      return;
  }
}

/// A link without a target is one that the peer closes at once (2.6.3 of part 2).
void AmqpSession::attached(pn_link_t* link) {
  if (pn_link_remote_snd_settle_mode(link) != PN_SND_SETTLED) return;
  if (link == receiver_)
    end(fmt::format("it gives messages of {} without waiting for their acceptance",
                    shown(pn_link_name(link))),
        nullptr);
  else
    end(fmt::format("it takes messages to {} without confirming them", shown(pn_link_name(link))), nullptr);
}

void AmqpSession::settle(pn_delivery_t* delivery) {
  const std::uint64_t state = pn_delivery_remote_state(delivery);
  if (!is_outcome(state) && !pn_delivery_settled(delivery)) return;  // not yet
  // A peer may tell of it twice before the first time is looked at.
  if (pn_delivery_get_context(delivery) == this) return;
  pn_delivery_set_context(delivery, this);
  AmqpOutcome outcome;
  const pn_delivery_tag_t tag = pn_delivery_tag(delivery);
  std::memcpy(&outcome.number, tag.start, std::min(tag.size, sizeof outcome.number));
  outcome.accepted = state == PN_ACCEPTED;
  if (!outcome.accepted) outcome.how = how_of(delivery);
  pn_delivery_settle(delivery);
  outcomes_.push_back(std::move(outcome));
}

/// Whole messages; a delivery that its sender aborts has no end.
void AmqpSession::take(pn_link_t* link) {
  for (pn_delivery_t* delivery = pn_link_current(link);
       delivery && pn_delivery_readable(delivery) && !pn_delivery_partial(delivery);
       delivery = pn_link_current(link)) {
    const bool is_aborted = pn_delivery_aborted(delivery);
    std::string bytes(is_aborted ? 0 : pn_delivery_pending(delivery), '\0');
    if (!bytes.empty()) pn_link_recv(link, bytes.data(), bytes.size());
    pn_link_advance(link);
    if (is_aborted) {
      pn_delivery_settle(delivery);
      pn_link_flow(link, 1);
      continue;
    }
    // It may be lost before it is accepted: a sender may do so although it said that it waits (2.6.12 of part 2, "mixed").
    if (pn_delivery_settled(delivery)) {
      end(fmt::format("it gave a message of {} without waiting for its acceptance",
                      shown(pn_link_name(link))),
          nullptr);
      return;
    }
    unaccepted_.emplace(++arrived_, delivery);
    arrivals_.push_back({arrived_, body_of(bytes)});
  }
}

std::string AmqpSession::body_of(const std::string& bytes) {
  pn_message_t* message = message_.get();
  pn_message_clear(message);
  if (pn_message_decode(message, bytes.data(), bytes.size()) != 0) return bytes;
  pn_data_t* body = pn_message_body(message);
  pn_data_rewind(body);
  if (!pn_data_next(body)) return bytes;
  const pn_type_t type = pn_data_type(body);
  if (type != PN_BINARY && type != PN_STRING) return bytes;
  const pn_bytes_t content = type == PN_BINARY ? pn_data_get_binary(body) : pn_data_get_string(body);
  return {content.start, content.size};
}

bool AmqpSession::may_receive() const {
  return open_ && ended_.empty() && receiver_ && (pn_link_state(receiver_) & PN_REMOTE_ACTIVE) != 0 &&
         pn_terminus_get_type(pn_link_remote_source(receiver_)) != PN_UNSPECIFIED;
}

void AmqpSession::allow(std::uint32_t messages) { pn_link_flow(receiver_, static_cast<int>(messages)); }

void AmqpSession::accept(std::uint64_t arrival) {
  const auto found = unaccepted_.find(arrival);
  if (found == unaccepted_.end()) return;
  pn_delivery_update(found->second, PN_ACCEPTED);
  pn_delivery_settle(found->second);
  unaccepted_.erase(found);
}

/// The first reason stays: others follow from it.
void AmqpSession::end(const std::string& what, pn_condition_t* condition) {
  if (!ended_.empty()) return;
  const std::string why = words_of(condition);
  ended_ = why.empty() ? what : what + ": " + why;
}

bool AmqpSession::may_send(std::size_t sender) const {
  pn_link_t* link = senders_[sender];
  return open_ && ended_.empty() && (pn_link_state(link) & PN_REMOTE_ACTIVE) != 0 &&
         pn_link_credit(link) > 0 && pn_terminus_get_type(pn_link_remote_target(link)) != PN_UNSPECIFIED;
}

std::string_view AmqpSession::encoded(const AmqpMessage& m) {
  pn_message_t* message = message_.get();
  pn_message_clear(message);
  pn_message_set_durable(message, m.durable);
  pn_atom_t id{};
  id.type = PN_STRING;
  id.u.as_bytes = bytes_of(m.id);
  pn_message_set_id(message, id);
  pn_message_set_subject(message, m.subject.c_str());
  pn_message_set_content_type(message, m.content_type.c_str());
  pn_data_t* properties = pn_message_properties(message);
  pn_data_put_map(properties);
  pn_data_enter(properties);
  for (const auto& [key, value] : m.properties) {
    pn_data_put_string(properties, bytes_of(key));
    pn_data_put_string(properties, bytes_of(value));
  }
  pn_data_exit(properties);
  pn_message_set_inferred(message, true);  // binary: a section of data, not a value
  pn_data_put_binary(pn_message_body(message), bytes_of(m.body));
  for (std::size_t most = m.body.size() + 1024;; most *= 2) {
    if (buffer_.size() < most) buffer_.resize(most);
    std::size_t size = buffer_.size();
    const int result = pn_message_encode(message, buffer_.data(), &size);
    if (result == 0) return {buffer_.data(), size};
    if (result != PN_OVERFLOW)
      throw std::runtime_error(fmt::format("AMQP: a message can't be encoded ({})", result));
  }
}

std::optional<std::uint64_t> AmqpSession::send(std::size_t sender, const AmqpMessage& message) {
  pn_link_t* link = senders_[sender];
  const std::string_view bytes = encoded(message);
  const std::uint64_t most = pn_link_remote_max_message_size(link);
  if (most != 0 && bytes.size() > most) {
    end(fmt::format("message {} has {} bytes, and {} takes at most {} (max-message-size)", message.id,
                    bytes.size(), addresses_[sender], most),
        nullptr);
    return std::nullopt;
  }
  const std::uint64_t number = ++number_;
  char tag[sizeof number];
  std::memcpy(tag, &number, sizeof number);
  pn_delivery(link, pn_dtag(tag, sizeof tag));
  pn_link_send(link, bytes.data(), bytes.size());
  pn_link_advance(link);
  return number;
}

void AmqpSession::close() {
  if (open_) pn_connection_close(driver_.connection);
}

}  // namespace datum
