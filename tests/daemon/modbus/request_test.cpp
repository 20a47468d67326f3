// Requests as bytes, and the standard's exceptions.
#include <gtest/gtest.h>

#include "daemon/modbus/register_map.h"
#include "daemon/modbus/request.h"

namespace datum::modbus {
namespace {

using Bytes = std::vector<std::uint8_t>;

std::uint8_t high(int n) { return static_cast<std::uint8_t>(n >> 8); }
std::uint8_t low(int n) { return static_cast<std::uint8_t>(n); }

Bytes read(int function, int address, int count) {
  return {low(function), high(address), low(address), high(count), low(count)};
}
Bytes write_registers(int address, int count) {
  Bytes pdu{16, high(address), low(address), high(count), low(count), low(2 * count)};
  for (int i = 0; i < count; ++i) pdu.insert(pdu.end(), {high(i), low(i)});
  return pdu;
}
Exception answer(const Bytes& pdu) {
  const Request r = parse_request(pdu);
  if (r.refusal != Exception::none) return r.refusal;
  return r.writes ? check_write(r) : check_read(r);
}

TEST(Request, IsTakenApart) {
  Request r = parse_request(read(4, 0x1234, 7));
  EXPECT_EQ(r.table, Table::input_registers);
  EXPECT_EQ(r.address, 0x1234);
  EXPECT_EQ(r.count, 7);
  EXPECT_FALSE(r.writes);
  r = parse_request(Bytes{6, 0, 101, 0x12, 0x34});
  EXPECT_TRUE(r.writes);
  EXPECT_EQ(r.values, (std::vector<std::uint16_t>{0x1234}));
  r = parse_request(write_registers(104, 4));
  EXPECT_EQ(r.address, 104);
  EXPECT_EQ(r.values, (std::vector<std::uint16_t>{0, 1, 2, 3}));
  r = parse_request(Bytes{5, 0, 3, 0xFF, 0});
  EXPECT_EQ(r.table, Table::coils);
  EXPECT_EQ(r.values, (std::vector<std::uint16_t>{1}));
  r = parse_request(Bytes{15, 0, 0, 0, 10, 2, 0b01000101, 0b10});
  EXPECT_EQ(r.values, (std::vector<std::uint16_t>{1, 0, 1, 0, 0, 0, 1, 0, 0, 1}));
}

TEST(Request, AFunctionThatIsNotServedIsIllegal) {
  for (const int function : {0, 7, 8, 11, 12, 17, 20, 22, 23, 24, 43, 0x83, 255})
    EXPECT_EQ(answer(Bytes{low(function), 0, 0, 0, 1}), Exception::illegal_function) << function;
  EXPECT_EQ(answer({}), Exception::illegal_function);
}

TEST(Request, AWrongQuantityIsAnIllegalValue) {
  EXPECT_EQ(answer(read(3, 0, 0)), Exception::illegal_value);
  EXPECT_EQ(answer(read(3, 0, 126)), Exception::illegal_value);
  EXPECT_EQ(answer(read(1, 0, 2001)), Exception::illegal_value);
  EXPECT_EQ(answer(write_registers(at_control, 124)), Exception::illegal_value);
  EXPECT_EQ(answer(write_registers(at_control, 0)), Exception::illegal_value);
  Bytes bad = write_registers(at_ack_sequence, 4);
  bad[5] = 6;
  EXPECT_EQ(answer(bad), Exception::illegal_value) << "the number of bytes is of another quantity";
  bad = write_registers(at_ack_sequence, 4);
  bad.pop_back();
  EXPECT_EQ(answer(bad), Exception::illegal_value);
  EXPECT_EQ(answer(Bytes{5, 0, 0, 0x12, 0x34}), Exception::illegal_value) << "neither on nor off";
  EXPECT_EQ(answer(Bytes{3, 0, 0, 0}), Exception::illegal_value);
  EXPECT_EQ(answer(Bytes{16, 0, 0, 0, 1}), Exception::illegal_value);
}

TEST(Request, WhatIsNotThereIsAnIllegalAddress) {
  EXPECT_EQ(answer(read(3, 0, 125)), Exception::none);
  EXPECT_EQ(answer(read(3, base_end - 1, 1)), Exception::none);
  EXPECT_EQ(answer(read(3, base_end - 1, 2)), Exception::illegal_address);
  EXPECT_EQ(answer(read(3, at_result - 1, 2)), Exception::illegal_address);
  EXPECT_EQ(answer(read(4, at_result, 125)), Exception::none);
  EXPECT_EQ(answer(read(3, at_result + window_size - 1, 2)), Exception::illegal_address) << "two results";
  EXPECT_EQ(answer(read(3, at_fifo + window_size - 1, 2)), Exception::illegal_address);
  EXPECT_EQ(answer(read(3, 65535, 2)), Exception::illegal_address);
  EXPECT_EQ(answer(read(1, 0, 16)), Exception::none);
  EXPECT_EQ(answer(read(1, 15, 2)), Exception::illegal_address);
  EXPECT_EQ(answer(read(2, 0, 48)), Exception::none);
  EXPECT_EQ(answer(read(2, 47, 2)), Exception::illegal_address);
  EXPECT_EQ(answer(Bytes{5, 0, 16, 0xFF, 0}), Exception::illegal_address);
}

TEST(Request, NothingIsWrittenThatIsOnlyReadOrHalf) {
  EXPECT_EQ(answer(Bytes{6, 1, 44, 0, 1}), Exception::illegal_address) << "STATUS is only read";
  EXPECT_EQ(answer(Bytes{6, 0, 0, 0, 1}), Exception::illegal_address);
  EXPECT_EQ(answer(Bytes{6, high(at_result), low(at_result), 0, 1}), Exception::illegal_address);
  EXPECT_EQ(answer(Bytes{6, 0, at_temperature, 0, 1}), Exception::illegal_address) << "half a float";
  EXPECT_EQ(answer(write_registers(at_temperature, 2)), Exception::none);
  EXPECT_EQ(answer(write_registers(at_temperature + 1, 1)), Exception::illegal_address);
  EXPECT_EQ(answer(write_registers(at_ack_sequence, 3)), Exception::illegal_address);
  EXPECT_EQ(answer(write_registers(at_ack_sequence + 2, 2)), Exception::illegal_address);
  EXPECT_EQ(answer(write_registers(at_ack_sequence, 4)), Exception::none);
  EXPECT_EQ(answer(write_registers(at_command, 7)), Exception::none) << "command and parameters at once";
  EXPECT_EQ(answer(write_registers(at_command, 6)), Exception::illegal_address);
  EXPECT_EQ(answer(write_registers(at_unit, 5)), Exception::none) << "a text may end early";
  EXPECT_EQ(answer(write_registers(at_unit + 1, 5)), Exception::illegal_address);
  EXPECT_EQ(answer(write_registers(at_job_name, 48)), Exception::none);
  EXPECT_EQ(answer(write_registers(at_job_name, 49)), Exception::illegal_address);
  EXPECT_EQ(answer(write_registers(control_end, 1)), Exception::illegal_address);
}

}  // namespace
}  // namespace datum::modbus
