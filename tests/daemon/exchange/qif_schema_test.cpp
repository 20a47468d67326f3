// QIF documents by xmllint: against what QIF 3.0 demands of the elements that datumd writes (tests/data/qif), and against the standard's own files
// where DATUM_QIF_SCHEMAS names their folder. SKIPPED without xmllint.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <pugixml.hpp>
#include <sstream>

#include "tests/daemon/exchange/qif_boards.h"
#include "tests/fresh_folder.h"
#include "tests/house/output_of.h"

namespace datum {
namespace qif_schema_test {
namespace {

using testing::document_of;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::numbers_of;
using testing::of_all_kinds;
using testing::result_of;

std::vector<QifStatistics> statistics_of(std::size_t n) {
  std::vector<QifStatistics> all;
  for (std::size_t i = 0; i < n; ++i) all.push_back(numbers_of(i));
  return all;
}

BoardVerdict panel() {
  BoardVerdict v = result_of(1);
  v.components[0].reference = "U1@1-1";
  v.components[1].reference = "U1@2-1";
  v.components.pop_back();
  v.boards = {{"1-1", "A", Decision::pass, Reason::none, "", {}, std::nullopt},
              {"2-1", "B", std::nullopt, Reason::skipped, "marked", {}, std::nullopt}};
  return v;
}

struct QifSchema : ::testing::Test {
  void SetUp() override {
    if (testing::output_of("xmllint --version 2>&1").status != 0)
      GTEST_SKIP() << "no xmllint (libxml2-utils)";
  }
  /// What xmllint says against it; empty: nothing.
  std::string faults(const std::string& document, const std::string& schema) const {
    const auto out = testing::output_of("xmllint --nonet --noout --schema '" + schema + "' '" +
                                        folder.write("d.qif", document).string() + "' 2>&1");
    return out.status == 0 ? "" : out.text;
  }
  std::string faults(const std::string& document) const {
    return faults(document, DATUM_SOURCE_DIR "/tests/data/qif/qif-3.0-of-datumd.xsd");
  }
  testing::FreshFolder folder;
};

/// The document with another text of an element or attribute, or without the element.
std::string edited(const std::string& document, const std::string& xpath,
                   const std::optional<std::string>& text) {
  pugi::xml_document xml;
  xml.load_string(document.c_str());
  const pugi::xpath_node found = xml.select_node(xpath.c_str());
  EXPECT_TRUE(found) << xpath;
  if (!text)
    found.node().parent().remove_child(found.node());
  else if (found.attribute())
    found.attribute().set_value(text->c_str());
  else
    found.node().text().set(text->c_str());
  std::ostringstream out;
  xml.save(out, "", pugi::format_raw);
  return out.str();
}

TEST_F(QifSchema, HoldsOfEachKindOfDocument) {
  EXPECT_THAT(faults(document_of({result_of(1)})), IsEmpty());
  EXPECT_THAT(faults(document_of({result_of(1), of_all_kinds(2)}, statistics_of(11))), IsEmpty());
  EXPECT_THAT(faults(document_of({panel(), panel()})), IsEmpty());
  BoardVerdict invalid = result_of(2), hostile = result_of(3);
  invalid.reason = Reason::pose_stale;
  invalid.detail = "the position is 12 s old";
  hostile.unit_id = "</SerialNumber>&\"'\x01\x1b\r\n\xC3\xA4\xFF]]>";
  hostile.components[0].reference = "U<1>&\"\x02";
  EXPECT_THAT(faults(document_of({result_of(1), invalid, hostile})), IsEmpty());
}

TEST_F(QifSchema, RefusesWhatQifRefuses) {
  const std::string good = document_of({of_all_kinds(1), of_all_kinds(2)}, statistics_of(11));
  ASSERT_THAT(faults(good), IsEmpty());
  const auto with = [&](const std::string& xpath, const std::optional<std::string>& text) {
    return faults(edited(good, xpath, text));
  };
  EXPECT_THAT(with("/QIFDocument/@versionQIF", "2.1.0"), HasSubstr("versionQIF"));
  EXPECT_THAT(with("//InspectionStatusEnum", "INCONCLUSIVE"), HasSubstr("InspectionStatusEnum"));
  EXPECT_THAT(with("//MeasurementResults/InspectionStatus", std::nullopt), HasSubstr("InspectionStatus"));
  EXPECT_THAT(with("//StatsEvalStatusEnum", "GOOD"), HasSubstr("StatsEvalStatusEnum"));
  EXPECT_THAT(with("//Tolerance/DefinedAsLimit", std::nullopt), HasSubstr("DefinedAsLimit"));
  EXPECT_THAT(with("//TotalNumber/Value", "2.5"), HasSubstr("nonNegativeInteger"));
  EXPECT_THAT(with("//Value/@meanError", "-1"), HasSubstr("meanError"));
  EXPECT_THAT(with("//Value/@decimalPlaces", "-1"), HasSubstr("decimalPlaces"));
  EXPECT_THAT(with("//CharacteristicMeasurements/*/Value", "1e3"), HasSubstr("decimal"));
  EXPECT_THAT(with("//UserDefinedUnit/UnitName", "promille"), HasSubstr("UserDefinedUnitKeyref"));
  EXPECT_THAT(with("//ActualComponent/@id", "2"), HasSubstr("Duplicate"));
  EXPECT_THAT(with("//Exclusion/Id", "1"), HasSubstr("ExcludedKeyref"));
  EXPECT_THAT(with("//CharacteristicsStats/*/MeasuredIds/Ids/Id", "1"), HasSubstr("Keyref"));
  EXPECT_THAT(with("//CharacteristicMeasurements/*/ActualComponentId", "1"),
              HasSubstr("ActualComponentKeyref"));
  pugi::xml_document xml;
  xml.load_string(good.c_str());
  const std::string of_an_angle =
      xml.select_node("//UserDefinedAngularCharacteristicNominal/@id").attribute().value();
  EXPECT_THAT(with("//HeightCharacteristicItem/CharacteristicNominalId", of_an_angle),
              HasSubstr("HeightNominalKeyref"));
}

TEST_F(QifSchema, HoldsByTheStandardsOwnFiles) {
  const char* schemas = std::getenv("DATUM_QIF_SCHEMAS");
  if (!schemas) GTEST_SKIP() << "DATUM_QIF_SCHEMAS does not name the folder of QIF's schemas";
  const std::string schema = std::string(schemas) + "/QIFApplications/QIFDocument.xsd";
  EXPECT_THAT(faults(document_of({result_of(1), of_all_kinds(2)}, statistics_of(11)), schema), IsEmpty());
  EXPECT_THAT(faults(document_of({panel()}), schema), IsEmpty());
}

}  // namespace
}  // namespace qif_schema_test
}  // namespace datum
