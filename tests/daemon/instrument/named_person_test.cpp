// Who acts over a host's connection: demanded for chosen acts, kept in the chain, gone with the connection.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "daemon/instrument/lock_arbiter.h"
#include "daemon/instrument/scpi_error.h"
#include "daemon/store/deed_book.h"
#include "daemon/store/result_chain.h"

namespace datum {
namespace named_person_test {
namespace {

using ::testing::HasSubstr;

const std::string plc = "serial /dev/ttyUSB0", engineer = "tcp 10.0.0.7:50112";

LockArbiter asking(std::set<NamedAct> named) {
  ControlSettings settings;
  settings.named = std::move(named);
  return {settings, [] { return MonotonicNs{0}; }, [](int, const std::string&) {}};
}

/// The text of a refusal; "": accepted.
std::string refused(const std::function<void()>& act, int number = -203) {
  try {
    act();
  } catch (const scpi::Error& error) {
    EXPECT_EQ(error.number(), number);
    return error.what();
  }
  return "";
}

TEST(NamedPerson, IsDemandedForTheChosenActsAlone) {
  LockArbiter desk = asking({NamedAct::configure, NamedAct::control});
  const auto configure = [&] { desk.change(engineer, "MMEM:DEL", Role::configure); };
  EXPECT_THAT(refused(configure), HasSubstr("SYSTem:PERSon \"NAME\""));
  EXPECT_EQ(refused([&] { desk.change(engineer, "INIT"); }), "");
  EXPECT_EQ(refused([&] { desk.measure(engineer, "TRIG"); }), "");
  EXPECT_EQ(refused([&] { desk.stop(engineer, "ABOR"); }), "") << "a stop never asks";
  EXPECT_THAT(refused([&] { desk.force(engineer); }), HasSubstr("host.named_for"));
  EXPECT_EQ(desk.owner(), "");
  desk.name_person(engineer, "A. Berger");
  EXPECT_EQ(refused(configure), "");
  EXPECT_EQ(refused([&] { desk.force(engineer); }), "");
  EXPECT_NE(refused([&] { desk.change(plc, "MMEM:DEL", Role::configure); }), "")
      << "each connection has its own";
  desk.left(engineer);
  EXPECT_EQ(desk.person_of(engineer), "");
  EXPECT_NE(refused(configure), "") << "the next one on this computer says who it is";

  LockArbiter operating = asking({NamedAct::operate});
  EXPECT_NE(refused([&] { operating.change(plc, "INIT"); }), "");
  EXPECT_EQ(refused([&] { operating.change(plc, "MMEM:DEL", Role::configure); }), "");
}

TEST(NamedPerson, IsAName) {
  LockArbiter desk = asking({});
  for (const std::string& no : {std::string("   "), std::string("A\nB"), std::string(129, 'x')})
    EXPECT_THAT(refused([&] { desk.name_person(plc, no); }, -224), HasSubstr("1 to 128 bytes")) << no;
  desk.name_person(plc, "J\xC3\xBCrgen");
  EXPECT_EQ(desk.person_of(plc), "J\xC3\xBCrgen");
  desk.name_person(plc, "");
  EXPECT_EQ(desk.person_of(plc), "") << "taken back";
}

TEST(NamedPerson, StandsBesideTheHostInTheChain) {
  DeedBook book;
  book.add({engineer, "configure", "", "A. \"B\" Berger"}, "MMEM:DEL \"psu\"", "2026-11-29T02:00:00Z", 0);
  const std::string statement = book.take().at(0);
  EXPECT_THAT(statement, HasSubstr(R"("person":"A. \"B\" Berger")"));
  EXPECT_EQ(words_of(statement),
            "2026-11-29T02:00:00Z: A. \"B\" Berger at tcp 10.0.0.7:50112 (configure): MMEM:DEL \"psu\"");
}

}  // namespace
}  // namespace named_person_test
}  // namespace datum
