// The manifest: the same bytes for the same units, and nothing that was changed is measured.
#include "daemon/batch/manifest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "config/toml_reader.h"
#include "daemon/batch/batch_status.h"
#include "tests/daemon/batch/batch_scene.h"
#include "tests/fresh_folder.h"

namespace datum::manifest_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::stored_board;
using testing::unit_of;

ManifestHead head() {
  ManifestHead h;
  h.code = "0.1.0 test";
  h.contract = 1;
  h.frames = "/archive";
  h.sensor_sha256 = std::string(64, 'b');
  return h;
}

std::vector<BatchUnit> units(int count) {
  std::vector<BatchUnit> all;
  for (int n = 1; n <= count; ++n) all.push_back(unit_of(stored_board(n, Decision::pass, 500)));
  return all;
}

std::string text_of(const std::vector<BatchUnit>& all) {
  return manifest_text(head(), all, {{"result 9", "gone"}});
}

/// With the sum of its new bytes: whoever changes a manifest can do that too.
std::string sealed(std::string text) {
  text.erase(text.rfind('\n', text.size() - 2) + 1);
  return text + "{\"sha256\":\"" + config::sha256_hex(text) + "\"}\n";
}

std::string changed(std::string text, const std::string& from, const std::string& to) {
  text.replace(text.find(from), from.size(), to);
  return sealed(text);
}

/// Why it is refused, as a whole or at a unit.
std::string refusal(const std::string& text) {
  try {
    const Manifest m = manifest_from_text(text, "m");
    for (std::size_t i = 0; i < m.size(); ++i) m.unit(i);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(Manifest, HasTheSameBytesWhateverTheOrderOfItsUnits) {
  std::vector<BatchUnit> all = units(9);
  const std::string text = text_of(all);
  std::reverse(all.begin(), all.end());
  all.push_back(all.front());  // twice the same is one
  EXPECT_EQ(text_of(all), text);
  const Manifest m = manifest_from_text(text, "m");
  ASSERT_EQ(m.size(), 9u);
  EXPECT_EQ(m.unmeasurable().size(), 1u);
  EXPECT_EQ(m.unmeasurable()[0].why, "gone");
  for (std::size_t i = 0; i < m.size(); ++i) {
    EXPECT_EQ(key_of(m.unit(i).asked), m.key(i));
  }
}

TEST(Manifest, OneThatWasChangedOrCutOffIsRefused) {
  const std::string text = text_of(units(3));
  EXPECT_EQ(refusal(text), "");
  for (std::size_t size = 0; size < text.size(); size += 97)
    EXPECT_NE(refusal(text.substr(0, size)), "") << size;
  for (std::size_t at = 0; at < text.size(); at += 31) {
    std::string other = text;
    other[at] = static_cast<char>(other[at] ^ 1);
    EXPECT_NE(refusal(other), "") << at;
  }
}

TEST(Manifest, AHostileOneIsRefusedByWhatIsWrong) {
  const std::string text = text_of(units(3));
  EXPECT_THAT(refusal(changed(text, "f1\"", "f2\"")), HasSubstr("is not what its key names"));
  EXPECT_THAT(refusal(changed(text, "\"backend\":\"cpu\"", "\"backend\":\"abc\"")),
              HasSubstr("m:1: backend 'abc'; allowed"));
  EXPECT_THAT(refusal(changed(text, "\"frames\":\"/archive\"", "\"frames\":\"archive\"")),
              HasSubstr("not an absolute folder"));
  EXPECT_THAT(refusal(changed(text, "\"sensor\":\"sensor.toml\"", "\"sensor\":\"../sensor.toml\"")),
              HasSubstr("sensor: neither"));
  EXPECT_THAT(refusal(changed(text, "\"units\":3", "\"units\":4")), HasSubstr("names 4 units"));
  EXPECT_THAT(refusal(changed(text, "\"units\":3", "\"units\":\"3\"")), HasSubstr("m:1: "));
  EXPECT_THAT(refusal(changed(text, "\"datumd_batch_manifest\":1", "\"datumd_batch_manifest\":2")),
              HasSubstr("version 1"));
  const Manifest m = manifest_from_text(text, "m");
  EXPECT_THAT(refusal(changed(text, m.key(0), m.key(1))), HasSubstr("m:3: its key is not above")) << "twice";
  EXPECT_THAT(refusal(changed(text, m.key(0), "../../../../etc/passwd")),
              HasSubstr("m:2: its key is no SHA-256"));
  EXPECT_THAT(refusal(changed(text, m.key(0), std::string(64, '0'))), HasSubstr("is not what its key names"));
  EXPECT_THAT(refusal(sealed(std::string(10'000, '[') + "\n\n")), HasSubstr("m:1: "));
  EXPECT_THAT(refusal(""), HasSubstr("is cut off"));
}

TEST(Manifest, WhatWasBeforeIsTheManifestsOrRefused) {
  const testing::FreshFolder batch;
  std::vector<BatchUnit> all = units(3);
  all.back().before.reset();
  ManifestHead with = head();
  with.before_sha256 = config::sha256_hex(before_text(all));
  batch.write("before.txt", before_text(all));
  const BeforeResults before(batch.path(), with);
  EXPECT_EQ(before.of(all[0].key)->sequence, 1u);
  EXPECT_EQ(before.of(all[1].key)->decision, Decision::pass);
  EXPECT_FALSE(before.of(all[2].key));
  std::string other = before_text(all);
  other.replace(other.find("PASS"), 4, "FAIL");
  batch.write("before.txt", other);
  EXPECT_THROW(BeforeResults(batch.path(), with), std::runtime_error);
  std::filesystem::remove(batch / "before.txt");
  EXPECT_THROW(BeforeResults(batch.path(), with), std::runtime_error);
  EXPECT_FALSE(BeforeResults(batch.path(), head()).of(all[0].key)) << "of an archive";
}

TEST(Manifest, IsCutInPartsThatAreTheWhole) {
  const Manifest m = manifest_from_text(text_of(units(7)), "m");
  EXPECT_THAT(part_of(m, "1/3"), ElementsAre(0, 3, 6));
  EXPECT_THAT(part_of(m, "3/3"), ElementsAre(2, 5));
  EXPECT_TRUE(part_of(m, "9/9").empty());
  EXPECT_THAT(listed_units(m, "2,4-6,5"), ElementsAre(1, 3, 4, 5));
  for (const char* wrong : {"0/3", "4/3", "1", "1/", "/3", "a/b", "1/3x", "-1/3"})
    EXPECT_THROW(part_of(m, wrong), std::invalid_argument) << wrong;
  for (const char* wrong : {"0", "8", "3-2", "", "1-", "x"})
    EXPECT_THROW(listed_units(m, wrong), std::invalid_argument) << wrong;
}

TEST(Manifest, ItsSampleIsTheSameOnEachMachine) {
  const Manifest m = manifest_from_text(text_of(units(40)), "m");
  EXPECT_EQ(sample_of(m, 1).size(), 1u);
  EXPECT_EQ(sample_of(m, 10).size(), 4u);
  EXPECT_EQ(sample_of(m, 10), sample_of(m, 10));
  EXPECT_EQ(sample_of(m, 100).size(), 40u);
  const auto few = sample_of(m, 10), more = sample_of(m, 50);
  EXPECT_TRUE(std::includes(more.begin(), more.end(), few.begin(), few.end()));
  EXPECT_THROW(sample_of(m, 0), std::invalid_argument);
}

}  // namespace
}  // namespace datum::manifest_test
