// Answers and pushed lines for the shipped hosts: datumctl and the virtual PLC.
#include "daemon/ctl/scpi_client.h"
#include "daemon/ctl/scpi_text.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/virtual_cell/virtual_plc_answers.h"

using namespace datum;

template <class Read>
static void attempt(Read read) {
  try {
    read();
  } catch (const plc::ProtocolError&) {
  }
}

DATUM_FUZZ_TARGET(scpi_answer) {
  const std::string text(bytes);
  fuzz::expect(whole_line(text) <= text.size(), "a line is a part of what came");
  fuzz::expect(!answer_fields(text).empty(), "an answer has a field");
  attempt([&] { plc::split(bytes); });
  attempt([&] { plc::read_result(bytes); });
  attempt([&] { plc::table_of(plc::read_components(bytes).rows); });
}
