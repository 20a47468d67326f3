// Control messages: requests byte for byte, replies by their fields.
#include "drivers/gocator/control.h"

#include <gmock/gmock.h>

#include "drivers/gocator/message_framer.h"
#include "drivers/gocator/protocol_error.h"

namespace datum::gocator {
namespace {

using ::testing::ElementsAre;
using Bytes = std::vector<std::uint8_t>;

Reply reply(Command command, Bytes payload, std::int32_t status = 1) {
  return {command, status, std::move(payload)};
}

TEST(GocatorControl, Requests) {
  EXPECT_THAT(request(Command::get_states), ElementsAre(6, 0, 0, 0, 0x25, 0x45));
  EXPECT_THAT(request(Command::get_loaded_job), ElementsAre(6, 0, 0, 0, 0x12, 0x45));
  EXPECT_THAT(request(Command::get_version), ElementsAre(6, 0, 0, 0, 0x11, 0x45));
  EXPECT_THAT(request(Command::trigger), ElementsAre(6, 0, 0, 0, 0x10, 0x45));
  EXPECT_THAT(request(Command::start), ElementsAre(6, 0, 0, 0, 0x0D, 0x10));
  EXPECT_THAT(request(Command::stop), ElementsAre(6, 0, 0, 0, 0x01, 0x10));
  EXPECT_THAT(request(Command::get_timestamp), ElementsAre(6, 0, 0, 0, 0x0A, 0x10));
  EXPECT_THAT(request(Command::get_encoder), ElementsAre(6, 0, 0, 0, 0x1C, 0x10));
}

TEST(GocatorControl, ReplyIsTakenApart) {
  const Bytes message{12, 0, 0, 0, 0x0D, 0x10, 0x18, 0xFC, 0xFF, 0xFF, 7, 9};
  const Reply r = reply_of(message);
  EXPECT_EQ(r.command, Command::start);
  EXPECT_EQ(r.status, -1000);
  EXPECT_THAT(r.payload, ElementsAre(7, 9));
  EXPECT_EQ(text_of_status(r.status), "-1000, invalid state");
  EXPECT_EQ(text_of_status(-5), "-5");
}

TEST(GocatorControl, TheOlderReplyOfFortyBytes) {
  Bytes message{40, 0, 0, 0, 0, 0, 0, 0, 0, 0x11, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0,
                0,  0, 0, 0, 4, 0, 0, 0, 0, 0,    0, 0, 2, 0, 0, 0, 0, 0, 0, 0};
  const Reply r = reply_of(message);
  EXPECT_EQ(r.command, Command::protocol_version);
  EXPECT_EQ(r.status, status_ok);
  EXPECT_EQ(version_of(r).major, 4);
  EXPECT_EQ(version_of(r).minor, 2);
  message[31] = 1;  // 2^56 + 4
  EXPECT_THROW(version_of(reply_of(message)), ProtocolError);
  message[8] = 1;
  EXPECT_NE(reply_of(message).command, Command::protocol_version) << "another id";
}

TEST(GocatorControl, PayloadsByTheirFields) {
  EXPECT_EQ(version_of(reply(Command::get_version, {5, 3})).major, 5);
  EXPECT_EQ(version_of(reply(Command::get_version, {5, 3})).minor, 3);
  EXPECT_EQ(timestamp_of(reply(Command::get_timestamp, {0x15, 0xCD, 0x5B, 0x07, 0, 0, 0, 0})), 123456789u);
  EXPECT_EQ(encoder_of(reply(Command::get_encoder, Bytes(8, 0xFF))), -1);
  Bytes name(64);
  std::copy_n("board-a.job", 11, name.begin());
  name.push_back(1);
  const LoadedJob job = loaded_job_of(reply(Command::get_loaded_job, name));
  EXPECT_EQ(job.name, "board-a.job");
  EXPECT_TRUE(job.modified);
  const LoadedJob longest = loaded_job_of(reply(Command::get_loaded_job, Bytes(65, 'j')));
  EXPECT_EQ(longest.name, std::string(64, 'j')) << "without a zero it ends after 64";
}

TEST(GocatorControl, StatesOfAnyLength) {
  Bytes payload;
  append(payload, std::uint32_t{17});
  for (int i = 0; i < 17; ++i) append(payload, std::int32_t{i == 0 ? 1 : i});
  const States states = states_of(reply(Command::get_states, payload));
  EXPECT_EQ(states.sensor, States::Sensor::running);
  EXPECT_EQ(states.uptime_us, 6'000'007);
  const States least = states_of(reply(Command::get_states, {1, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF}));
  EXPECT_EQ(least.sensor, States::Sensor::conflict);
  EXPECT_FALSE(least.uptime_us);
}

TEST(GocatorControl, ShortPayloadsAreRefused) {
  EXPECT_THROW(version_of(reply(Command::get_version, {5})), ProtocolError);
  EXPECT_THROW(timestamp_of(reply(Command::get_timestamp, Bytes(7))), ProtocolError);
  EXPECT_THROW(encoder_of(reply(Command::get_encoder, {})), ProtocolError);
  EXPECT_THROW(loaded_job_of(reply(Command::get_loaded_job, Bytes(64))), ProtocolError);
  EXPECT_THROW(states_of(reply(Command::get_states, Bytes(3))), ProtocolError);
  EXPECT_THROW(states_of(reply(Command::get_states, Bytes(4))), ProtocolError) << "no value";
  EXPECT_THROW(states_of(reply(Command::get_states, {2, 0, 0, 0, 1, 0, 0, 0})), ProtocolError);
  EXPECT_THROW(states_of(reply(Command::get_states, {0xFF, 0xFF, 0xFF, 0xFF, 1, 0, 0, 0})), ProtocolError);
}

TEST(GocatorControl, FramerSplitsAtEveryByte) {
  const Bytes one{10, 0, 0, 0, 0x0D, 0x10, 1, 0, 0, 0}, two{11, 0, 0, 0, 1, 0x10, 1, 0, 0, 0, 9};
  Bytes both = one;
  both.insert(both.end(), two.begin(), two.end());
  for (std::size_t split = 0; split <= both.size(); ++split) {
    MessageFramer framer("control", least_reply_bytes, most_reply_bytes);
    std::vector<Bytes> messages;
    for (const ByteView piece : {ByteView(both).first(split), ByteView(both).subspan(split)}) {
      framer.receive(piece);
      while (auto message = framer.next()) messages.push_back(std::move(*message));
    }
    EXPECT_THAT(messages, ElementsAre(one, two)) << split;
  }
}

TEST(GocatorControl, FramerRefusesLengthsOutsideItsLimits) {
  for (const std::uint32_t length : {0u, 9u, 65537u, 0xFFFFFFFFu}) {
    MessageFramer framer("control", least_reply_bytes, most_reply_bytes);
    Bytes bytes;
    append(bytes, length);
    framer.receive(bytes);
    EXPECT_THROW(framer.next(), ProtocolError) << length;
  }
}

}  // namespace
}  // namespace datum::gocator
