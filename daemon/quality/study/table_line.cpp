#include "daemon/quality/study/table_line.h"

#include "daemon/design/design.h"
#include "daemon/design/text_decoding.h"

namespace datum::quality {

std::string table_text(std::string_view csv, const std::string& encoding, const std::string& name) {
  try {
    return design::decoded_text(csv, encoding, name);
  } catch (const design::DesignError& error) {
    throw StudyRefused(error.what());
  }
}

}  // namespace datum::quality
