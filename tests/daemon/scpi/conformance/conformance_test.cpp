// The transcripts in this folder are datumd's specification, derived from IEEE 488.2-1992 and SCPI-99, not from the code.
// `./datum transcripts` shows and accepts differences.
#include <gtest/gtest.h>

#include "daemon/instrument/scpi_error.h"
#include "daemon/scpi/scpi_commands.h"
#include "tests/daemon/scpi/conformance/transcript.h"

namespace datum::testing {
namespace {

class Conformance : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(Conformance, IsAsWritten) {
  const auto lines = read_transcript(GetParam());
  EXPECT_EQ(difference(to_text(lines), to_text(played(lines))), "") << GetParam();
}

std::string name_of_file(const ::testing::TestParamInfo<std::filesystem::path>& info) {
  return info.param.stem().string();
}

INSTANTIATE_TEST_SUITE_P(Transcripts, Conformance, ::testing::ValuesIn(transcripts()), name_of_file);

std::vector<TranscriptLine> all_lines() {
  std::vector<TranscriptLine> all;
  for (const auto& file : transcripts())
    for (auto& line : read_transcript(file)) all.push_back(std::move(line));
  return all;
}

TEST(ConformanceSuite, HasAtLeast300Exchanges) { EXPECT_GE(exchanges(all_lines()), 300u); }

TEST(ConformanceSuite, ReachesEveryErrorThatIsRaisedAndNoOther) {
  const std::set<int> reached = errors_told(all_lines());
  for (const scpi::ErrorText& error : scpi::all_errors()) {
    if (error.number == 0 || error.by_a_link) continue;
    EXPECT_EQ(reached.count(error.number) > 0, error.cause != nullptr) << error.number << " " << error.text;
  }
}

TEST(ConformanceSuite, SaysOfEveryNumberWhatRaisesItOrWhyNothingDoes) {
  for (const scpi::ErrorText& error : scpi::all_errors()) {
    if (error.number == 0) continue;
    EXPECT_NE(error.cause == nullptr, error.never == nullptr) << error.number;
  }
}

TEST(ConformanceSuite, SendsEveryCommandOfTheTable) {
  std::string sent;
  std::vector<std::string> missing;
  std::vector<bool> seen(scpi::all_commands().size());
  for (const TranscriptLine& line : all_lines()) {
    if (line.kind != TranscriptLine::Kind::sent) continue;
    try {
      scpi::Parser parser(unescaped(line.text));
      std::vector<std::string> path;
      while (const auto unit = parser.next()) {
        auto words = unit->header.mnemonics;
        if (!unit->header.common()) {
          if (!unit->header.from_root) words.insert(words.begin(), path.begin(), path.end());
          path.assign(words.begin(), words.end() - 1);
        }
        for (std::size_t i = 0; i < seen.size(); ++i)
          if (scpi::all_commands()[i].pattern.match(words, unit->header.query)) seen[i] = true;
      }
    } catch (const scpi::Error&) {
      continue;  // the transcript is about this error
    }
  }
  for (std::size_t i = 0; i < seen.size(); ++i)
    if (!seen[i]) missing.push_back(scpi::all_commands()[i].pattern.text());
  EXPECT_TRUE(missing.empty()) << ::testing::PrintToString(missing);
}

TEST(ConformanceSuite, SeesAChangedAnswer) {
  const std::vector<TranscriptLine> wrong{{TranscriptLine::Kind::sent, "*ESE 8;*ESE?"},
                                          {TranscriptLine::Kind::answer, "9"}};
  EXPECT_EQ(difference(to_text(wrong), to_text(played(wrong))), "  > *ESE 8;*ESE?\n- < 9\n+ < 8\n");
}

}  // namespace
}  // namespace datum::testing
