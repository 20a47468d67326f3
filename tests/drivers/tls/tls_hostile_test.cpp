// Attacks on a server before, in and after the handshake: OpenSSL with other settings, and arbitrary bytes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/pem.h>

#include <random>

#include "tests/drivers/tls/raw_client.h"

namespace datum {
namespace tls_hostile_test {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using testing::RawClient;
using testing::TlsFiles;
using testing::Wire;
using testing::WirePort;

struct Hostile : ::testing::Test {
  std::unique_ptr<TlsPort> served() {
    return std::make_unique<TlsPort>(std::make_unique<WirePort>(wire, true),
                                     TlsContext::of_server(files.server, testing::tls_clock));
  }
  /// The server's error; empty: none within these steps.
  std::string met(TlsPort& server, RawClient& client) {
    for (int i = 0; i < 20; ++i) {
      client.shake();
      try {
        server.shake();
      } catch (const std::runtime_error& error) {
        return error.what();
      }
    }
    return "";
  }
  TlsFiles files;
  Wire wire;
};

TEST_F(Hostile, Tls11IsTooOld) {
  RawClient client(wire, files.client("host"), TLS1_1_VERSION);
  const auto server = served();
  EXPECT_THAT(met(*server, client), HasSubstr("it speaks TLS 1.1 or older; TLS 1.2 is the least"));
  EXPECT_FALSE(server->connected());
}

TEST_F(Hostile, Tls12IsGoodAndNotNegotiatedAnew) {
  RawClient client(wire, files.client("host"), TLS1_2_VERSION);
  const auto server = served();
  EXPECT_EQ(met(*server, client), "");
  ASSERT_TRUE(server->connected());
  EXPECT_EQ(server->version(), "TLSv1.2");
  EXPECT_THAT(SSL_get_cipher_name(client.ssl), HasSubstr("ECDHE"));
  SSL_renegotiate(client.ssl);
  std::string got;
  bool lost = false, anew = false;
  for (int i = 0; i < 20 && !lost; ++i) {
    anew |= client.shake() && SSL_renegotiate_pending(client.ssl) == 0 &&
            SSL_total_renegotiations(client.ssl) > 0;
    std::uint8_t bytes[256];
    try {
      got.append(reinterpret_cast<char*>(bytes), server->read(bytes, sizeof bytes));
    } catch (const LostError&) {
      lost = true;
    }
  }
  EXPECT_EQ(got, "");
  client.take();
  char byte = 0;
  EXPECT_LE(SSL_read(client.ssl, &byte, 1), 0);
  EXPECT_FALSE(anew && SSL_get_state(client.ssl) == TLS_ST_OK && !lost)
      << "no second handshake comes to its end";
}

TEST_F(Hostile, NoSessionIsResumed) {
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    wire = Wire{};
    RawClient client(wire, files.client("host"), version);
    {
      const auto server = served();
      EXPECT_EQ(met(*server, client), "");
      std::uint8_t bytes[16];
      server->read(bytes, sizeof bytes);
      client.take();
      char byte = 0;
      SSL_read(client.ssl, &byte, 1);  // a ticket would arrive here
    }
    SSL_SESSION* session = SSL_get1_session(client.ssl);
    EXPECT_EQ(SSL_SESSION_has_ticket(session), 0) << version;
    wire = Wire{};
    client.begin(session);
    const auto server = served();
    EXPECT_EQ(met(*server, client), "");
    EXPECT_EQ(SSL_session_reused(client.ssl), 0) << version;
    SSL_SESSION_free(session);
  }
}

TEST_F(Hostile, APeerWithoutTlsIsKnownByItsFirstByte) {
  for (const std::string hello : {"*IDN?\n", "GET / HTTP/1.1\r\n\r\n", "\n", "\x15\x03\x01"}) {
    wire = Wire{};
    const auto server = served();
    wire.to_server = hello;
    EXPECT_THROW(server->shake(), RefusedError);
    EXPECT_TRUE(server->peer_is_plain());
    EXPECT_EQ(wire.to_client, "") << "no alert that it could not read";
    server->part("REFUSED,TLS alone\r\n");
    EXPECT_EQ(wire.to_client, "REFUSED,TLS alone\r\n");
    EXPECT_EQ(wire.to_server, "") << "what is left unread would take it away";
  }
}

TEST_F(Hostile, AServerWithoutTlsIsQuoted) {
  TlsPort client(std::make_unique<WirePort>(wire, false),
                 TlsContext::of_client(files.client("host"), testing::tls_clock));
  client.open();
  wire.to_client = "REFUSED,host.tcp speaks without TLS\r\n";
  try {
    client.shake();
    FAIL();
  } catch (const RefusedError& error) {
    EXPECT_STREQ(error.what(), "wire: the peer speaks without TLS: REFUSED,host.tcp speaks without TLS");
  }
}

TEST_F(Hostile, AHandshakeWithoutEndIsCutShort) {
  const auto server = served();
  const std::string record{"\x16\x03\x01\x40\x00", 5};
  std::string why;
  std::size_t sent = 0;
  for (int i = 0; i < 20 && why.empty(); ++i) {
    // A ClientHello of 128 KiB, which OpenSSL itself would accept, in records.
    wire.to_server += record + (i == 0 ? std::string("\x01\x02\x00\x00", 4) : "") +
                      std::string(i == 0 ? 0x3ffc : 0x4000, 'x');
    sent += 0x4005;
    try {
      for (int step = 0; step < 10; ++step) server->shake();
    } catch (const LostError& error) {
      why = error.what();
    }
  }
  EXPECT_NE(why, "");
  EXPECT_LE(sent, TlsPort::most_handshake_bytes + 2 * 0x4005);
}

// A good client's handshake with bytes changed, removed and inserted; and plain noise. For any input the
// server throws its two errors only, and delivers no byte.
TEST_F(Hostile, NoBytesBringTheServerDown) {
  std::mt19937 random(20300317);
  const TlsClientSettings known = files.client("host");
  const auto context = TlsContext::of_server(files.server, testing::tls_clock);
  const auto client_context = TlsContext::of_client(known, testing::tls_clock);
  int refused = 0, lost = 0, in = 0;
  for (int run = 0; run < 3000; ++run) {
    wire = Wire{};
    TlsPort server(std::make_unique<WirePort>(wire, true), context);
    TlsPort client(std::make_unique<WirePort>(wire, false), client_context);
    try {
      if (run % 3 != 0) client.open();
    } catch (const std::runtime_error&) {
    }
    const int at = static_cast<int>(random() % 4);  // the damaged flight
    try {
      for (int step = 0; step < 8; ++step) {
        std::string& bytes = wire.to_server;
        if (run % 3 == 0) {
          bytes += std::string(step == 0 ? "\x16\x03\x01" : "");
          for (auto n = random() % 600; n > 0; --n) bytes += static_cast<char>(random());
        } else if (step == at && !bytes.empty()) {
          const std::size_t place = random() % bytes.size();
          switch (random() % 4) {
            case 0:
              bytes[place] = static_cast<char>(random());
              break;
            case 1:
              bytes.erase(place, 1 + random() % 50);
              break;
            case 2:
              bytes.insert(place, std::string(1 + random() % 50, static_cast<char>(random())));
              break;
            default:
              bytes += bytes.substr(place);
              break;
          }
        }
        std::uint8_t read[64];
        ASSERT_EQ(server.read(read, sizeof read), 0u);
        if (run % 3 != 0) client.shake();
      }
      in += server.connected();
    } catch (const RefusedError&) {
      ++refused;
    } catch (const LostError&) {
      ++lost;
    }
  }
  EXPECT_GT(lost, 1000);
  EXPECT_GT(in, 50) << "some damage comes too late to matter";
  RecordProperty("refused", refused);
}

// Messages without data (TLS 1.3: new keys) may arrive without end: each read handles one, so that the call
// ends.
TEST_F(Hostile, NewKeysWithoutEndHoldNoTurn) {
  RawClient client(wire, files.client("host"), TLS1_3_VERSION);
  const auto server = served();
  ASSERT_EQ(met(*server, client), "");
  for (int i = 0; i < 20; ++i) {
    SSL_key_update(client.ssl, SSL_KEY_UPDATE_NOT_REQUESTED);
    SSL_do_handshake(client.ssl);
    client.send();
  }
  SSL_write(client.ssl, "*IDN?\n", 6);
  client.send();
  std::uint8_t bytes[64];
  int reads = 1;
  while (server->read(bytes, sizeof bytes) == 0 && reads < 100) ++reads;
  EXPECT_EQ(reads, 21) << "one record a call";
}

}  // namespace tls_hostile_test
}  // namespace datum
