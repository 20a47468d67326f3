// Recipes that hosts store: whole, checked, durable, and never under a board's feet.
#include "daemon/cell/recipe_shelf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "config/toml_reader.h"
#include "daemon/inspect/recipe_store.h"
#include "daemon/report/scpi_error.h"
#include "tests/fresh_folder.h"

namespace datum {
namespace {

using ::testing::HasSubstr;

std::string slurp(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string demo() { return slurp(DATUM_SOURCE_DIR "/config/recipes/demo-board.toml"); }

std::string named(const std::string& name) {
  std::string text = demo();
  text.replace(text.find("\"demo-board\""), 12, '"' + name + '"');
  return text;
}

struct Shelf {
  testing::FreshFolder folder;
  std::string chosen;
  bool idle = true;
  std::vector<std::string> changed;
  RecipeShelf shelf{{folder.path(), [this](const std::string& name) { return name == chosen; },
                     [this] { return idle; }, [this](const std::string& name) { changed.push_back(name); },
                     [](int, const std::string&) {}}};

  void write(const std::string& name, const std::string& text) {
    shelf.write(name, text, config::sha256_hex(text));
  }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
      names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  }
};

/// Number of the error, its words in `words`.
template <class Do>
int refused(Do what, std::string* words = nullptr) {
  try {
    what();
  } catch (const scpi::Error& error) {
    if (words) *words = error.what();
    return error.number();
  }
  return 0;
}

TEST(RecipeShelf, StoresReadsAndRemoves) {
  Shelf s;
  s.write("bench", named("bench"));
  EXPECT_EQ(s.files(), std::vector<std::string>{"bench.toml"});
  EXPECT_EQ(s.shelf.read("bench"), named("bench"));
  EXPECT_NE(RecipeStore(s.folder.path()).find("bench"), nullptr);
  s.shelf.remove("bench");
  EXPECT_TRUE(s.files().empty());
  EXPECT_EQ(s.changed, (std::vector<std::string>{"bench", "bench"}));
  EXPECT_EQ(refused([&] { s.shelf.read("bench"); }), -256);
  EXPECT_EQ(refused([&] { s.shelf.remove("bench"); }), -256);
}

TEST(RecipeShelf, TakesThePlaceOfTheRecipeWhateverItsFileIsCalled) {
  Shelf s;
  s.folder.write("old-name.toml", named("bench"));
  const std::string text = named("bench") + "# second edition\n";
  s.write("bench", text);
  EXPECT_EQ(s.files(), std::vector<std::string>{"old-name.toml"});
  EXPECT_EQ(s.shelf.read("bench"), text);
}

TEST(RecipeShelf, ChangesNothingWhereItRefuses) {
  Shelf s;
  s.write("bench", named("bench"));
  std::string flipped = named("bench"), words;
  flipped[flipped.find("height_um") + 12] ^= 1;
  EXPECT_EQ(refused([&] { s.shelf.write("bench", flipped, config::sha256_hex(named("bench"))); }), -230)
      << "a digit that the line flipped";
  EXPECT_EQ(refused([&] { s.write("bench", "schema = 1\nname = \"bench\"\n"); }, &words), -224);
  EXPECT_THAT(words, HasSubstr("bench:"));
  EXPECT_EQ(refused([&] { s.write("bench", named("other")); }, &words), -224);
  EXPECT_THAT(words, HasSubstr("other"));
  for (const char* name : {"", ".hidden", "a/b", "../bench", "a b", "\xC3\xA4"})
    EXPECT_EQ(refused([&] { s.write(name, named(name)); }), -257) << name;
  EXPECT_EQ(s.files(), std::vector<std::string>{"bench.toml"});
  EXPECT_EQ(s.shelf.read("bench"), named("bench"));
  EXPECT_EQ(s.changed.size(), 1u);
}

TEST(RecipeShelf, LeavesAFileAloneThatIsNotThisRecipe) {
  Shelf s;
  s.folder.write("bench.toml", "half edited");
  EXPECT_EQ(refused([&] { s.write("bench", named("bench")); }), -221);
  EXPECT_EQ(slurp(s.folder / "bench.toml"), "half edited");
}

TEST(RecipeShelf, DoesNotTouchWhatIsMeasuredWith) {
  Shelf s;
  s.write("bench", named("bench"));
  s.chosen = "bench";
  s.idle = false;
  EXPECT_EQ(refused([&] { s.write("bench", named("bench") + "\n"); }), -221);
  s.write("other", named("other"));
  s.idle = true;
  s.write("bench", named("bench") + "\n");
  EXPECT_EQ(refused([&] { s.shelf.remove("bench"); }), -221) << "chosen, although not armed";
}

TEST(RecipeShelf, SaysWhichWayTheFolderIsClosed) {
  Shelf s;
  std::filesystem::remove_all(s.folder.path());
  EXPECT_EQ(refused([&] { s.write("bench", named("bench")); }), -250);
  if (::geteuid() == 0) GTEST_SKIP() << "root may write anywhere";
  std::filesystem::create_directories(s.folder.path());
  std::filesystem::permissions(s.folder.path(),
                               std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  EXPECT_EQ(refused([&] { s.write("bench", named("bench")); }), -258);
}

}  // namespace
}  // namespace datum
