// The program with a real store: output and exit status.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <fstream>

#include "config/toml_reader.h"
#include "daemon/ctl/calibrate.h"
#include "daemon/ctl/scpi_text.h"
#include "daemon/scpi/scpi_commands.h"
#include "tests/a_calibration.h"
#include "tests/daemon/scpi/fixture.h"
#include "tests/sample_file.h"

namespace datum::datumctl_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct Ended {
  int status = -1;
  std::string out;  // stdout and stderr
};

Ended datumctl(const std::string& arguments) {
  std::FILE* pipe = popen((std::string(DATUMCTL) + " " + arguments + " 2>&1").c_str(), "r");
  Ended run;
  char bytes[4096];
  for (std::size_t n = 0; (n = std::fread(bytes, 1, sizeof bytes, pipe)) > 0;) run.out.append(bytes, n);
  run.status = WEXITSTATUS(pclose(pipe));
  return run;
}

struct Datumctl : ::testing::Test {
  Datumctl() : store(folder / "results.db") {
    // Results 1 to 4 of frames 0, 2, 1 and 3.
    for (const auto d : {Decision::pass, Decision::fail, Decision::inconclusive, Decision::invalid}) {
      BoardVerdict v = testing::board(static_cast<int>(d));
      v.decision = d;
      store.store(v);
    }
  }
  Ended on_store(const std::string& arguments) {
    return datumctl(arguments + " --store " + (folder / "results.db").string());
  }

  testing::FreshFolder folder;
  ResultStore store;  // stays open: datumctl reads beside the daemon
};

TEST_F(Datumctl, ShowExitsByVerdict) {
  const int expected[] = {0, 1, 2, 3};
  for (int n = 1; n <= 4; ++n) EXPECT_EQ(on_store("show " + std::to_string(n)).status, expected[n - 1]) << n;
  const Ended run = on_store("show 4");
  EXPECT_THAT(run.out, HasSubstr("FLOOR_INLIER_RATIO: inlier ratio 0.12 below 0.30"));
  EXPECT_THAT(run.out, Not(HasSubstr("\x1b["))) << "no colour on a pipe";
  const Ended none = on_store("show 5");
  EXPECT_EQ(none.status, 6);
  EXPECT_EQ(none.out, "datumctl: no result 5; 4 are stored, 1 to 4\n");
}

TEST_F(Datumctl, ShowGivesTheStoredJson) {
  EXPECT_EQ(on_store("show 2 --json").out, store.get(2)->json + "\n");
}

TEST_F(Datumctl, ResultsAreFilteredAndTheNewestIsLast) {
  const Ended all = on_store("results --last 2");
  EXPECT_EQ(all.status, 0);
  EXPECT_THAT(all.out, Not(HasSubstr("frame-2"))) << "the second of four";
  EXPECT_LT(all.out.find("frame-1"), all.out.find("frame-3")) << "results 3 and 4";
  EXPECT_THAT(on_store("results --decision fail").out, HasSubstr(" FAIL "));
  EXPECT_THAT(on_store("results --decision fail").out, Not(HasSubstr("PASS")));
  EXPECT_EQ(on_store("results --decision fail --json").out, "[\n" + store.get(2)->json + "\n]\n");
}

TEST_F(Datumctl, SaysWhatIsMissing) {
  const Ended store = datumctl("results --store " + (folder / "other.db").string());
  EXPECT_EQ(store.status, 5);
  EXPECT_THAT(store.out, HasSubstr("no result store there; datumd makes it with its first start"));
  const Ended config = datumctl("results --config " + (folder / "none.toml").string());
  EXPECT_EQ(config.status, 5);
  EXPECT_THAT(config.out, HasSubstr("--store FILE reads a store without a configuration"));
  const Ended nobody = datumctl("status --tcp 127.0.0.1:1");
  EXPECT_EQ(nobody.status, 7);
  EXPECT_THAT(nobody.out, HasSubstr("is datumd running"));
  EXPECT_EQ(datumctl("").status, 4);
  EXPECT_EQ(datumctl("show x").status, 4);
  EXPECT_EQ(datumctl("send '*IDN?' --tcp 127.0.0.1").status, 7);
  EXPECT_EQ(datumctl("--help").status, 0);
}

