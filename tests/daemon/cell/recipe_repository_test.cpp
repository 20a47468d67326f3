// Recipes that hosts store: whole, checked, durable, and never under a board's feet.
#include "daemon/cell/recipe_repository.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <semaphore>
#include <sstream>
#include <thread>

#include "config/toml_document.h"
#include "config/toml_reader.h"
#include "daemon/inspection/recipe/recipe_store.h"
#include "daemon/instrument/scpi_error.h"
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

struct Repository {
  explicit Repository(const RecipeQuota& most = {}) : quota(most) {}
  testing::FreshFolder folder;
  std::string chosen;
  bool idle = true;
  std::vector<std::string> changed;
  RecipeQuota quota;
  std::int64_t utc_ns = 0;
  std::shared_ptr<const RecipeStore> known;
  std::size_t files_read = 0;  // by all looks
  std::shared_ptr<const RecipeStore> look() {
    known = std::make_shared<const RecipeStore>(folder.path(), known.get(), utc_ns);
    files_read += known->files_read();
    return known;
  }
  RecipeRepository repository{parts()};
  RecipeRepositoryDependencies parts() {
    return {folder.path(),
            quota,
            [this] { return look(); },
            [this](const std::string& name) { return name == chosen; },
            [this] { return idle; },
            [this](const std::string& name) { changed.push_back(name); },
            [](int, const std::string&) {}};
  }

