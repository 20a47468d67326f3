// Statistics of a QIF document (QIFStatistics, Statistics of QIF 3.0): behind its results.
#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "config/guid.h"
#include "daemon/exchange/qif.h"
#include "daemon/exchange/shifted_decimal.h"

namespace datum {
namespace {

void write_status(XmlText& xml) {
  xml.open("Status");
  xml.leaf("StatsEvalStatusEnum", "INFORMATIONAL");  // no recipe demands an index
  xml.close();
}

void write_value(XmlText& xml, const char* name, const std::string& value) {
  xml.open(name);
  xml.leaf("Value", value);
  xml.close();
}

}  // namespace

std::string QifFile::begin_study(const QifStudy& study) {
  if (study.samples == 0 || study.characteristics == 0)
    throw std::invalid_argument("no result has a characteristic for statistics");
  for (int i = 0; i < 3; ++i) xml_.close();  // the components, their sets, the results
  xml_.open("Statistics");
  xml_.open("StatisticalStudiesResults", {{"n", "1"}});
  xml_.open("CapabilityStudyResults", {{"id", std::to_string(first_component_ + components_)}});
  xml_.leaf("ThisStatisticalStudyResultsInstanceQPId", guid_of("QIF statistics " + digest_));
  write_attributes(xml_, study.attributes);
  write_status(xml_);
  xml_.leaf("Name", study.name);
  xml_.leaf("Description", study.description);
  xml_.open("CharacteristicsStats", {{"n", std::to_string(study.characteristics)}});
  samples_ = study.samples;
  return xml_.take();
}

std::string QifFile::statistics(const QifStatistics& of) {
  const std::uint64_t n = table_.all().size();
  const auto measurement = [&](std::uint64_t result) {
    return std::to_string(first_result_ + result * (1 + n) + 1 + of.characteristic);
  };
  const ExchangedCharacteristic& c = table_.all()[of.characteristic];
  const QifKind kind = kind_of(c.check.characteristic);
  const std::string name = kind.element("Stats");
  xml_.open(name.c_str());
  QifTexts attributes{{"name", c.name}};
  attributes.insert(attributes.end(), of.attributes.begin(), of.attributes.end());
  write_attributes(xml_, attributes);
  xml_.open("MeasuredIds");
  xml_.open("Ids", {{"n", std::to_string(of.results.size())}});
  for (const std::uint64_t result : of.results) xml_.leaf("Id", measurement(result));
  xml_.close();
  if (!of.excluded.empty()) {
    xml_.open("Exclusions", {{"n", std::to_string(of.excluded.size())}});
    for (const std::uint64_t result : of.excluded) {
      xml_.open("Exclusion");
      xml_.leaf("Id", measurement(result));
      xml_.open("Reason");
      xml_.leaf("OtherExclusionReason", "INVALID");
      xml_.close();
      xml_.close();
    }
    xml_.close();
  }
  xml_.close();
  write_status(xml_);
  kind.unit ? xml_.open("ValueStats", {{"unitName", kind.unit}}) : xml_.open("ValueStats");
  for (const auto& [what, count] : of.counts) write_value(xml_, what, std::to_string(count));
  for (const auto& [what, value] : of.values)
    if (std::isfinite(value)) write_value(xml_, what, shifted_decimal(value, kind.places));
  for (const auto& [what, value] : of.indices)
    if (std::isfinite(value)) write_value(xml_, what, shifted_decimal(value, 0));
  xml_.close();
  xml_.close();
  return xml_.take();
}

void QifFile::close_study() {
  xml_.close();  // the list of characteristics
  xml_.leaf("NumberOfSamples", std::to_string(samples_));
  xml_.leaf("SubgroupSize", "1");
}

}  // namespace datum
