// A request for a page and its answer, and what all pages do alike.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "daemon/report/page_template.h"

namespace datum {

struct PageRequest {
  std::string path;
  std::map<std::string, std::string> query;  // decoded; of a repeated name the last
};

struct PageAnswer {
  int status = 200;
  std::string type = "text/html; charset=utf-8";
  std::string body;
  bool lasting = false;  // the same for ever: a picture
};

/// What a request says wrongly; the answer's status is 400.
class BadRequest : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A number of at most 18 digits.
std::optional<std::uint64_t> whole_number_of(const std::string& text);
/// Of the query; empty: it is not there.
std::string asked(const PageRequest& request, const char* name);
/// Throws BadRequest: it is no number of 1 to `most`.
std::size_t asked_number(const PageRequest& request, const char* name, std::size_t usual, std::size_t most);

PageAnswer whole(PageFrame frame, const std::string& body, int status = 200);
/// A page that loads again by itself, which loses the place of who reads it by keyboard: it can be held.
PageAnswer refreshing(const PageRequest& request, PageFrame frame, const std::string& body);
/// The frame's title and what is wrong.
PageAnswer fault_page(const PageFrame& frame, const std::string& words, int status);

/// Names of a choice: `name`, and whether it is the chosen one.
PageData names_data(const std::vector<std::string>& names, const std::string& chosen);

}  // namespace datum
