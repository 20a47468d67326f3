// The document to its first result.
#include <fmt/format.h>

#include <limits>
#include <map>
#include <stdexcept>

#include "config/guid.h"
#include "daemon/exchange/qif.h"
#include "daemon/exchange/qif_kind.h"
#include "daemon/exchange/shifted_decimal.h"

namespace datum {
namespace {

constexpr std::uint64_t standard = 1, largest_id = std::numeric_limits<std::uint32_t>::max();

}  // namespace

void QifFile::write_units() {
  xml_.open("FileUnits");
  xml_.open("PrimaryUnits");
  xml_.open("AngularUnit");
  xml_.leaf("SIUnitName", "radian");
  xml_.leaf("UnitName", "degree");
  xml_.open("UnitConversion");
  xml_.leaf("Factor", "0.017453292519943295");
  xml_.close();
  xml_.close();
  xml_.open("LinearUnit");
  xml_.leaf("SIUnitName", "meter");
  xml_.leaf("UnitName", "mm");
  xml_.open("UnitConversion");
  xml_.leaf("Factor", "0.001");
  xml_.close();
  xml_.close();
  xml_.close();
  std::map<std::string, std::string> own;
  for (const ExchangedCharacteristic& c : table_.all())
    if (const char* unit = kind_of(c.check.characteristic).unit)
      own[unit] = std::string(unit) == "percent" ? "share, in hundredths" : "share, in thousandths";
  if (!own.empty()) {
    xml_.open("UserDefinedUnits", {{"n", std::to_string(own.size())}});
    for (const auto& [name, what] : own) {
      xml_.open("UserDefinedUnit");
      xml_.leaf("WhatIsMeasured", what);
      xml_.leaf("UnitName", name);
      xml_.close();
    }
    xml_.close();
  }
  xml_.close();
}

void QifFile::write_devices() {
  if (devices_.empty()) return;
  xml_.open("MeasurementResources");
  xml_.open("MeasurementDevices", {{"n", std::to_string(devices_.size())}});
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    xml_.open("MeasurementDevice", {{"id", std::to_string(standard + 1 + i)}});
    xml_.leaf("Name", devices_[i].name);
    if (!devices_[i].serial.empty()) xml_.leaf("SerialNumber", devices_[i].serial);
    xml_.close();
  }
  xml_.close();
  xml_.close();
}

void QifFile::write_product() {
  const std::string component = std::to_string(part_ + 1);
  xml_.open("Product");
  xml_.open("PartSet", {{"n", "1"}});
  xml_.open("Part", {{"id", std::to_string(part_)}});
  xml_.leaf("ModelNumber", table_.recipe());
  xml_.leaf("Version", table_.recipe_sha256());
  xml_.close();
  xml_.close();
  xml_.open("ComponentSet", {{"n", "1"}});
  xml_.open("Component", {{"id", component}});
  xml_.open("Part");
  xml_.leaf("Id", std::to_string(part_));
  xml_.close();
  xml_.close();
  xml_.close();
  xml_.open("AsmPaths", {{"n", "1"}});
  xml_.open("AsmPath", {{"id", std::to_string(asm_path_)}});
  xml_.open("ComponentIds", {{"n", "1"}});
  xml_.leaf("Id", component);
  xml_.close();
  xml_.close();
  xml_.close();
  xml_.close();
}

void QifFile::write_definition(std::size_t i) {
  const ExchangedCharacteristic& c = table_.all()[i];
  const QifKind kind = kind_of(c.check.characteristic);
  const std::string name = kind.element("Definition");
  xml_.open(name.c_str(), {{"id", std::to_string(definition(i))}});
  if (kind.determination || kind.significance) {
    xml_.open("DimensionModifiers");
    if (kind.determination) xml_.leaf("DeterminationModifier", kind.determination);
    if (kind.significance) xml_.leaf("SignificanceModifier", kind.significance);
    xml_.close();
  }
  if (kind.unit) {  // its limits stand with its nominal
    xml_.leaf("Name", c.name);
  } else {
    xml_.open("Tolerance");
    if (c.check.upper) xml_.leaf("MaxValue", shifted_decimal(*c.check.upper, kind.places));
    if (c.check.lower) xml_.leaf("MinValue", shifted_decimal(*c.check.lower, kind.places));
    xml_.leaf("DefinedAsLimit", "true");
    xml_.close();
  }
  if (kind.says_what())
    xml_.leaf("WhatToMeasure", fmt::format("{} of {}, as datumd's recipes name it",
                                           name_of(c.check.characteristic), c.reference));
  xml_.close();
}

