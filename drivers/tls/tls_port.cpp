#include "drivers/tls/tls_port.h"

#include <fmt/format.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <new>

#include "drivers/tls/openssl_handles.h"
#include "drivers/tls/tls_text.h"

namespace datum {
namespace {

constexpr std::size_t record_bytes = 16 * 1024;  // RFC 8446, 5.1
constexpr char handshake_record = 22, alert_record = 21;
constexpr std::size_t longest_greeting = 200;

/// First bytes of a peer without TLS, as one line.
std::string shown(std::string text) {
  text = text.substr(0, text.find_first_of("\r\n"));
  for (char& c : text)
    if (c < ' ' || c > '~') c = '?';
  return text;
}

}  // namespace

bool TlsPort::Wire::admit(const char* bytes, std::size_t size) {
  if (up) return true;
  if (received == 0 && size > 0)
    plain = bytes[0] != handshake_record && (is_server || bytes[0] != alert_record);
  received += size;
  if (plain) {
    greeting.append(bytes, std::min(size, longest_greeting));
    return false;
  }
  if (received > most_handshake_bytes)
    lost = fmt::format("a handshake of more than {} bytes", most_handshake_bytes);
  return lost.empty();
}

/// OpenSSL requested a record's first bytes; a peer without TLS may have sent more.
void TlsPort::Wire::hear_more() {
  try {
    std::uint8_t more[longest_greeting];
    const std::size_t n = below->read(more, sizeof more);
    greeting.append(reinterpret_cast<const char*>(more), n);
  } catch (const std::runtime_error&) {  // the peer has sent everything
  }
}

int TlsPort::Wire::read(bio_st* bio, char* to, int room) {
  auto& wire = *static_cast<Wire*>(BIO_get_data(bio));
  BIO_clear_retry_flags(bio);
  if (room <= 0) return 0;
  try {
    const std::size_t n =
        wire.below->read(reinterpret_cast<std::uint8_t*>(to), static_cast<std::size_t>(room));
    if (n == 0) {
      BIO_set_retry_read(bio);
      return -1;
    }
    return wire.admit(to, n) ? static_cast<int>(n) : -1;
  } catch (const std::runtime_error& error) {
    wire.lost = error.what();
    return -1;
  }
}

int TlsPort::Wire::write(bio_st* bio, const char* from, int size) {
  auto& wire = *static_cast<Wire*>(BIO_get_data(bio));
  BIO_clear_retry_flags(bio);
  if (size <= 0) return 0;
  try {
    const std::size_t n =
        wire.below->write(reinterpret_cast<const std::uint8_t*>(from), static_cast<std::size_t>(size));
    if (n > 0) return static_cast<int>(n);
    BIO_set_retry_write(bio);
    return -1;
  } catch (const std::runtime_error& error) {
    wire.lost = error.what();
    return -1;
  }
}

long TlsPort::Wire::control(bio_st*, int what, long, void*) { return what == BIO_CTRL_FLUSH ? 1 : 0; }

int TlsPort::Wire::create(bio_st* bio) {
  BIO_set_init(bio, 1);
  return 1;
}

bio_st* TlsPort::new_bio(Wire& wire) {
  static const std::unique_ptr<BIO_METHOD, OpensslFree<BIO_meth_free>> method = [] {
    std::unique_ptr<BIO_METHOD, OpensslFree<BIO_meth_free>> made(
        BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "port"));
    if (!made) throw std::bad_alloc();
    BIO_meth_set_read(made.get(), Wire::read);
    BIO_meth_set_write(made.get(), Wire::write);
    BIO_meth_set_ctrl(made.get(), Wire::control);
    BIO_meth_set_create(made.get(), Wire::create);
    return made;
  }();
  BIO* bio = BIO_new(method.get());
  if (!bio) throw std::bad_alloc();
  BIO_set_data(bio, &wire);
  return bio;
}

TlsPort::TlsPort(std::unique_ptr<Port> below, std::shared_ptr<const TlsContext> context)
    : below_(std::move(below)), context_(std::move(context)) {
  if (below_->is_open()) begin();
}

TlsPort::~TlsPort() { TlsPort::close(); }

void TlsPort::begin() {
  drop();
  wire_ = Wire{};
  wire_.below = below_.get();
  wire_.is_server = context_->is_server();
  session_ = context_->new_session();
  BIO* bio = new_bio(wire_);
  SSL_set_bio(session_, bio, bio);
  up_ = broken_ = waits_for_room_ = false;
  kept_.clear();
}