  void write(const std::string& name, const std::string& text) {
    write(name, text, config::sha256_hex(text));
  }
  /// Throws what it is refused with.
  void write(const std::string& name, const std::string& text, const std::string& sha256) {
    std::optional<scpi::Error> why;
    repository.write(name, text, sha256, [&](const std::optional<scpi::Error>& told) { why = told; });
    if (why) throw *why;
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

TEST(RecipeRepository, StoresReadsAndRemoves) {
  Repository s;
  s.write("bench", named("bench"));
  EXPECT_EQ(s.files(), std::vector<std::string>{"bench.toml"});
  EXPECT_EQ(s.repository.read("bench"), named("bench"));
  EXPECT_NE(RecipeStore(s.folder.path()).find("bench"), nullptr);
  s.repository.remove("bench");
  EXPECT_TRUE(s.files().empty());
  EXPECT_EQ(s.changed, (std::vector<std::string>{"bench", "bench"}));
  EXPECT_EQ(refused([&] { s.repository.read("bench"); }), -256);
  EXPECT_EQ(refused([&] { s.repository.remove("bench"); }), -256);
}

TEST(RecipeRepository, TakesThePlaceOfTheRecipeWhateverItsFileIsCalled) {
  Repository s;
  s.folder.write("old-name.toml", named("bench"));
  const std::string text = named("bench") + "# second edition\n";
  s.write("bench", text);
  EXPECT_EQ(s.files(), std::vector<std::string>{"old-name.toml"});
  EXPECT_EQ(s.repository.read("bench"), text);
}

TEST(RecipeRepository, ChangesNothingWhereItRefuses) {
  Repository s;
  s.write("bench", named("bench"));
  std::string flipped = named("bench"), words;
  flipped[flipped.find("height_um") + 12] ^= 1;
  EXPECT_EQ(refused([&] { s.write("bench", flipped, config::sha256_hex(named("bench"))); }), -230)
      << "a digit that the line flipped";
  EXPECT_EQ(refused([&] { s.write("bench", "schema = 1\nname = \"bench\"\n"); }, &words), -224);
  EXPECT_THAT(words, HasSubstr("bench:"));
  EXPECT_EQ(refused([&] { s.write("bench", named("other")); }, &words), -224);
  EXPECT_THAT(words, HasSubstr("other"));
  for (const char* name : {"", ".hidden", "a/b", "../bench", "a b", "\xC3\xA4"})
    EXPECT_EQ(refused([&] { s.write(name, named(name)); }), -257) << name;
  EXPECT_EQ(s.files(), std::vector<std::string>{"bench.toml"});
  EXPECT_EQ(s.repository.read("bench"), named("bench"));
  EXPECT_EQ(s.changed.size(), 1u);
}

TEST(RecipeRepository, LeavesAFileAloneThatIsNotThisRecipe) {
  Repository s;
  s.folder.write("bench.toml", "half edited");
  EXPECT_EQ(refused([&] { s.write("bench", named("bench")); }), -221);
  EXPECT_EQ(slurp(s.folder / "bench.toml"), "half edited");
}

TEST(RecipeRepository, DoesNotTouchWhatIsMeasuredWith) {
  Repository s;
  s.write("bench", named("bench"));
  s.chosen = "bench";
  s.idle = false;
  EXPECT_EQ(refused([&] { s.write("bench", named("bench") + "\n"); }), -221);
  s.write("other", named("other"));
  s.idle = true;
  s.write("bench", named("bench") + "\n");
  EXPECT_EQ(refused([&] { s.repository.remove("bench"); }), -221) << "chosen, although not armed";
}

TEST(RecipeRepository, SaysWhichWayTheFolderIsClosed) {
  Repository s;
  std::filesystem::remove_all(s.folder.path());
  EXPECT_EQ(refused([&] { s.write("bench", named("bench")); }), -250);
  if (::geteuid() == 0) GTEST_SKIP() << "root may write anywhere";
  std::filesystem::create_directories(s.folder.path());
  std::filesystem::permissions(s.folder.path(),
                               std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  EXPECT_EQ(refused([&] { s.write("bench", named("bench")); }), -258);
}

/// 540 bytes once cost the loop 51 s: each deletion of a recipe that is not there parsed the whole folder.
TEST(RecipeRepository, LooksAtFilesThatDidNotChangeOnlyOnce) {
  Repository s;
  for (int i = 0; i < 20; ++i) s.folder.write(fmt::format("r{}.toml", i), named(fmt::format("r{}", i)));
  s.utc_ns = std::numeric_limits<std::int64_t>::max();  // long after they were written
  EXPECT_EQ(refused([&] { s.repository.remove("none"); }), -256);
  const std::size_t first = s.files_read;
  EXPECT_EQ(first, 20u);
  for (int i = 0; i < 30; ++i) EXPECT_EQ(refused([&] { s.repository.remove("none"); }), -256);
  EXPECT_EQ(s.files_read, first);
  s.write("r7", named("r7") + "# second edition\n");
  EXPECT_EQ(s.repository.read("r7"), named("r7") + "# second edition\n");
  s.repository.remove("r7");
  EXPECT_EQ(refused([&] { s.repository.read("r7"); }), -256);
  EXPECT_EQ(s.files_read, first + 1) << "what changed is read again, and nothing else";
}

TEST(RecipeRepository, ReadsAgainWhatMayHaveChangedWithinATick) {
  Repository s;
  s.folder.write("a.toml", named("a"));
  s.utc_ns = 0;  // the file is as new as the clock can tell
  EXPECT_NE(s.look()->find("a"), nullptr);
  EXPECT_NE(s.look()->find("a"), nullptr);
  EXPECT_EQ(s.files_read, 2u);
}

TEST(RecipeRepository, HasAQuotaOfFilesAndBytes) {
  Repository s({2, 3 * demo().size()});
  std::string words;
  s.write("a", named("a"));
  s.write("b", named("b"));
  EXPECT_EQ(refused([&] { s.write("c", named("c")); }, &words), -254);
  EXPECT_THAT(words, HasSubstr("would have 3 recipes"));
  EXPECT_THAT(words, HasSubstr("inspection.recipes_most"));
  s.write("b", named("b") + "# second edition\n");
  EXPECT_EQ(refused([&] { s.write("b", named("b") + '#' + std::string(2 * demo().size(), 'x') + '\n'); }),
            -254);
  EXPECT_EQ(s.repository.read("b"), named("b") + "# second edition\n");
  s.repository.remove("a");
  s.write("c", named("c"));
}

/// Who parses tells on which thread, and waits until it may go on.
class HeldParser final : public config::TomlParser {
 public:
  config::TomlNode parse(std::string_view text, const std::string& name) const override {
    threads.push_back(std::this_thread::get_id());
    if (held) go_on.acquire();
    return config::parse_toml(text, name);
  }
  mutable std::vector<std::thread::id> threads;  // by whom each text was parsed; read when the worker is idle
  mutable std::counting_semaphore<> go_on{0};
  bool held = true;
};

/// A repository with a thread of its own, whose loop the test is.
struct BusyShelf : Repository {
  explicit BusyShelf(const RecipeQuota& most = {}) : Repository(most) {}
  HeldParser parser;
  Worker worker;
  int told = 0;
  RecipeRepository apart = [this] {
    RecipeRepositoryDependencies all = parts();
    all.parser = &parser;
    all.worker = &worker;
    all.ended = [this] { ++told; };
    return RecipeRepository(all);
  }();
  std::vector<std::string> ends;

  void upload(const std::string& name, const std::string& text) {
    apart.write(name, text, config::sha256_hex(text), [this, name](const std::optional<scpi::Error>& why) {
      ends.push_back(name + (why ? std::to_string(why->number()) : ""));
    });
  }
  /// Until so many uploads have ended.
  void run(std::size_t uploads) {
    while (ends.size() < uploads) {
      pollfd watched{worker.fd(), POLLIN, 0};
      ASSERT_EQ(::poll(&watched, 1, 20'000), 1);
      worker.on_ready(0);
    }
  }
};

/// The loop once waited for the parser, and for the disk: a board was announced that much later.
TEST(RecipeRepository, TheLoopWaitsNeitherForTheParserNorForTheDisk) {
  BusyShelf s;
  s.upload("a", named("a"));
  s.upload("b", "no recipe");
  s.folder.write("old.toml", named("old"));
  EXPECT_NE(s.look()->find("old"), nullptr) << "while a text is parsed";
  EXPECT_TRUE(s.ends.empty());
  s.parser.go_on.release(2);
  s.run(2);
  EXPECT_EQ(s.ends, (std::vector<std::string>{"a", "b-224"})) << "in their order";
  EXPECT_EQ(s.told, 2);
  EXPECT_EQ(s.changed, std::vector<std::string>{"a"});
  for (const auto thread : s.parser.threads) EXPECT_NE(thread, std::this_thread::get_id());
  EXPECT_EQ(s.parser.threads.size(), 2u);
}

TEST(RecipeRepository, WhatIsArmedMeanwhileIsNotTouched) {
  BusyShelf s;
  s.Repository::write("bench", named("bench"));
  s.changed.clear();
  s.upload("bench", named("bench") + "# second edition\n");
  s.chosen = "bench";
  s.idle = false;
  s.parser.go_on.release();
  s.run(1);
  EXPECT_EQ(s.ends, std::vector<std::string>{"bench-221"});
  EXPECT_EQ(slurp(s.folder / "bench.toml"), named("bench"));
  EXPECT_EQ(s.files(), std::vector<std::string>{"bench.toml"}) << "nothing is left of it";
  EXPECT_TRUE(s.changed.empty());
}

/// Armed between the look before and the rename: while the text goes to the disk.
TEST(RecipeRepository, WhatIsArmedWhileTheTextIsWrittenIsNotTouched) {
  BusyShelf s;
  s.Repository::write("bench", named("bench"));
  s.chosen = "bench";
  s.parser.held = false;
  s.upload("bench", named("bench") + "# second edition\n");
  pollfd watched{s.worker.fd(), POLLIN, 0};
  ASSERT_EQ(::poll(&watched, 1, 20'000), 1);
  s.worker.on_ready(0);  // parsed and placed
  s.idle = false;
  s.run(1);
  EXPECT_EQ(s.ends, std::vector<std::string>{"bench-221"});
  EXPECT_EQ(s.files(), std::vector<std::string>{"bench.toml"});
  EXPECT_EQ(slurp(s.folder / "bench.toml"), named("bench"));
}

/// Each is counted before the next one is looked at.
TEST(RecipeRepository, TwoUploadsAtOnceAreNotBeyondTheQuota) {
  BusyShelf s({1, 1 << 20});
  s.parser.held = false;
  s.upload("a", named("a"));
  s.upload("b", named("b"));
  s.run(2);
  EXPECT_EQ(s.ends, (std::vector<std::string>{"a", "b-254"}));
}

TEST(RecipeRepository, AnUploadFollowsNoLink) {
  Repository s;
  const auto outside = s.folder.write("outside/secret", "kept");
  std::filesystem::create_symlink(outside, s.folder / ".bench.toml.part");
  s.write("bench", named("bench"));
  EXPECT_EQ(slurp(outside), "kept");
  EXPECT_FALSE(std::filesystem::is_symlink(s.folder / "bench.toml"));
}

}  // namespace
}  // namespace datum
