// Finds one element of a list in a JSON text without reading the rest of it.
#pragma once

#include <string_view>

namespace datum {

/// The text of the first object in the list `list` of the outermost object whose own member `key` has the value `value`, as JSON text;
/// empty: there is none, or the text is not JSON. Texts are compared as they are written.
std::string_view element_with(std::string_view json, std::string_view list, std::string_view key,
                              std::string_view value);

}  // namespace datum
