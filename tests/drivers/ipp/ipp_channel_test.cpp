#include "drivers/ipp/ipp_channel.h"

#include <gmock/gmock.h>

namespace datum {
namespace {

using Is = IppChannel::Delivery::Is;

Is hear(IppChannel& channel, const std::string& tag, char mark, const std::string& text = "") {
  IppLine line;
  line.tag = tag;
  line.mark = static_cast<IppMark>(mark);
  line.text = text;
  return channel.receive(line).is;
}

TEST(IppChannel, OneLineIsOutUntilItIsAcknowledgedAndEventsGoFirst) {
  IppChannel channel;
  channel.ask("Get(X())", 1);
  channel.ask("Get(Y())", 2);
  EXPECT_EQ(channel.next_line(0), "00001 Get(X())\r\n");
  channel.ask("GetErrStatusE()", 3, true);
  EXPECT_FALSE(channel.next_line(0));
  EXPECT_EQ(hear(channel, "00001", '&'), Is::acknowledged);
  EXPECT_EQ(channel.next_line(0), "E0001 GetErrStatusE()\r\n");
  EXPECT_FALSE(channel.next_line(0));
  EXPECT_EQ(hear(channel, "00001", '#', "X(1)"), Is::data);
  EXPECT_EQ(hear(channel, "E0001", '&'), Is::acknowledged);
  EXPECT_EQ(channel.next_line(7), "00002 Get(Y())\r\n");
  EXPECT_EQ(hear(channel, "00001", '%'), Is::complete);
  EXPECT_FALSE(channel.busy(1));
  EXPECT_TRUE(channel.busy(2));
  EXPECT_EQ(channel.oldest_sent_ns(), 0) << "the event still runs";
  EXPECT_EQ(hear(channel, "E0001", '%'), Is::complete);
  EXPECT_EQ(channel.oldest_sent_ns(), 7);
}

TEST(IppChannel, TagsAreUniqueGoRoundAndPassOverThoseThatRun) {
  IppChannel channel;
  channel.ask("OnMoveReportE(...)", 1, true, true);
  EXPECT_EQ(channel.next_line(0), "E0001 OnMoveReportE(...)\r\n");
  hear(channel, "E0001", '&');
  hear(channel, "E0001", '%');
  for (int i = 2; i <= 9999; ++i) {
    channel.ask("A()", 2, true);
    const std::string tag = channel.next_line(0)->substr(0, 5);
    hear(channel, tag, '&');
    hear(channel, tag, '%');
  }
  channel.ask("A()", 2, true);
  EXPECT_EQ(channel.next_line(0), "E0002 A()\r\n") << "E0001 is the daemon's";
  EXPECT_EQ(hear(channel, "E0001", '#', "X(1)"), Is::report);
}

TEST(IppChannel, LinesOfNoTransactionAreStray) {
  IppChannel channel;
  EXPECT_EQ(hear(channel, "00001", '#', "X(1)"), Is::stray);
  channel.ask("Get(X())", 1);
  channel.next_line(0);
  hear(channel, "00001", '&');
  hear(channel, "00001", '%');
  EXPECT_EQ(hear(channel, "00001", '#', "X(1)"), Is::stray) << "an answer after its end";
  EXPECT_EQ(hear(channel, "E0000", '#', "KeyPress(\"F1\")"), Is::unsolicited);
}

TEST(IppChannel, LinesOutOfOrderSpoilTheirTransaction) {
  IppChannel channel;
  channel.ask("Get(X())", 1);
  channel.next_line(0);
  hear(channel, "00001", '#', "X(1)");
  IppLine end;
  end.tag = "00001";
  end.mark = IppMark::complete;
  EXPECT_TRUE(channel.receive(end).transaction.spoiled);
  channel.ask("Get(X())", 1);
  EXPECT_EQ(channel.next_line(0), "00002 Get(X())\r\n") << "its end let the next line out";
}

TEST(IppChannel, ARefusedLineIsGivenUp) {
  IppChannel channel;
  EXPECT_FALSE(channel.drop_unacknowledged());
  channel.ask("Get(X())", 1);
  channel.next_line(0);
  ASSERT_TRUE(channel.drop_unacknowledged());
  EXPECT_FALSE(channel.busy(1));
  channel.ask("Get(X())", 1);
  EXPECT_TRUE(channel.next_line(0));
}

}  // namespace
}  // namespace datum
