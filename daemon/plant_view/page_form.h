// A form of texts and choices by which a page is asked for.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "daemon/view/page_answer.h"

namespace datum {

class PageForm {
 public:
  explicit PageForm(const std::string& action) : data_(texts({{"action", action}})) {}

  PageForm& text(const std::string& label, const std::string& name, const std::string& value, int size) {
    PageData field =
        texts({{"label", label}, {"name", name}, {"value", value}, {"size", std::to_string(size)}});
    field.set("is_choice", false);
    fields_.push_back(field);
    return *this;
  }
  /// `without`: the word for no choice.
  PageForm& choice(const std::string& label, const std::string& name, const std::vector<std::string>& options,
                   const std::string& chosen, const std::string& without = "all") {
    PageData field = texts({{"label", label}, {"name", name}, {"without", without}});
    field.set("is_choice", true);
    field.set("options", names_data(options, chosen));
    fields_.push_back(field);
    return *this;
  }
  std::string html() const {
    PageData data = data_;
    data.set("fields", fields_);
    return render("form", data);
  }

 private:
  PageData data_, fields_ = PageData::type::list;
};

/// A list of texts with links.
inline std::string link_list(const std::string& id,
                             const std::vector<std::pair<std::string, std::string>>& links) {
  PageData data = texts({{"id", id}}), list = PageData::type::list;
  for (const auto& [text, link] : links) list.push_back(texts({{"text", text}, {"link", link}}));
  data.set("links", list);
  return render("link_list", data);
}

}  // namespace datum
