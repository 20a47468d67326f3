// TlsPort: TLS over another port, so that whoever reads and writes a Port does not know of it. Neither side of the handshake
// blocks; read() and write() drive it where it is under way.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "drivers/port/port.h"
#include "drivers/tls/tls_context.h"

struct bio_st;

namespace datum {

class TlsPort final : public Port {
 public:
  /// Bytes that a peer may send before it has proved who it is; its messages are limited beside that (tls_context.cpp).
  static constexpr std::size_t most_handshake_bytes = std::size_t{64} * 1024;

  /// As a server `below` is connected already; as a client open() opens it.
  TlsPort(std::unique_ptr<Port> below, std::shared_ptr<const TlsContext> context);
  ~TlsPort() override;
  TlsPort(const TlsPort&) = delete;
  TlsPort& operator=(const TlsPort&) = delete;

  void open() override;
  /// Says so to the peer, as far as that does not block.
  void close() noexcept override;
  bool is_open() const override { return below_->is_open(); }
  /// The handshake has ended well.
  bool connected() const override { return up_ && below_->is_open(); }
  bool wants_write() const override;
  bool holds_input() const override;
  int fd() const override { return below_->fd(); }
  std::size_t read(std::uint8_t* to, std::size_t room) override;
  /// What is taken may still lie here: wants_write() says so, the next call sends it.
  std::size_t write(const std::uint8_t* from, std::size_t size) override;
  std::string describe() const override { return below_->describe(); }

  /// A step of the handshake. True: it has ended well. Throws LostError where it failed; RefusedError where trying again
  /// would not mend that: certificates, names, versions, a peer without TLS. Of a client read() and write() throw it too: a
  /// server of TLS 1.3 looks at its certificate after the handshake.
  bool shake();
  /// The peer's certificate, once connected. Throws LostError as identity_of().
  TlsIdentity peer() const;
  /// The peer's first byte is none of TLS.
  bool peer_is_plain() const { return wire_.plain; }
  /// Before a failed handshake's close: throws away what the peer has sent, which unread would take the last words with it
  /// (RST), and tells a peer without TLS `line` in its own language.
  void part(const std::string& line) noexcept;
  /// "TLSv1.3"; once connected.
  std::string version() const;

 private:
  /// What OpenSSL reads and writes through: the port below, and why it failed.
  struct Wire {
    Port* below = nullptr;
    bool is_server = false, up = false, plain = false;
    std::size_t received = 0;
    std::string lost;      // its error
    std::string greeting;  // of a peer without TLS: how it began
    static int read(bio_st* bio, char* to, int room);
    static int write(bio_st* bio, const char* from, int size);
    static long control(bio_st* bio, int what, long, void*);
    static int create(bio_st* bio);
    bool admit(const char* bytes, std::size_t size);
    void hear_more();
  };
  static bio_st* new_bio(Wire& wire);

  void begin();
  void drop() noexcept;
  bool may_go_on();
  bool flush();
  /// After a call that did not go through: returns where it waits for the peer or for room.
  void settle(int result);
  [[noreturn]] void fail();

  std::unique_ptr<Port> below_;
  std::shared_ptr<const TlsContext> context_;
  Wire wire_;
  ssl_st* session_ = nullptr;
  bool up_ = false, broken_ = false;
  bool waits_for_room_ = false;
  std::string kept_;  // of a record that has begun; the same bytes must be handed over again
};

}  // namespace datum
