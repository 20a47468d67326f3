// Text and JSON of studies against a reference.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "daemon/quality/study/attribute_study.h"
#include "daemon/quality/study/reference_studies.h"

namespace datum::quality {

struct Told {
  std::string text;  // lines
  nlohmann::ordered_json json;
};

/// `wanted`: least Cg and Cgk.
Told tell(const Type1& result, const Type1Settings& settings, const std::string& unit, double wanted,
          double confidence);
Told tell(const Bias& result, double reference, double u_reference, double confidence,
          const std::string& unit);
Told tell(const Linearity& result, double confidence, const std::string& unit);
Told tell(const AttributeStudy& result, double confidence);

}  // namespace datum::quality