void QifFile::write_nominal(std::size_t i) {
  const ExchangedCharacteristic& c = table_.all()[i];
  const QifKind kind = kind_of(c.check.characteristic);
  const std::string name = kind.element("Nominal");
  xml_.open(name.c_str(), {{"id", std::to_string(nominal(i))}});
  if (kind.unit && !c.check.nominal)
    write_attributes(xml_,
                     {{"target", "the recipe states no nominal; TargetValue is the value of a good part"}});
  xml_.leaf("CharacteristicDefinitionId", std::to_string(definition(i)));
  xml_.leaf("Name", c.name);
  if (!kind.unit) {
    if (c.check.nominal) xml_.leaf("TargetValue", shifted_decimal(*c.check.nominal, kind.places));
  } else {
    const std::optional<double> limit = c.check.upper ? c.check.upper : c.check.lower,
                                best = best_of(c.check);
    xml_.leaf("TargetValue", shifted_decimal(best ? *best : limit.value_or(0), 0), {{"unitName", kind.unit}});
    if (c.check.upper) xml_.leaf("MaxValue", shifted_decimal(*c.check.upper, 0), {{"unitName", kind.unit}});
    if (c.check.lower) xml_.leaf("MinValue", shifted_decimal(*c.check.lower, 0), {{"unitName", kind.unit}});
    xml_.leaf("DefinedAsLimit", "true");
  }
  xml_.close();
}

void QifFile::write_item(std::size_t i) {
  const ExchangedCharacteristic& c = table_.all()[i];
  const std::string name = kind_of(c.check.characteristic).element("Item");
  xml_.open(name.c_str(), {{"id", std::to_string(item(i))}});
  write_attributes(xml_, {{"reference", c.reference}, {"package", c.package}});
  xml_.leaf("Name", c.name);
  if (!devices_.empty()) {
    xml_.open("MeasurementDeviceIds", {{"n", std::to_string(devices_.size())}});
    for (std::size_t d = 0; d < devices_.size(); ++d) xml_.leaf("Id", std::to_string(standard + 1 + d));
    xml_.close();
  }
  xml_.leaf("CharacteristicNominalId", std::to_string(nominal(i)));
  xml_.close();
}

std::string QifFile::begin(bool with_study) {
  const std::size_t n = table_.all().size();
  part_ = standard + 1 + devices_.size();
  asm_path_ = part_ + 2;
  first_definition_ = asm_path_ + 1;
  first_result_ = next_result_ = first_definition_ + 3 * n;
  first_component_ = next_actual_ = next_result_ + results_ * (1 + n);
  const std::uint64_t last = first_component_ + components_ - (with_study ? 0 : 1);
  if (last > largest_id)
    throw std::invalid_argument(fmt::format(
        "{} results of {} characteristics need {} ids; a QIF file has {} at most: choose fewer results by "
        "--from and --to",
        results_, n, last, largest_id));
  xml_.open("QIFDocument", {{"xmlns", "http://qifstandards.org/xsd/qif3"},
                            {"versionQIF", "3.0.0"},
                            {"idMax", std::to_string(last)}});
  xml_.leaf("QPId", guid_of("QIF document " + digest_));
  xml_.open("StandardsDefinitions", {{"n", "1"}});
  xml_.open("Standard", {{"id", std::to_string(standard)}});
  xml_.open("Organization");
  xml_.leaf("StandardsOrganizationEnum", "ISO");
  xml_.close();
  xml_.leaf("Designator", "14405-1");
  xml_.leaf("Year", "2016");
  xml_.close();
  xml_.close();
  write_units();
  write_devices();
  write_product();
  const std::string count = std::to_string(n);
  xml_.open("Characteristics");
  xml_.leaf("FormalStandardId", std::to_string(standard));
  xml_.open("CharacteristicDefinitions", {{"n", count}});
  for (std::size_t i = 0; i < n; ++i) write_definition(i);
  xml_.close();
  xml_.open("CharacteristicNominals", {{"n", count}});
  for (std::size_t i = 0; i < n; ++i) write_nominal(i);
  xml_.close();
  xml_.open("CharacteristicItems", {{"n", count}});
  for (std::size_t i = 0; i < n; ++i) write_item(i);
  xml_.close();
  xml_.close();
  xml_.open("Results");
  xml_.open("MeasurementResultsSet", {{"n", std::to_string(results_)}});
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + xml_.take();
}

}  // namespace datum
