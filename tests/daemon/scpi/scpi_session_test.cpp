// Errors, status, overlapped measurements and results from a host's view.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "daemon/inspection/board/warp_recipe.h"
#include "daemon/scpi/scpi_commands.h"
#include "tests/daemon/scpi/scpi_host.h"

namespace datum::scpi {
namespace {

using testing::board;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using testing::ScpiHost;
using ::testing::StartsWith;

TEST(ScpiErrors, AreFirstInFirstOutAndTheLastBecomesOverflow) {
  ScpiHost host;
  for (int i = 0; i < 40; ++i) host.ask("E" + std::to_string(i));
  EXPECT_EQ(host.ask("SYST:ERR:COUN?"), "32\n");
  for (int i = 0; i < 31; ++i)
    EXPECT_EQ(host.ask("SYST:ERR?"), "-113,\"Undefined header;E" + std::to_string(i) + "\"\n");
  EXPECT_EQ(host.ask("SYST:ERR?"), "-350,\"Queue overflow\"\n");
  EXPECT_EQ(host.ask("SYST:ERR?"), "0,\"No error\"\n");
}

TEST(ScpiErrors, HaveAtMost255Characters) {
  ErrorQueue queue;
  queue.push(-113, std::string(400, 'x'));
  EXPECT_EQ(queue.pop().size(), std::string("-113,\"\"").size() + 255);
}

TEST(ScpiErrors, SetTheBitOfTheirClass) {
  const std::pair<int, int> classes[] = {{-113, 32}, {-222, 16},  {-310, 8}, {7, 8},
                                         {-430, 4},  {-500, 128}, {-800, 1}};
  for (const auto& [number, bit] : classes) EXPECT_EQ(event_bit_of(number), bit) << number;
  ScpiHost host;
  EXPECT_EQ(host.ask("*ESR?"), "128\n") << "power on";
  host.ask("FOO");
  host.ask("*ESE 300");
  host.session.raise(-321, "");
  EXPECT_EQ(host.ask("*ESR?;*ESR?"), "56;0\n") << "reading clears";
}

TEST(ScpiErrors, OfTheSyntaxEndTheMessageThoseOfExecutionDoNot) {
  ScpiHost host;
  EXPECT_EQ(host.ask("*ESE 1;*ESE 256;*ESE?"), "1\n");
  EXPECT_EQ(host.ask("*ESE 2;FOO;*ESE 4"), "");
  EXPECT_EQ(host.ask("*ESE?"), "2\n");
}

TEST(ScpiErrors, ACommonHeaderHasNoNumericSuffix) {
  ScpiHost host;
  EXPECT_EQ(host.error_of("*IDN1?"), "-113,\"Undefined header;*IDN1?\"\n");
  EXPECT_EQ(host.error_of("*ESE1"), "-113,\"Undefined header;*ESE1\"\n");
}

// IEEE 488.2, 10.10: rounded to an integer, then checked for 0 to 255.
TEST(ScpiErrors, AMaskIsRoundedBeforeItsRangeIsLookedAt) {
  ScpiHost host;
  EXPECT_EQ(host.ask("*ESE 255.4;*ESE?"), "255\n");
  EXPECT_THAT(host.error_of("*ESE 255.5"), StartsWith("-222,"));
  EXPECT_EQ(host.ask("*ESE -0.4;*ESE?"), "0\n");
}

TEST(ScpiErrors, AUnitThatIsNoneIsTheSameErrorHoweverItIsWritten) {
  ScpiHost host;
  EXPECT_THAT(host.error_of("SENS:TEMP 20 CEL.M"), StartsWith("-131,"));
  EXPECT_THAT(host.error_of("SENS:TEMP 20 CEL/M"), StartsWith("-131,"));
}

// IEEE 488.2, 12.5.2.2: without pending operations the operation is complete at once.
TEST(ScpiStatus, OperationCompleteIsDueAtOnce) {
  ScpiHost host;
  host.ask("*CLS");
  EXPECT_EQ(host.ask("*OPC;*ESR?"), "1\n");
  host.ask("CONF:REC 'mainboard';:INIT;:TRIG");
  EXPECT_EQ(host.ask("*OPC;*ESR?"), "0\n") << "a board is pending";
}

TEST(ScpiErrors, NameWhatTheInstrumentThrew) {
  ScpiHost host;
  host.cell.failures = {"store: read-only file system", "cmm: link down"};
  EXPECT_EQ(host.ask("*TST?"), "2\n");
  EXPECT_EQ(
      host.ask("SYST:ERR:ALL?"),
      "-330,\"Self-test failed;store: read-only file system\",-330,\"Self-test failed;cmm: link down\"\n");
  host.cell.failures.clear();
  EXPECT_EQ(host.ask("*TST?"), "0\n");
}

TEST(ScpiStatus, SumsUpInTheStatusByte) {
  ScpiHost host;
  EXPECT_EQ(host.ask("*STB?"), "0\n");
  EXPECT_EQ(host.ask("FOO\n*STB?"), "4\n") << "error queue";
  EXPECT_EQ(host.ask("*CLS;*ESE 32;*SRE 32\nFOO\n*STB?"), "100\n") << "error queue, ESB, MSS";
  EXPECT_EQ(host.ask("*CLS;*STB?"), "0\n");
  EXPECT_EQ(host.ask("*ESE?;*SRE?"), "32;32\n") << "*CLS keeps the enables";
  EXPECT_EQ(host.ask("*SRE 255;*SRE?"), "191\n") << "bit 6 can't be enabled";
  EXPECT_EQ(host.ask("*IDN?;*STB?"), "datum,datumd,cell-1,0.1.0;80\n") << "an answer waits: MAV, MSS";
}

TEST(ScpiStatus, LatchesConditionsOfTheInstrument) {
  ScpiHost host;
  EXPECT_EQ(host.ask("STAT:OPER:COND?"), "0\n");
  host.ask("STAT:OPER:ENAB 32\nCONF:REC \"mainboard\"\nINIT");
  EXPECT_EQ(host.ask("STAT:OPER:COND?"), "288\n") << "recipe chosen, waiting for trigger";
  EXPECT_EQ(host.ask("*STB?"), "128\n");
  EXPECT_EQ(host.ask("STAT:OPER?;OPER?"), "288;0\n") << "the event stays until it is read";
  host.cell.questionable = questionable_pose;
  host.session.instrument_changed();
  EXPECT_EQ(host.ask("STAT:QUES:COND?;EVEN?"), "512;512\n");
  EXPECT_EQ(host.ask("STAT:PRES;OPER:ENAB?"), "0\n");
}

TEST(ScpiIdentity, HasFourFieldsIn72Characters) {
  ScpiHost host;
  EXPECT_EQ(host.ask("*IDN?"), "datum,datumd,cell-1,0.1.0\n");
}

TEST(ScpiMeasuring, AnswersOpcWhenTheBoardIsDoneAndExecutesWhatFollows) {
  ScpiHost host;
  EXPECT_EQ(host.ask("CONF:REC 'mainboard';UNIT 'SN-9'\nINIT;*TRG;*OPC?"), "");
  EXPECT_EQ(host.ask("SYST:STAT?;ERR?"), "") << "executed, answered behind the 1";
  EXPECT_EQ(host.finish(), "1\nWAITING,\"no frame yet\";0,\"No error\"\n");
}

TEST(ScpiMeasuring, CanBeAbortedWhileOpcWaits) {
  ScpiHost host;
  host.ask("CONF:REC 'mainboard';:INIT;:TRIG;*OPC?");
  EXPECT_EQ(host.ask("ABOR"), "1\n");
  EXPECT_EQ(host.ask("SYST:STAT?"), "IDLE,\"no frame yet\"\n");
}

TEST(ScpiMeasuring, SetsTheOpcEventOnlyAtTheEnd) {
  ScpiHost host;
  host.ask("*CLS;*ESR?\nCONF:REC 'mainboard';:INIT;:TRIG;*OPC");
  EXPECT_EQ(host.ask("*ESR?"), "0\n");
  host.finish();
  EXPECT_EQ(host.ask("*ESR?"), "1\n");
}

TEST(ScpiMeasuring, WaiHoldsWhatFollowsInItsMessageAndAfter) {
  ScpiHost host;
  EXPECT_EQ(host.ask("CONF:REC 'mainboard';:INIT;:TRIG;*WAI;:FETC:BOAR?"), "");
  EXPECT_EQ(host.ask("*IDN?"), "");
  EXPECT_THAT(host.finish(), StartsWith("1,INVALID,"));
  EXPECT_EQ(host.ask("*WAI;*ESE?"), "0\n") << "nothing pending: no wait";
}

TEST(ScpiMeasuring, BoundsWhatWaitsBehindWai) {
  ScpiHost host;
  host.ask("CONF:REC 'mainboard';:INIT;:TRIG;*WAI");
  for (int i = 0; i < 40; ++i) host.ask("DIAG:ECHO? '" + std::string(2000, 'x') + "'");
  const std::string answers = host.finish();
  EXPECT_EQ(std::count(answers.begin(), answers.end(), '\n'), 65536 / 2014);
  EXPECT_THAT(host.ask("SYST:ERR?"), StartsWith("-363,"));
}

TEST(ScpiMeasuring, ClsAndRstStopWaiting) {
  ScpiHost host;
  host.ask("CONF:REC 'mainboard';:INIT;:TRIG;*OPC;*OPC?");
  EXPECT_EQ(host.ask("*CLS;*ESE?"), "0\n") << "the 1 is no longer waited for";
  EXPECT_EQ(host.finish(), "");
  EXPECT_EQ(host.ask("*ESR?"), "0\n");
}

TEST(ScpiMeasuring, TheBoardsOwnRowFollowsItsComponents) {
  ScpiHost host;
  auto warp = std::make_shared<WarpRecipe>();
  warp->row.reference = "BOARD";
  Check bow;
  bow.characteristic = Characteristic::bow;
  bow.upper = 0.75;
  Check convexity;
  convexity.characteristic = Characteristic::convexity;
  convexity.upper = 300;
  warp->row.checks = {bow, convexity};
  host.cell.recipe_content.warp = warp;
  const std::string last = std::to_string(host.cell.recipe_content.components.size() + 1);
  host.ask("CONF:REC 'mainboard'");
  EXPECT_THAT(host.ask("CONF:REC:COMP?"), EndsWith(",\"BOARD\"\n"));
  EXPECT_EQ(host.ask("CALC:LIM" + last + "?"),
            "\"BOARD\",2,\"bow\",-9.9E37,0.75,\"percent\",\"convexity\",-9.9E37,300,\"um\"\n");
  EXPECT_THAT(host.error_of("CALC:LIM" + last + ":UPP?"), HasSubstr("BOARD has no check of its height"));
}

TEST(ScpiMeasuring, RefusesWhatDoesNotFitTheState) {
  ScpiHost host;
  EXPECT_EQ(host.error_of("TRIG"), "-211,\"Trigger ignored;not armed\"\n");
  EXPECT_EQ(host.error_of("INIT"), "-221,\"Settings conflict;no recipe is chosen\"\n");
  EXPECT_EQ(host.error_of("CONF:REC 'other'"), "-256,\"File name not found;no recipe 'other'\"\n");
  EXPECT_EQ(host.error_of("CONF:REC 'mainboard','ffff'"),
            "-221,\"Settings conflict;the file has another hash\"\n");
  host.ask("CONF:REC 'mainboard','ab12';:INIT");
  EXPECT_EQ(host.error_of("INIT"), "-213,\"Init ignored;armed already\"\n");
  host.ask("TRIG");
  EXPECT_EQ(host.error_of("CONF:REC 'mainboard'"), "-221,\"Settings conflict;a board is being measured\"\n");
}

TEST(ScpiRecipe, AreListedAndChosenByName) {
  ScpiHost host;
  EXPECT_EQ(host.ask("MMEM:CAT:REC?"), "\"mainboard\",\"power \"\"A\"\"\"\n");
  EXPECT_EQ(host.ask("CONF:REC?"), "\"\",\"\"\n");
  EXPECT_EQ(host.ask("CONF:REC 'power \"A\"';REC?"), "\"power \"\"A\"\"\",\"ab12\"\n");
  EXPECT_EQ(host.ask("*RST;:CONF:REC?"), "\"\",\"\"\n");
  EXPECT_EQ(host.error_of("CONF:UNIT '\x7f'"),
            "-224,\"Illegal parameter value;a serial number is printable ASCII\"\n");
}

TEST(ScpiResults, SayWhenThereIsNone) {
  ScpiHost host;
  EXPECT_EQ(host.error_of("FETC:BOAR?"), "-230,\"Data corrupt or stale;no board has been measured yet\"\n");
  host.finish();
  EXPECT_EQ(host.error_of("FETC:COMP? 2"), "-222,\"Data out of range;result 2; 1 are stored, 1 to 1\"\n");
  EXPECT_EQ(host.ask("DATA:COUN?"), "1\n");
}

TEST(ScpiResults, GiveBoardAndComponents) {
  ScpiHost host;
  host.finish(board(1));
  host.finish(board(2));
  EXPECT_EQ(host.ask("FETC:BOAR? 1"),
            "1,INVALID,FLOOR_INLIER_RATIO,\"mainboard\",\"ab12\",\"frame-1\",\"SN-7\",\"2026-11-21T07:18:17."
            "123456Z\","
            "1,0,1,1,\"\"\n");
  EXPECT_THAT(host.ask("FETC:BOAR?"), HasSubstr("\"frame-2\""));
  EXPECT_EQ(host.ask("FETC:COMP?"),
            "2,3,\"U1\",\"median\",PASS,NONE,1160.25,2.5,1140,1180.5,\"um\",\"\","
            "\"U2\",\"median\",FAIL,NONE,1190,2.5,1140,1180.5,\"um\",\"\","
            "\"U3\",\"median\",INVALID,FLOOR_INLIER_RATIO,9.91E37,9.91E37,1140,1180.5,\"um\","
            "\"inlier ratio 0.12 below 0.30\"\n");
}

/// A number alone is not conclusive; with the store's id it is.
TEST(ScpiResults, AreAcknowledgedWithTheIdOfTheirStore) {
  ScpiHost host;
  host.finish();
  host.finish();
  EXPECT_EQ(host.ask("DATA:STOR:FORM?"), "\"\",0,0\n");
  const std::string former = host.cell.results().store_id;
  const auto acknowledge = [&](int n, const std::string& id) {
    return host.error_of("DATA:ACK " + std::to_string(n) + ",'" + id + "'");
  };
  EXPECT_EQ(acknowledge(2, former), "0,\"No error\"\n");
  EXPECT_THAT(acknowledge(2, "ffff"), HasSubstr("store 'ffff'; this one is '" + former + "'"));
  EXPECT_THAT(host.error_of("DATA:ACK 5"), StartsWith("-222,"));
  EXPECT_TRUE(host.cell.who_did_what.empty());
  EXPECT_THAT(acknowledge(5, former), HasSubstr("the store was set back"));
  ASSERT_EQ(host.cell.who_did_what.size(), 1u);
  EXPECT_EQ(host.cell.who_did_what[0], "ahead " + former + " 5 host");
  host.cell.renew({5, "host"});
  host.finish();
  EXPECT_EQ(host.ask("DATA:STOR:FORM?"), '"' + former + "\",2,5\n");
  EXPECT_EQ(host.ask("DATA:ACK 1;NEXT?"), "2\n");
  EXPECT_EQ(host.ask("DATA:ACK 2;NEXT?"), "6\n") << "3 to 5 are not there";
  EXPECT_EQ(acknowledge(4, former), "0,\"No error\"\n");
  EXPECT_EQ(host.ask("DATA:ACK?;NEXT?;COUN?"), "5;6;3\n");
  EXPECT_EQ(host.ask("DATA:ACK 5;NEXT?"), "6\n") << "who knows numbers only is not refused";
}

TEST(ScpiResults, GiveTheStoredJsonAsADefiniteBlock) {
  ScpiHost host;
  const auto stored = host.cell.finish_board(board());
  const std::string json = to_json(stored);
  EXPECT_EQ(host.ask("FETC:JSON?"), "#4" + std::to_string(json.size()) + json + "\n");
}

TEST(ScpiHelp, ListsEveryHeaderOfTheTableAndOnlyThose) {
  ScpiHost host;
  const std::string help = host.ask("SYST:HELP:HEAD?");
  for (const char* line : {":SYSTem:ERRor[:NEXT]?/qonly/\n", ":ABORt/nquery/\n", "*ESE\n",
                           ":CONFigure:RECipe\n", "*IDN?/qonly/\n"})
    EXPECT_THAT(help, HasSubstr(line));
  std::size_t pairs = 0;  // a command with its query is one line
  for (const auto& a : all_commands())
    for (const auto& b : all_commands()) pairs += a.pattern.text() + "?" == b.pattern.text();
  EXPECT_EQ(static_cast<std::size_t>(std::count(help.begin(), help.end(), '\n')),
            all_commands().size() - pairs + 1);
  EXPECT_EQ(host.ask("SYST:HELP:SYNT? 'fetc:boar'"), host.ask("SYST:HELP:SYNT? 'FETCH:BOARD?'"));
  EXPECT_THAT(host.ask("SYST:HELP:SYNT? 'fetc:boar'"),
              StartsWith("\"FETCh:BOARd? [<sequence>]: sequence, decision"));
  EXPECT_THAT(host.error_of("SYST:HELP:SYNT? 'foo'"), StartsWith("-224,"));
}

TEST(ScpiAccess, IsOfEveryCommandThatChangesMoreThanItsOwnLink) {
  std::vector<std::string> own;
  for (const auto& c : all_commands()) {
    if (c.pattern.is_query())
      EXPECT_EQ(c.access, Access::reads) << c.pattern.text();
    else if (c.access == Access::reads)
      own.push_back(c.pattern.text());
  }
  EXPECT_THAT(own, ::testing::UnorderedElementsAre(
                       "*CLS", "*ESE", "*OPC", "*SRE", "*WAI", "STATus:OPERation:ENABle",
                       "STATus:QUEStionable:ENABle", "STATus:PRESet", "DATA:PUSH", "SYSTem:LOCK:RELease",
                       "SYSTem:LOCK:FORCe", "STATus:OPERation:PTRansition", "STATus:OPERation:NTRansition",
                       "STATus:QUEStionable:PTRansition", "STATus:QUEStionable:NTRansition", "DATA:ACK",
                       "FORMat[:DATA]", "FORMat:BORDer", "UNIT:LENGth", "SYSTem:PERSon"));
}

TEST(ScpiDiagnostic, NamesLinksAndCalibration) {
  ScpiHost host;
  EXPECT_EQ(host.ask("DIAG:LINK:STAT?"), "\"cmm: open\"\n");
  EXPECT_EQ(host.ask("DIAG:LINKS?;LINK:STAT2?"),
            "\"cmm: open\",\"sensor \"\"drop\"\": open\";\"sensor \"\"drop\"\": open\"\n");
  EXPECT_EQ(host.ask("CAL:CURR?"), "\"cal-1\",\"cd34\",\"2027-01-01T00:00:00Z\",1.5,1,\"\"\n");
}

TEST(ScpiDiagnostic, TellsThePositionAndTakesAnOperatorsWord) {
  ScpiHost host;
  EXPECT_THAT(host.error_of("DIAG:POS?"), StartsWith("-241,"));
  host.cell.point = ProbePoint{};
  host.cell.point->position_mm = {1.5, -2, 0.25};
  host.cell.point->state = ProbeState::ok;
  EXPECT_EQ(host.ask("DIAG:POS?"), "OK,1.5,-2,0.25,\"\"\n");
  host.cell.point->state = ProbeState::not_referenced;
  host.cell.point->detail = "ALARM:1";
  EXPECT_EQ(host.ask("DIAG:POS?"), "NOT_REFERENCED,9.91E+37,9.91E+37,9.91E+37,\"ALARM:1\"\n")
      << "the last number is not told";
  host.ask("DIAG:POS:REF;:DIAG:LINK:REOP");
  EXPECT_EQ(host.cell.referenced, 1);
  EXPECT_EQ(host.cell.reopened, 1);
}

TEST(ScpiSession, ForgetsAHalfMessageWhenItsLinkBreaks) {
  ScpiHost host;
  host.raw("FOO\nCONF:REC 'main");
  host.session.link_lost();
  EXPECT_EQ(host.ask("*ESE?"), "0\n");
  EXPECT_THAT(host.ask("SYST:ERR?"), StartsWith("-113,")) << "errors stay";
}

TEST(ScpiTemperature, IsToldByAHostWithItsTime) {
  ScpiHost host;
  EXPECT_EQ(host.ask("SENS:TEMP?"), "");
  EXPECT_THAT(host.ask("SYST:ERR?"), StartsWith("-230,"));
  EXPECT_EQ(host.ask("SENSe:TEMPerature 21.35;TEMPerature?"), "21.35,\"2026-03-01T08:30:00Z\"\n");
  EXPECT_EQ(host.ask("SENS:TEMP 70;:SYST:ERR?").substr(0, 5), "-222,") << "degF";
  EXPECT_EQ(host.ask("SENS:TEMP?"), "21.35,\"2026-03-01T08:30:00Z\"\n") << "as it was";
}

TEST(ScpiCalibration, HandsEachStepOn) {
  ScpiHost host;
  EXPECT_EQ(host.ask("CAL:STAR 'AS-1','J. M.',20.5;TOUC 'LP';SCAN;SOLV;ACC"), "");
  EXPECT_EQ(host.ask("CAL:FORG 'LL';FORG;:CAL:ACC 'march','A. S.';WITH 'A. S.','bumped';ABOR"), "");
  EXPECT_THAT(
      host.cell.calibration_steps.calls,
      ::testing::ElementsAre("start AS-1 J. M. 20.5", "touch LP", "scan", "solve", "accept", "forget LL",
                             "forget ", "accept march A. S.", "withdraw A. S. bumped", "abort"));
  EXPECT_EQ(host.ask("CAL:STAT?"), "COLLECTING,\"LP 3 touches\",\"no \"\"scan\"\"\"\n");
  EXPECT_EQ(host.ask("SYST:ERR?"), "0,\"No error\"\n");
  EXPECT_EQ(host.ask("CAL:VER;:SYST:ERR?"), "-340,\"Calibration failed;it has drifted\"\n");
}

TEST(ScpiCalibration, NeedsSomebodyWhoAnswersForIt) {
  ScpiHost host;
  EXPECT_THAT(host.ask("CAL:STAR 'AS-1','',20;:SYST:ERR?"), StartsWith("-224,"));
  host.ask("CAL:STAR 'AS-1','J. M.'");
  EXPECT_THAT(host.ask("SYST:ERR?"), StartsWith("-109,")) << "no temperature is no default";
  host.ask("CAL:ACC 'march'");
  EXPECT_THAT(host.ask("SYST:ERR?"), StartsWith("-109,"));
  EXPECT_TRUE(host.cell.calibration_steps.calls.empty());
}

TEST(ScpiHole, HandsEachStepOn) {
  ScpiHost host;
  EXPECT_EQ(host.ask("PROB:HOLE:STAR 1.5,-2,3,1.25,0.5,0.1;SCAN;ENT;TOUC;ABOR"), "");
  EXPECT_THAT(host.cell.holes.calls,
              ::testing::ElementsAre("start 1.5 -2 3 1.25 0.5 0.1", "scan", "enter", "touch", "abort"));
  EXPECT_EQ(host.ask("PROB:HOLE:STAT?"), "\"NO CONVERGENCE\",\"no \"\"hole\"\"\"\n");
  host.ask("PROB:HOLE:STAR 1,2,3,1.25,0.5");
  EXPECT_THAT(host.ask("SYST:ERR?"), StartsWith("-109,")) << "no tolerance is no default";
  for (const char* query : {"PROB:HOLE:NEXT?", "PROB:HOLE:RES?"}) {
    EXPECT_EQ(host.ask(query), "");
    EXPECT_THAT(host.ask("SYST:ERR?"), StartsWith("-230,")) << query;
  }
  host.cell.holes.next = {{true, {1, 2, 3.5}}, {false, {4, 5, 6}}};
  EXPECT_EQ(host.ask("PROB:HOLE:NEXT?"), "1,1,2,3.5,0,4,5,6\n");
  host.cell.holes.ended =
      HoleResult{"DONE", "", {1, 2, 3}, 1.5, {0.25, 0.5, 1}, 0.125, 8, "c", "c5", "f", "f5", "l"};
  EXPECT_EQ(host.ask("PROB:HOLE:RES?"),
            "\"DONE\",1,2,3,1.5,0.5,1,2,0.125,8,\"\",\"c\",\"c5\",\"f\",\"f5\",\"l\"\n");
}

}  // namespace
}  // namespace datum::scpi
