// The identity of frames: values computed by hashlib of Python, from the definition in datumd(8).
#include "drivers/sensor/frame_hash.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <regex>

#include "drivers/frame/frame_error.h"
#include "drivers/sensor/read_frame.h"
#include "tests/drivers/sensor/expect_refusal.h"
#include "tests/drivers/sensor/tiny_files.h"
#include "tests/fresh_folder.h"

namespace datum::frame_hash_test {
namespace {

Bytes data(std::size_t size) {
  Bytes bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::uint8_t>((7 * i + 3) % 251);
  return bytes;
}

std::string tree(const std::vector<Bytes>& files, unsigned threads) {
  std::vector<HashedPart> parts;
  for (const Bytes& file : files) parts.push_back(hashed_part({file}, threads));
  return tree_identity(parts);
}

const std::string scheme = "sha256-tree-256KiB:";

TEST(FrameHash, IsTheDefinitionsByAnyNumberOfThreads) {
  for (unsigned threads = 1; threads <= 7; ++threads) {
    EXPECT_EQ(tree({data(0)}, threads),
              scheme + "b4b73827b01750aad34b5588c0c55602ad073f340ff98420e976ff4da25bdfc5");
    EXPECT_EQ(tree({data(1)}, threads),
              scheme + "45d60e4e2100c7f03aadd39d9671995a283c8d7449e09ebb31a95173ba93a099");
    EXPECT_EQ(tree({data(262144)}, threads),
              scheme + "31d6215d492ff05cada3fae03f91cd916d20ff79017e69d5ef9c4dfa2e6eaec8");
    EXPECT_EQ(tree({data(262145)}, threads),
              scheme + "472f10d8e6e2de797d86950dede4616a96005ed318b9abbf44686077e97b4726");
    EXPECT_EQ(tree({data(1000000)}, threads),
              scheme + "a85c11683553262878d975a09d353fe2b616548e047534a254c05aa2ab916998");
    EXPECT_EQ(tree({data(262145), {}, data(5)}, threads),
              scheme + "ad1b14b866aaa1fdd282b326ca2506ce39a6fec5e723cee38709b157312a429e");
  }
}

/// The program of datumd(8), FRAME IDENTITIES, for files.
std::string manuals_program() {
  const std::string page =
      testing::read_file(std::filesystem::path(DATUM_SOURCE_DIR) / "systemd/datumd.8.in");
  const std::size_t from = page.find("import hashlib, struct\n"), to = page.find(".fi", from);
  std::string program = std::regex_replace(page.substr(from, to - from), std::regex("\\\\-"), "-");
  program = std::regex_replace(program, std::regex("\\\\e"), "\\");
  return "import sys\nparts = [open(f, 'rb').read() for f in sys.argv[1:]]\n" + program;
}

TEST(FrameHash, IsWhatTheManualsProgramPrints) {
  if (std::system("python3 -c 'import hashlib' 2>/dev/null") != 0) GTEST_SKIP() << "no python3";
  const testing::FreshFolder folder;
  const std::vector<Bytes> files{data(600'000), {}, data(77)};
  std::string command = "python3 " + folder.write("identity.py", manuals_program()).string();
  for (std::size_t i = 0; i < files.size(); ++i)
    command += " " + folder.write("part" + std::to_string(i), {files[i].begin(), files[i].end()}).string();
  const std::string out = (folder.path() / "out").string();
  ASSERT_EQ(std::system((command + " > " + out).c_str()), 0);
  EXPECT_EQ(testing::read_file(out), tree(files, 3) + "\n");
}

TEST(FrameHash, PiecesOfAPartAreOneFile) {
  const Bytes all = data(1'000'000);
  const ByteView view(all);
  for (const std::size_t cut : {0ul, 1ul, 262'144ul, 300'000ul, 1'000'000ul}) {
    const HashedPart part = hashed_part({view.first(cut), {}, view.subspan(cut)}, 3);
    EXPECT_EQ(tree_identity({part}), tree({all}, 1)) << cut;
  }
}

// The list of a file's leaves delivered as a file, and files with their border elsewhere.
TEST(FrameHash, LeavesListsAndFilesAreNeverEachOther) {
  const Bytes file = data(2 * hash_leaf_bytes);
  const HashedPart part = hashed_part({file}, 1);
  Bytes list;
  for (const Digest& leaf : part.leaves) list.insert(list.end(), leaf.begin(), leaf.end());
  EXPECT_NE(tree({list}, 1), tree({file}, 1));
  EXPECT_NE(tree({data(3), data(5)}, 1), tree({data(8)}, 1));
  EXPECT_NE(tree({data(3), {}}, 1), tree({data(3)}, 1));
  EXPECT_NE(tree({data(3), {}, data(5)}, 1), tree({data(3), data(5), {}}, 1));
  EXPECT_NE(tree({data(5)}, 1), scheme + sha256_hex({data(5)}));
}

TEST(FrameHash, AStoredIdentityNamesItsScheme) {
  EXPECT_EQ(scheme_of(std::string(64, 'a')), HashScheme::sha256);
  EXPECT_EQ(scheme_of(scheme + std::string(64, 'a')), HashScheme::tree);
  EXPECT_EQ(scheme_of("sha256-tree-1MiB:" + std::string(64, 'a')), std::nullopt);
  testing::expect_refusal([] { with_scheme_of(testing::make_profile(), "blake3:00"); },
                          "frame identity blake3:00 is of a scheme that this version does not know; use the "
                          "version that wrote it, or "
                          "a later one");
}

}  // namespace
}  // namespace datum::frame_hash_test
