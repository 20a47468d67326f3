// What QIF calls a characteristic, and Attributes, which carry what QIF has no place for.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "daemon/exchange/xml_text.h"
#include "daemon/inspection/recipe/recipe.h"

namespace datum {

/// How QIF names and measures a characteristic.
struct QifKind {
  std::string name;  // "Height" of HeightCharacteristicDefinition
  int places;        // from the check's unit to the document's
  const char* unit;  // of a user-defined unit; null: mm or degree
  /// Modifiers of ISO 14405-1, null: none.
  const char* determination = nullptr;
  const char* significance = nullptr;

  std::string element(const char* aspect) const { return name + "Characteristic" + aspect; }
  bool says_what() const { return name.starts_with("UserDefined") && !unit; }
};

QifKind kind_of(Characteristic c);

/// Names of attributes with their values.
using QifTexts = std::vector<std::pair<const char*, std::string>>;
/// Those that are not empty, as an element Attributes.
void write_attributes(XmlText& xml, QifTexts texts);

}  // namespace datum
