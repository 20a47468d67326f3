// A QIF document as its reader sees it, and what must hold in each.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <pugixml.hpp>
#include <set>
#include <string>
#include <vector>

namespace datum::testing {

struct QifDocument {
  explicit QifDocument(const std::string& text) {
    const auto read = xml.load_buffer(text.data(), text.size());
    EXPECT_TRUE(read) << read.description() << " at " << read.offset;
  }
  std::size_t count(const std::string& xpath) const { return xml.select_nodes(xpath.c_str()).size(); }
  std::string text(const std::string& xpath) const {
    const auto node = xml.select_node(xpath.c_str());
    return node.attribute() ? node.attribute().value() : node.node().text().get();
  }
  std::set<std::string> texts(const std::string& xpath) const {
    std::set<std::string> all;
    for (const auto& node : xml.select_nodes(xpath.c_str()))
      all.insert(node.attribute() ? node.attribute().value() : node.node().text().get());
    return all;
  }
  pugi::xml_document xml;
};

/// Ids unique and not above idMax, each n the number of its elements, each reference to an element of its kind.
inline void expect_sound(const QifDocument& d) {
  const auto ids = d.texts("//@id");
  EXPECT_EQ(ids.size(), d.count("//@id"));
  std::uint64_t most = 0;
  for (const std::string& id : ids) most = std::max<std::uint64_t>(most, std::stoull(id));
  EXPECT_EQ(d.text("/QIFDocument/@idMax"), std::to_string(most));
  for (const auto& node : d.xml.select_nodes("//*[@n]"))
    EXPECT_EQ(std::to_string(std::distance(node.node().begin(), node.node().end())),
              node.node().attribute("n").value())
        << node.node().name();
  const std::pair<const char*, const char*> references[] = {
      {"//FormalStandardId", "//Standard/@id"},
      {"//CharacteristicDefinitionId", "//CharacteristicDefinitions/*/@id"},
      {"//CharacteristicNominalId", "//CharacteristicNominals/*/@id"},
      {"//CharacteristicItemId", "//CharacteristicItems/*/@id"},
      {"//MeasurementDeviceIds/Id", "//MeasurementDevice/@id"},
      {"//ActualComponentId", "//ActualComponent/@id"},
      {"//ActualComponentIds/Id", "//ActualComponent/@id"},
      {"//MeasuredIds//Id", "//CharacteristicMeasurements/*/@id"},
      {"//AsmPathId", "//AsmPath/@id"},
      {"//ComponentIds/Id", "//Component/@id"},
      {"//Component/Part/Id", "//Part/@id"}};
  for (const auto& [from, to] : references) {
    const auto targets = d.texts(to);
    for (const std::string& id : d.texts(from)) EXPECT_TRUE(targets.contains(id)) << from << " " << id;
  }
  // QIF's keyrefs are of one kind: the nominal of a Height item is a Height nominal.
  const auto kind = [](const std::string& name) { return name.substr(0, name.find("Characteristic")); };
  for (const auto& [from, what] : {std::pair{"//CharacteristicNominals/*", "CharacteristicDefinitionId"},
                                   std::pair{"//CharacteristicItems/*", "CharacteristicNominalId"},
                                   std::pair{"//CharacteristicMeasurements/*", "CharacteristicItemId"}})
    for (const auto& node : d.xml.select_nodes(from)) {
      const auto target =
          d.xml.select_node(fmt::format("//*[@id='{}']", node.node().child(what).text().get()).c_str());
      EXPECT_EQ(kind(node.node().name()), kind(target.node().name()));
    }
}

/// The order of elements below Statistics as QIFStatistics and Statistics of QIF 3.0 state it, of what datumd writes. "?": it may be absent,
/// "*": any number, in any order among those that are so.
inline void expect_order_of_statistics(const QifDocument& d) {
  const std::map<std::string, std::vector<std::string>> order{
      {"Statistics", {"StatisticalStudiesResults"}},
      {"StatisticalStudiesResults", {"CapabilityStudyResults"}},
      {"CapabilityStudyResults",
       {"ThisStatisticalStudyResultsInstanceQPId?", "Attributes?", "Status", "Name?", "Description?",
        "CharacteristicsStats?", "NumberOfSamples", "SubgroupSize?"}},
      {"CharacteristicsStats",
       {"HeightCharacteristicStats*", "ThicknessCharacteristicStats*", "DiameterCharacteristicStats*",
        "UserDefinedLinearCharacteristicStats*", "UserDefinedAngularCharacteristicStats*",
        "UserDefinedUnitCharacteristicStats*"}},
      {"Stats", {"Attributes?", "MeasuredIds?", "Status", "ValueStats"}},
      {"MeasuredIds", {"Ids", "Exclusions?"}},
      {"Ids", {"Id*"}},
      {"Exclusions", {"Exclusion*"}},
      {"Exclusion", {"Id", "Reason"}},
      {"Reason", {"OtherExclusionReason"}},
      {"Status", {"StatsEvalStatusEnum"}},
      {"Attributes", {"AttributeStr*"}},
      {"ValueStats",
       {"TotalNumber*", "EffectiveNumber*", "NumberOutOfTolerance*", "NumberOverUpperTolerance*",
        "NumberUnderLowerTolerance*", "Average*", "Maximum*", "Minimum*", "Range*", "AverageRange*",
        "StandardDeviation*", "EstimatedStandardDeviation*", "Cp*", "Cpk*", "Pp*", "Ppk*"}},
  };
  for (const auto& found : d.xml.select_nodes("//Statistics/descendant-or-self::*[*]")) {
    const pugi::xml_node node = found.node();
    const std::string name = node.name();
    const bool is_stats = name.ends_with("CharacteristicStats");
    const auto known = order.find(is_stats ? "Stats" : name);
    const std::vector<std::string> of_value{"Value"};
    const auto& allowed = known != order.end() ? known->second : of_value;
    std::vector<std::string> children;
    for (const pugi::xml_node child : node.children()) children.emplace_back(child.name());
    auto at = children.begin();
    for (auto wanted = allowed.begin(); wanted != allowed.end(); ++wanted) {
      std::set<std::string> any;
      for (; wanted != allowed.end() && wanted->back() == '*'; ++wanted)
        any.insert(wanted->substr(0, wanted->size() - 1));
      while (at != children.end() && any.contains(*at)) ++at;
      if (wanted == allowed.end()) break;
      const bool optional = wanted->back() == '?';
      const std::string next = optional ? wanted->substr(0, wanted->size() - 1) : *wanted;
      if (at != children.end() && *at == next)
        ++at;
      else
        EXPECT_TRUE(optional) << name << " lacks " << next;
    }
    EXPECT_EQ(at, children.end()) << name << " may not have " << *at << " here";
  }
  for (const auto& value : d.xml.select_nodes("//ValueStats/*/Value"))
    EXPECT_TRUE(std::string(value.node().text().get()).find_first_not_of("-.0123456789") ==
                std::string::npos);
}

}  // namespace datum::testing
