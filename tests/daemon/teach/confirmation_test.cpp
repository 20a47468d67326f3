// A person's word on a proposal: edits of a recipe's text, and the record of who, when and from which frames.
#include "daemon/teach/confirmation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/toml_reader.h"
#include "daemon/teach/toml_edit.h"
#include "daemon/teach/toml_values.h"
#include "tests/fresh_folder.h"

namespace datum::confirmation_test {
namespace {

using namespace teach;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const std::string tables = R"(schema = 1
name = "r"
[package.C0603]
body_mm = [1.6, 0.8]
nominal_um = 800.0
nominal_confirmed = false   # from the name
characteristic = "median"
tolerance_um = 80.0
[[component]]
reference = "C1"   # beside the connector
package = "C0603"
centre_mm = [20.0, 30.0]
[[component]]
reference = "C2"
package = "C0603"
centre_mm = [40.0, 30.0]
characteristic = "mean"   # its top is rough
tolerance_um = 90.0
[board]
size_mm = [100.0, 80.0]
coordinates = "sensor"
origin_mm = [0.0, 0.0, 0.0]
rotation_deg = 0.0
[floor]
inner_margin_mm = 0.3
outer_margin_mm = 1.3   # by hand
neighbour_margin_mm = 0.3
[decision]
rule = "14253"
)";

std::string recipe_text() {
  std::string text = tables;
  text.insert(text.find("[package"), "sensor_serial = \"S1\"\n");
  return text;
}

/// The same in the form that programs write.
std::string compact_text() {
  return R"(schema = 1
name = "r"
sensor_serial = "S1"
package.C0603 = { body_mm = [1.6, 0.8], nominal_um = 800.0, nominal_confirmed = false, characteristic = "median", tolerance_um = 80.0 }
component = [
  { nominal_source = "Größe }", reference = "C1", package = "C0603", centre_mm = [20.0, 30.0] },  # 400 of 500 px
  { reference = "C2", package = "C0603", centre_mm = [40.0, 30.0], characteristic = "mean", tolerance_um = 90.0 },
]
)" + tables.substr(tables.find("[board]"));
}

OpenProposal open(const std::string& reference, double nominal, double half) {
  OpenProposal p;
  p.what.reference = reference;
  p.what.package = "C0603";
  p.what.characteristic = reference == "C2" ? Characteristic::mean : Characteristic::median;
  p.what.nominal_um = nominal;
  p.what.lower_um = nominal - half;
  p.what.upper_um = nominal + half;
  p.what.limits = Limits::taught;
  p.what.values_um = {nominal - 1, nominal + 1};
  return p;
}

ProposalFile proposals_of(const std::string& recipe) {
  ProposalFile file;
  file.recipe = "r";
  file.recipe_sha256 = config::sha256_hex(recipe);
  file.sensor_serial = "S1";
  file.sensor_profile_sha256 = "aa";
  file.made_at = "2026-11-20T10:00:00Z";
  file.made_by = "datumctl 1";
  file.boards = {{"a.json", "1", "f1", ""}, {"b.json", "2", "f2", "SN7"}};
  file.proposals = {open("C1", 810.5, 30), open("C2", 790.2, 25)};
  file.proposals[1].what.differs = {"stands \"beside\" its place"};
  file.findings = {{"C2", Difference::shifted, {0, 1}, "it's off"}};
  file.noise_um = 3.2;
  file.profile_noise_um = 3.4;
  return file;
}

const Word smith{"A. Smith", "2026-11-21T08:00:00Z", {}, false};

Recipe read(const std::string& text) {
  config::Problems problems;
  Recipe recipe = recipe_from_text(text, "r.toml", problems);
  for (const auto& error : problems.errors()) ADD_FAILURE() << error.what();
  return recipe;
}

TEST(ProposalFile, ReadsBackWhatItWrites) {
  const datum::testing::FreshFolder folder;
  ProposalFile file = proposals_of(recipe_text());
  file.proposals[0].confirmed_by = "A. Smith";
  file.proposals[0].confirmed_at = "2026-11-21T08:00:00Z";
  file.proposals[1].added.emplace().body = {{1, 2}, {3, 4}, 45};
  file.ring.emplace().inner_mm = 0.4;
  file.ring->outer_mm = 1.5;
  const std::string text = proposal_text(file);
  EXPECT_EQ(proposal_text(read_proposal(folder.write("p.toml", text))), text);
  EXPECT_THAT(proposal_text(proposals_of("x")), Not(HasSubstr("confirmed = true")));
}

TEST(Confirm, TakesOverWhatDiffersInNothingAndSaysWhoWhenAndFromWhat) {
  for (const std::string& recipe : {recipe_text(), compact_text()}) {
    SCOPED_TRACE(recipe);
    const Confirmed done = confirm(recipe, "r.toml", proposals_of(recipe), smith);
    const Recipe now = read(done.recipe);
    EXPECT_EQ(now.components[0].nominal_height_um, 810.5);
    EXPECT_TRUE(now.components[0].nominal_confirmed);
    EXPECT_EQ(now.components[0].checks[0].lower, 780.5);
    EXPECT_EQ(now.components[0].checks[0].upper, 840.5);
    EXPECT_EQ(now.components[0].nominal_source,
              "2 golden boards, confirmed by A. Smith 2026-11-21T08:00:00Z");
    EXPECT_EQ(now.components[1].nominal_height_um, 800) << "it differs, and nobody named it";
    EXPECT_FALSE(now.components[1].nominal_confirmed);
    ASSERT_EQ(now.confirmations.size(), 1u);
    EXPECT_EQ(now.confirmations[0].by, "A. Smith");
    EXPECT_THAT(now.confirmations[0].references, ElementsAre("C1"));
    EXPECT_THAT(now.confirmations[0].frames_sha256, ElementsAre("f1", "f2"));
    EXPECT_THAT(done.left, ElementsAre("C2"));
    EXPECT_EQ(done.file.proposals[0].confirmed_by, "A. Smith");
    EXPECT_THAT(done.recipe, HasSubstr("outer_margin_mm = 1.3   # by hand"));
  }
  EXPECT_THAT(confirm(recipe_text(), "r.toml", proposals_of(recipe_text()), smith).recipe,
              HasSubstr("reference = \"C1\"   # beside the connector\nnominal_um"));
}

