// TlsPort: TLS on top of another port, transparent to users of Port. The handshake does not block; read() and
// write() advance it.
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
  /// Limit of bytes from an unauthenticated peer, beside the limit of its messages (tls_context.cpp).
  static constexpr std::size_t most_handshake_bytes = std::size_t{64} * 1024;

  /// As a server `below` is already connected; as a client open() opens it.
  TlsPort(std::unique_ptr<Port> below, std::shared_ptr<const TlsContext> context);
  ~TlsPort() override;
  TlsPort(const TlsPort&) = delete;
  TlsPort& operator=(const TlsPort&) = delete;

  void open() override;
  /// Sends close_notify, as far as that does not block.
  void close() noexcept override;
  bool is_open() const override { return below_->is_open(); }
  /// The handshake has succeeded.
  bool connected() const override { return up_ && below_->is_open(); }
  bool wants_write() const override;
  bool holds_input() const override;
  int fd() const override { return below_->fd(); }
  std::size_t read(std::uint8_t* to, std::size_t room) override;
  /// Accepted bytes may still be queued here: wants_write() is then true, and the next call sends them.
  std::size_t write(const std::uint8_t* from, std::size_t size) override;
  std::string describe() const override { return below_->describe(); }

  /// Advances the handshake. True: it has succeeded. Throws LostError where it failed; RefusedError where a
  /// retry would not help: certificates, names, versions, a peer without TLS. For a client, read() and
  /// write() throw it too, because a server of TLS 1.3 verifies the client's certificate after the handshake.
  bool shake();
  /// The peer's certificate, once connected. Throws LostError as identity_of().
  TlsIdentity peer() const;
  /// The peer's first byte is not TLS.
  bool peer_is_plain() const { return wire_.plain; }
  /// Before closing after a failed handshake: discards unread input, which would otherwise cause an RST that
  /// destroys the last output, and sends `line` to a peer without TLS.
  void part(const std::string& line) noexcept;
  /// "TLSv1.3"; once connected.
  std::string version() const;

 private:
  /// OpenSSL's transport: the port below, and the reason of its failure.
  struct Wire {
    Port* below = nullptr;
    bool is_server = false, up = false, plain = false;
    std::size_t received = 0;
    std::string lost;      // its error text
    std::string greeting;  // first bytes of a peer without TLS
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
  /// After an incomplete call: returns whether it waits for input or for room.
  void settle(int result);
  [[noreturn]] void fail();

  std::unique_ptr<Port> below_;
  std::shared_ptr<const TlsContext> context_;
  Wire wire_;
  ssl_st* session_ = nullptr;
  bool up_ = false, broken_ = false;
  bool waits_for_room_ = false;
  std::string kept_;  // of a started record, which must be passed again unchanged
};

}  // namespace datum
