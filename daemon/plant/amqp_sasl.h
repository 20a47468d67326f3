// SASL of an AMQP client: EXTERNAL where TLS below showed a certificate, else PLAIN with a user, else ANONYMOUS. Proton's own
// reads mechanisms from modules of Cyrus SASL, which a minimal system lacks, and knows no TLS but its own.
#pragma once

#include <proton/transport.h>

#include <string>

namespace datum {

class AmqpSasl {
 public:
  AmqpSasl(bool certificate, std::string user, std::string password);
  AmqpSasl(const AmqpSasl&) = delete;
  AmqpSasl& operator=(const AmqpSasl&) = delete;

  /// For a client's transport, before any byte. This object outlives it.
  void attach(pn_transport_t* transport);
  /// "PLAIN"
  const char* mechanism() const;
  /// Why no exchange took place, in words; empty: it did, or is to come.
  const std::string& objection() const { return objection_; }

  // Of the plugin.
  bool choose(pn_transport_t* transport, const char* offered);

 private:
  bool certificate_, has_chosen_ = false;
  std::string user_, password_;
  std::string response_;  // lives until it is sent
  std::string objection_;
};

}  // namespace datum
