#include "daemon/exchange/qif_kind.h"

namespace datum {

QifKind kind_of(Characteristic c) {
  const std::string unit = unit_of(c);
  if (unit == "mdeg") return {"UserDefinedAngular", 3, nullptr};
  if (unit != "um") return {"UserDefinedUnit", 0, unit_of(c)};
  switch (c) {
    case Characteristic::mean:
      return {"Height", 3, nullptr, nullptr, "SA"};
    case Characteristic::median:
      return {"Height", 3, nullptr, nullptr, "SM"};
    case Characteristic::maximum:
      return {"Height", 3, nullptr, nullptr, "SX"};
    case Characteristic::minimum:
      return {"Height", 3, nullptr, nullptr, "SN"};
    case Characteristic::percentile:
    case Characteristic::top_mean:
    case Characteristic::foreign_height:
    case Characteristic::standoff:
    case Characteristic::paste_height:
      return {"Height", 3, nullptr};
    case Characteristic::thickness:
      return {"Thickness", 3, nullptr, "GG"};
    case Characteristic::diameter:
      return {"Diameter", 3, nullptr, "GG"};
    default:
      return {"UserDefinedLinear", 3, nullptr};
  }
}

void write_attributes(XmlText& xml, QifTexts texts) {
  std::erase_if(texts, [](const auto& text) { return text.second.empty(); });
  if (texts.empty()) return;
  xml.open("Attributes", {{"n", std::to_string(texts.size())}});
  for (const auto& [name, value] : texts) xml.empty("AttributeStr", {{"name", name}, {"value", value}});
  xml.close();
}

}  // namespace datum
