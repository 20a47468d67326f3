// Pages from templates. A template can insert escaped text alone: the raw forms of mustache are refused when it is read.
#pragma once

#include <kainjow/mustache.hpp>
#include <string>
#include <utility>
#include <vector>

namespace datum {

using PageData = kainjow::mustache::data;

/// Path and name of each page that is named at the top.
using PageMenu = std::vector<std::pair<std::string, std::string>>;

/// Where a page is shown.
struct PageFrame {
  std::string title;
  bool alone = true;  // a file of its own: style inside, no links; else a page of datumd-view
  int refresh_s = 0;  // the browser loads it again after so many seconds; 0: never
  std::string hold_link, resume_link;  // to the same page without refresh, and with it; empty: no such link
  PageMenu menu;                       // empty: that of datumd-view
  std::string footer;                  // about the state of the data
};

/// `name` as a file templates/NAME.mustache. Throws std::logic_error: no such template, or one that is wrong.
std::string render(const std::string& name, const PageData& data);

/// A whole HTML document around a rendered body.
std::string whole_page(const PageFrame& frame, const std::string& body);

/// The style sheet of all pages. It holds none of & < > " ', so that escaping leaves it as it is.
const std::string& page_style();

/// An object of texts.
PageData texts(std::initializer_list<std::pair<const char*, std::string>> fields);

}  // namespace datum
