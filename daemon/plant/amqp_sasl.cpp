#include "daemon/plant/amqp_sasl.h"

#include <fmt/format.h>
#include <proton/sasl.h>
#include <proton/sasl_plugin.h>

#include <utility>

namespace datum {
namespace {

constexpr std::size_t longest_offer = 200;  // of the peer's words in a message

bool process_mechanisms(pn_transport_t* transport, const char* offered) {
  return static_cast<AmqpSasl*>(pnx_sasl_get_context(transport))->choose(transport, offered);
}

/// None of the three mechanisms has one.
void process_challenge(pn_transport_t* transport, const pn_bytes_t*) {
  pnx_sasl_set_desired_state(transport, SASL_ERROR);
}

const pnx_sasl_implementation& client() {
  static const pnx_sasl_implementation made = [] {
    pnx_sasl_implementation sasl{};
    sasl.free = [](pn_transport_t*) {};
    sasl.list_mechanisms = [](pn_transport_t*) { return ""; };
    sasl.init_server = [](pn_transport_t*) { return false; };
    sasl.init_client = [](pn_transport_t*) { return true; };
    sasl.prepare_write = [](pn_transport_t*) {};
    sasl.process_init = [](pn_transport_t*, const char*, const pn_bytes_t*) {};
    sasl.process_response = [](pn_transport_t*, const pn_bytes_t*) {};
    sasl.process_mechanisms = process_mechanisms;
    sasl.process_challenge = process_challenge;
    sasl.process_outcome = [](pn_transport_t*, const pn_bytes_t*) {};
    sasl.can_encrypt = [](pn_transport_t*) { return false; };
    sasl.max_encrypt_size = [](pn_transport_t*) { return ssize_t{0}; };
    sasl.encode = [](pn_transport_t*, pn_bytes_t, pn_bytes_t*) { return ssize_t{0}; };
    sasl.decode = [](pn_transport_t*, pn_bytes_t, pn_bytes_t*) { return ssize_t{0}; };
    return sasl;
  }();
  return made;
}

/// Whether `name` is one of the words of `offered`.
bool offers(const std::string& offered, const std::string& name) {
  return (" " + offered + " ").find(" " + name + " ") != std::string::npos;
}

}  // namespace

AmqpSasl::AmqpSasl(bool certificate, std::string user, std::string password)
    : certificate_(certificate), user_(std::move(user)), password_(std::move(password)) {
  // RFC 4616: authorisation identity (none), user and password, separated by a zero byte.
  if (!user_.empty()) response_ = '\0' + user_ + '\0' + password_;
}

void AmqpSasl::attach(pn_transport_t* transport) {
  pn_sasl_t* sasl = pn_sasl(transport);
  // The settings allow a clear connection to this computer alone.
  pn_sasl_set_allow_insecure_mechs(sasl, true);
  pnx_sasl_set_implementation(transport, &client(), this);
}

const char* AmqpSasl::mechanism() const {
  return !user_.empty() ? "PLAIN" : certificate_ ? "EXTERNAL" : "ANONYMOUS";
}

bool AmqpSasl::choose(pn_transport_t* transport, const char* offered) {
  if (std::exchange(has_chosen_, true)) return false;  // a second offer; the engine would keep both choices
  const std::string all = offered ? offered : "";
  if (!offers(all, mechanism())) {
    objection_ = fmt::format(
        "it offers the SASL mechanisms '{}' and not {}, which these settings need: EXTERNAL goes with "
        "certificate_file (RabbitMQ: rabbitmq_auth_mechanism_ssl), PLAIN with user and password_file",
        all.substr(0, longest_offer), mechanism());
    return false;
  }
  pnx_sasl_set_selected_mechanism(transport, mechanism());
  pnx_sasl_set_bytes_out(transport, pn_bytes(response_.size(), response_.data()));
  pnx_sasl_set_desired_state(transport, SASL_POSTED_INIT);
  return true;
}

}  // namespace datum