TEST(Confirm, TakesWhatDiffersByItsReferenceAndASecondWordFollowsTheFirst) {
  const std::string recipe = compact_text();
  const Confirmed first = confirm(recipe, "r.toml", proposals_of(recipe), smith);
  const Confirmed second =
      confirm(first.recipe, "r.toml", first.file, {"B. Jones", "2026-11-22T08:00:00Z", {"C2"}, false});
  const Recipe now = read(second.recipe);
  EXPECT_EQ(now.components[1].nominal_height_um, 790.2);
  EXPECT_EQ(now.components[1].checks[0].upper, 815.2);
  EXPECT_EQ(now.components[1].checks[0].characteristic, Characteristic::mean);
  EXPECT_EQ(now.components[0].nominal_height_um, 810.5);
  ASSERT_EQ(now.confirmations.size(), 2u);
  EXPECT_EQ(now.confirmations[1].by, "B. Jones");
  EXPECT_THAT(second.left, IsEmpty());
}

TEST(Confirm, AddsABodyAndTheRing) {
  for (const std::string& recipe : {recipe_text(), compact_text()}) {
    ProposalFile file = proposals_of(recipe);
    OpenProposal body = open("NEW1", 500, 40);
    body.what.package = "unknown";
    body.added.emplace().body = {{70, 40}, {2, 1}, 90};
    file.proposals.push_back(body);
    file.ring.emplace().inner_mm = 0.5;
    file.ring->outer_mm = 1.6;
    EXPECT_THAT(confirm(recipe, "r.toml", file, smith).left, ElementsAre("C2", "NEW1")) << "only by its name";
    const Recipe now =
        read(confirm(recipe, "r.toml", file, {"A", "2026-11-21T08:00:00Z", {"NEW1"}, true}).recipe);
    ASSERT_EQ(now.components.size(), 3u);
    EXPECT_EQ(now.floor.inner_margin_mm, 0.5);
    EXPECT_EQ(now.floor.outer_margin_mm, 1.6);
  }
}

std::string refusal(const std::string& recipe, const ProposalFile& file, const Word& word) {
  try {
    confirm(recipe, "r.toml", file, word);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(Confirm, RefusesWhatNobodySaid) {
  const std::string recipe = recipe_text();
  const ProposalFile file = proposals_of(recipe);
  EXPECT_THAT(refusal(recipe + "# edited\n", file, smith), HasSubstr("teach it again"));
  EXPECT_THAT(refusal(recipe, file, {"", smith.at, {}, false}), HasSubstr("--by"));
  EXPECT_THAT(refusal(recipe, file, {"A\nB", smith.at, {}, false}), HasSubstr("--by"));
  EXPECT_THAT(refusal(recipe, file, {"A", smith.at, {"C1", "U7"}, false}),
              HasSubstr("no open proposal of U7"));
  EXPECT_THAT(refusal(recipe, file, {"A", smith.at, {}, true}), HasSubstr("--ring"));
  const Confirmed done = confirm(recipe, "r.toml", file, smith);
  EXPECT_THAT(refusal(done.recipe, done.file, smith), HasSubstr("nothing is left"));
  EXPECT_THAT(refusal(done.recipe, done.file, {"A", smith.at, {"C1"}, false}),
              HasSubstr("no open proposal of C1"));
}

TEST(TomlValues, ATextIsReadBackAsItIs) {
  const std::string text = "M\xc3\xbcller \"2,5 \xc2\xb5m\"\t\\ \x7f";
  const TomlEdit edit("source = " + toml_text(text) + "\n", "r.toml");
  EXPECT_EQ(edit.root().find("source")->text, text);
}

TEST(TomlEdit, LeavesTheRestAsItIs) {
  const std::string text =
      "a = { x = 'it''s', y = [1, # one ]\n 2] }\r\n[t]\nkey = \"\"\"long ] \" text\"\"\"  # why\nlast = 1.5";
  EXPECT_THROW(TomlEdit(text, "t"), config::ConfigError) << "two strings are no TOML";
  const std::string good =
      "a = { x = 'it', y = [1, 3] }\n[t]\nkey = \"\"\"long ] \" text\"\"\"  # why\nlast = 1.5";
  TomlEdit edit(good, "t");
  edit.set(*edit.root().find("a"), "x", {{"y", "[4]"}, {"z", "5"}});
  edit.set(*edit.root().find("t"), "key", {{"last", "2.5"}, {"more", "true"}});
  EXPECT_EQ(edit.text(),
            "a = { x = 'it', z = 5, y = [4] }\n[t]\nkey = \"\"\"long ] \" text\"\"\"  # why\nmore = "
            "true\nlast = 2.5");
}

}  // namespace
}  // namespace datum::confirmation_test