void TlsPort::drop() noexcept {
  SSL_free(session_);
  session_ = nullptr;
}

void TlsPort::open() {
  if (context_->is_server()) return below_->open();
  close();
  below_->open();
  begin();
  shake();
}

void TlsPort::close() noexcept {
  if (session_ && up_ && !broken_ && below_->is_open()) {
    ERR_clear_error();
    SSL_shutdown(session_);
    ERR_clear_error();
  }
  drop();
  up_ = false;
  below_->close();
}

bool TlsPort::wants_write() const {
  if (!below_->is_open()) return false;
  return below_->wants_write() || waits_for_room_ || !kept_.empty();
}

bool TlsPort::holds_input() const { return connected() && session_ && SSL_pending(session_) > 0; }

void TlsPort::fail() {
  broken_ = true;
  const TlsFailure failure = tls_failure(context_->names());
  const std::string objection = objection_of(session_);
  if (wire_.plain && context_->is_server()) throw RefusedError(describe() + ": the peer speaks without TLS");
  if (wire_.plain) {
    wire_.hear_more();
    throw RefusedError(fmt::format("{}: the peer speaks without TLS: {}", describe(), shown(wire_.greeting)));
  }
  if (!objection.empty()) throw RefusedError(fmt::format("{}: {}", describe(), objection));
  if (!wire_.lost.empty()) throw LostError(wire_.lost);
  const std::string why = fmt::format("{}: {}", describe(), failure.why);
  if (failure.lasting && !context_->is_server())
    throw RefusedError(why);  // a server continues with other
                              // peers
  throw LostError(why);
}

void TlsPort::settle(int result) {
  const int error = SSL_get_error(session_, result);
  waits_for_room_ = error == SSL_ERROR_WANT_WRITE;
  if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE) return;
  if (error == SSL_ERROR_ZERO_RETURN)
    throw LostError(fmt::format("{}: the peer closed the connection or hung up", describe()));
  fail();
}

bool TlsPort::shake() {
  if (up_) return true;
  if (!session_ || broken_) throw LostError(describe() + ": is not open");
  if (!below_->connected()) {
    below_->write(nullptr, 0);  // throws the connection's error
    if (!below_->connected()) return false;
  }
  ERR_clear_error();
  const int result = SSL_do_handshake(session_);
  if (result != 1) return settle(result), false;
  waits_for_room_ = false;
  return up_ = wire_.up = true;
}

bool TlsPort::may_go_on() {
  if (!session_ || broken_) throw LostError(describe() + ": is not open");
  return shake();
}

bool TlsPort::flush() {
  if (kept_.empty()) return true;
  ERR_clear_error();
  const int result = SSL_write(session_, kept_.data(), static_cast<int>(kept_.size()));
  if (result <= 0) return settle(result), false;
  waits_for_room_ = false;
  kept_.clear();
  return true;
}

std::size_t TlsPort::read(std::uint8_t* to, std::size_t room) {
  if (!may_go_on() || room == 0) return 0;
  flush();
  ERR_clear_error();
  const int result = SSL_read(session_, to, static_cast<int>(std::min(room, record_bytes)));
  if (result > 0) return static_cast<std::size_t>(result);
  settle(result);
  return 0;
}

std::size_t TlsPort::write(const std::uint8_t* from, std::size_t size) {
  if (!may_go_on() || !flush() || size == 0) return 0;
  const std::size_t n = std::min(size, record_bytes);
  ERR_clear_error();
  const int result = SSL_write(session_, from, static_cast<int>(n));
  if (result > 0) return n;
  settle(result);
  // The record exists, possibly partly sent: its bytes are accepted and must not be replaced.
  kept_.assign(reinterpret_cast<const char*>(from), n);
  return n;
}

TlsIdentity TlsPort::peer() const {
  const CertificateHandle certificate(session_ ? SSL_get1_peer_certificate(session_) : nullptr);
  if (!certificate) throw LostError(describe() + ": shows no certificate");
  return identity_of(certificate.get(), SSL_get_peer_cert_chain(session_));
}

void TlsPort::part(const std::string& line) noexcept {
  try {
    std::uint8_t thrown_away[4096];
    below_->read(thrown_away, sizeof thrown_away);
    if (wire_.plain) below_->write(reinterpret_cast<const std::uint8_t*>(line.data()), line.size());
  } catch (const std::runtime_error&) {
  }
}

std::string TlsPort::version() const { return session_ ? SSL_get_version(session_) : ""; }

}  // namespace datum
