#include "daemon/exchange/xml_text.h"

#include "daemon/exchange/characteristics.h"

namespace datum {

std::string xml_escaped(const std::string& bytes) {
  std::string out;
  for (const char c : ascii_of(bytes)) switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&apos;";
        break;
      default:
        out += c;
    }
  return out;
}

void XmlText::start(const char* name, Attributes attributes) {
  text_.append(open_.size(), ' ').append("<").append(name);
  for (const auto& [key, value] : attributes)
    text_.append(" ").append(key).append("=\"").append(xml_escaped(value)).append("\"");
}

void XmlText::open(const char* name, Attributes attributes) {
  start(name, attributes);
  text_ += ">\n";
  open_.push_back(name);
}

void XmlText::close() {
  const char* name = open_.back();
  open_.pop_back();
  text_.append(open_.size(), ' ').append("</").append(name).append(">\n");
}

void XmlText::leaf(const char* name, const std::string& text, Attributes attributes) {
  start(name, attributes);
  text_.append(">").append(xml_escaped(text)).append("</").append(name).append(">\n");
}

void XmlText::empty(const char* name, Attributes attributes) {
  start(name, attributes);
  text_ += "/>\n";
}

}  // namespace datum
