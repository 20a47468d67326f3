// A recipe upload, while its parser and the disk work in the background.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/daemon/scpi/scpi_host.h"

namespace datum {
namespace scpi_upload_test {

using testing::ScpiHost;
using ::testing::StartsWith;

/// The order of this host's commands is kept, and other hosts do not wait.
TEST(ScpiOrder, WhatFollowsAnUploadWaitsForIt) {
  ScpiHost host;
  scpi::Session other(host.cell, "tcp 10.0.0.9:2");
  host.cell.files.lasts = true;
  EXPECT_EQ(host.ask("*IDN?;:MMEM:DATA 'bench',#15bench,'good';:SYST:ERR?\nMMEM:DATA? 'bench'"), "");
  EXPECT_TRUE(host.session.full()) << "the rest stays with the host";
  EXPECT_TRUE(host.session.owes());
  EXPECT_FALSE(host.session.waits()) << "and it is not for its pace";
  other.receive("*OPC?\n");
  EXPECT_EQ(other.take_answers().size(), 1u);
  EXPECT_EQ(host.session.executed(), 1u);
  host.cell.files.end_one();
  host.session.instrument_changed();
  EXPECT_EQ(host.answers(), "datum,datumd,cell-1,0.1.0;0,\"No error\"\n#15bench\n");
  EXPECT_FALSE(host.session.full());
  EXPECT_EQ(host.session.executed(), 4u);
  EXPECT_EQ(host.ask("MMEM:DATA 'bench',#15bench,'bad';:SYST:ERR?"), "");
  host.cell.files.end_one();
  host.session.instrument_changed();
  EXPECT_THAT(host.answers(), StartsWith("-230,"));
  EXPECT_EQ(host.session.executed(), 5u) << "a refused one is none";
}

TEST(ScpiOrder, AnUploadOfAHostThatLeftIsNobodysAnswer) {
  ScpiHost host;
  host.cell.files.lasts = true;
  host.ask("MMEM:DATA 'bench',#15bench,'bad';*IDN?");
  host.session.link_lost();
  host.cell.files.end_one();
  host.session.instrument_changed();
  EXPECT_EQ(host.answers(), "");
  EXPECT_EQ(host.ask("SYST:ERR?"), "0,\"No error\"\n");
}

}  // namespace scpi_upload_test
}  // namespace datum
