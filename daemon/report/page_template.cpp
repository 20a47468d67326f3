#include "daemon/report/page_template.h"

#include <array>
#include <stdexcept>

#include "daemon/report/page_text.h"

namespace datum {
namespace {

struct NamedTemplate {
  const char* name;
  const char* text;
};

constexpr std::array templates{
#include "page_templates.inc"
};

const PageMenu view_menu{{"/", "Boards"},
                         {"/lot", "Lot"},
                         {"/component", "Component"},
                         {"/studies", "Studies"},
                         {"/calibrations", "Calibrations"},
                         {"/health", "Health"}};

std::string template_text(const std::string& name) {
  for (const NamedTemplate& t : templates)
    if (name == t.name) return t.text;
  throw std::logic_error("page template '" + name + "': there is none");
}

}  // namespace

std::string render(const std::string& name, const PageData& data) {
  const std::string text = template_text(name);
  for (const char* raw : {"{{{", "{{&", "{{ &", "{{="})
    if (text.find(raw) != std::string::npos)
      throw std::logic_error("page template '" + name + "': " + raw + " inserts text that is not escaped");
  kainjow::mustache::mustache page(text);
  if (!page.is_valid()) throw std::logic_error("page template '" + name + "': " + page.error_message());
  page.set_custom_escape(escaped);
  std::string out;
  page.render(data, [&out](const std::string& piece) { out += piece; });
  return out;
}

const std::string& page_style() {
  static const std::string style = template_text("style");
  return style;
}

std::string whole_page(const PageFrame& frame, const std::string& body) {
  PageData data = texts({{"title", frame.title},
                         {"style", page_style()},
                         {"refresh_s", std::to_string(frame.refresh_s)},
                         {"footer", frame.footer}});
  data.set("has_footer", !frame.footer.empty());
  data.set("alone", frame.alone);
  data.set("viewed", !frame.alone);
  data.set("refreshed", frame.refresh_s > 0);
  data.set("can_hold", !frame.hold_link.empty());
  data.set("hold_link", frame.hold_link);
  data.set("is_held", !frame.resume_link.empty());
  data.set("resume_link", frame.resume_link);
  PageData places = PageData::type::list;
  for (const auto& [path, name] : frame.menu.empty() ? view_menu : frame.menu) {
    PageData place = texts({{"path", path}, {"name", name}});
    place.set("is_here", frame.title == name || frame.title.starts_with(std::string(name) + " "));
    places.push_back(place);
  }
  data.set("menu", places);
  return render("head", data) + body + render("foot", data);
}

PageData texts(std::initializer_list<std::pair<const char*, std::string>> fields) {
  PageData data;
  for (const auto& [name, text] : fields) data.set(name, PageData(text));
  return data;
}

}  // namespace datum
