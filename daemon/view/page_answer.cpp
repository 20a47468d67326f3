#include "daemon/view/page_answer.h"

#include <fmt/format.h>

#include "daemon/report/page_text.h"

namespace datum {

std::optional<std::uint64_t> whole_number_of(const std::string& text) {
  if (text.empty() || text.size() > 18 || text.find_first_not_of("0123456789") != text.npos)
    return std::nullopt;
  return std::stoull(text);
}

std::string asked(const PageRequest& request, const char* name) {
  const auto at = request.query.find(name);
  return at == request.query.end() ? "" : at->second;
}

std::size_t asked_number(const PageRequest& request, const char* name, std::size_t usual, std::size_t most) {
  const std::string text = asked(request, name);
  if (text.empty()) return usual;
  const auto number = whole_number_of(text);
  if (!number || *number < 1 || *number > most)
    throw BadRequest(fmt::format("{}: '{}' is not allowed; allowed: 1 to {}", name, text, most));
  return static_cast<std::size_t>(*number);
}

PageAnswer whole(PageFrame frame, const std::string& body, int status) {
  frame.alone = false;
  PageAnswer answer;
  answer.status = status;
  answer.body = whole_page(frame, body);
  return answer;
}

PageAnswer refreshing(const PageRequest& request, PageFrame frame, const std::string& body) {
  std::string link = request.path, mark = "?";
  for (const auto& [name, value] : request.query) {
    if (name == "refresh") continue;
    link += mark + url_part(name) + "=" + url_part(value);
    mark = "&";
  }
  const bool is_held = asked(request, "refresh") == "off";
  if (is_held) frame.refresh_s = 0;
  (is_held ? frame.resume_link : frame.hold_link) = is_held ? link : link + mark + "refresh=off";
  return whole(std::move(frame), body);
}

PageAnswer fault_page(const PageFrame& frame, const std::string& words, int status) {
  return whole(frame, render("fault", texts({{"title", frame.title}, {"words", words}})), status);
}

PageData names_data(const std::vector<std::string>& names, const std::string& chosen) {
  PageData list = PageData::type::list;
  for (const std::string& name : names) {
    PageData item = texts({{"name", name}});
    item.set("chosen", name == chosen);
    list.push_back(item);
  }
  return list;
}

}  // namespace datum
