// Every kept fuzzing input and every former crash, in the usual build.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/fuzz/fuzz_target.h"

namespace datum::fuzz {
namespace {

namespace fs = std::filesystem;
const fs::path corpus = fs::path(DATUM_SOURCE_DIR) / "tests/fuzz/corpus";

std::string slurp(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream bytes;
  bytes << in.rdbuf();
  return bytes.str();
}

class FuzzCorpus : public ::testing::TestWithParam<std::pair<const std::string, Target>> {};

TEST_P(FuzzCorpus, IsTakenOrRefusedInOrder) {
  const auto& [name, target] = GetParam();
  std::size_t inputs = 0;
  target("");
  for (const auto& entry : fs::directory_iterator(corpus / name)) {
    EXPECT_NO_THROW(target(slurp(entry.path()))) << entry.path();
    ++inputs;
  }
  EXPECT_GT(inputs, 0u);
}

INSTANTIATE_TEST_SUITE_P(Of, FuzzCorpus, ::testing::ValuesIn(targets().begin(), targets().end()),
                         [](const auto& info) { return info.param.first; });

TEST(FuzzCorpus, HasATargetForEachFolder) {
  for (const auto& entry : fs::directory_iterator(corpus))
    EXPECT_EQ(targets().count(entry.path().filename().string()), 1u) << entry.path();
}

}  // namespace
}  // namespace datum::fuzz