TEST(DatumctlCalibrate, SaysEachStepInTheProtocol) {
  CalibrateOptions o;
  const auto command = [&](const char* step) {
    o.step = step;
    return command_of(o);
  };
  o.artefact = "AS \"1\"";
  o.operator_name = "J. M.";
  o.degc = 20.25;
  o.face = "LP";
  o.why = "bumped";
  EXPECT_EQ(command("start"), "CALibration:STARt \"AS \"\"1\"\"\",\"J. M.\",20.25");
  EXPECT_EQ(command("touch"), "CALibration:TOUCh \"LP\"");
  EXPECT_EQ(command("accept"), "CALibration:ACCept");
  EXPECT_EQ(command("withdraw"), "CALibration:WITHdraw \"J. M.\",\"bumped\"");
  o.id = "march";
  EXPECT_EQ(command("accept"), "CALibration:ACCept \"march\",\"J. M.\"");
  for (const char* step :
       {"start", "touch", "forget", "scan", "solve", "accept", "verify", "withdraw", "abort"}) {
    const auto unit = scpi::Parser(command(step)).next();
    bool known = false;
    for (const auto& c : scpi::all_commands())
      known |= c.pattern.match(unit->header.mnemonics, unit->header.query).has_value();
    EXPECT_TRUE(known) << command(step);
  }
  EXPECT_EQ(command("status"), "");
  EXPECT_THAT(answer_fields("SOLVED,\"a, b\",\"say \"\"hi\"\"\",\"\""),
              ::testing::ElementsAre("SOLVED", "a, b", "say \"hi\"", ""));
}

TEST(DatumctlCalibrate, SealsWhatIsGoodInEachKey) {
  const testing::FreshFolder folder;
  std::string text = to_toml(testing::a_calibration("own"));
  text.replace(text.find("0.1.0 test"), 10, "by hand");
  text = "# measured on the granite table\n" +
         text.replace(text.find("from = \"sensor\""), 15, "from = \"sensor\"  # the left one");
  const auto method = text.find("\nmethod");
  text.insert(text.find('\n', method + 1), "  # by drawing 4711, \"rev. B\"");
  const auto file = folder.write("own.toml", text);
  EXPECT_THROW(load_calibration(file), config::ConfigError);
  const Ended run = datumctl("calibrate seal " + file.string() + " --operator 'A. S.'");
  EXPECT_EQ(run.status, 0) << run.out;
  EXPECT_EQ(load_calibration(file).operator_name, "A. S.");
  EXPECT_EQ(run.out, file.string() + ": " + load_calibration(file).sha256 + "\n");
  const std::string kept = testing::slurp(file);
  EXPECT_EQ(kept.rfind("# measured on the granite table\n", 0), 0u) << kept;
  EXPECT_THAT(kept, HasSubstr("from = \"sensor\"  # the left one\n"));
  EXPECT_THAT(kept, HasSubstr("method = \"imported\"  # by drawing 4711, \"rev. B\"\n"));
  folder.write("own.toml", text.replace(text.find("\"sensor\""), 8, "\"sonser\""));
  const Ended refused = datumctl("calibrate seal " + file.string() + " --operator 'A. S.'");
  EXPECT_EQ(refused.status, 4);
  EXPECT_THAT(
      refused.out,
      HasSubstr(
          "own.toml:5:8: from: 'sonser' is not known (did you mean 'sensor'?); allowed: one of: sensor"));
  EXPECT_EQ(datumctl("calibrate seal " + file.string()).status, 4) << "nobody answers for it";
}

}  // namespace
}  // namespace datum::datumctl_test
