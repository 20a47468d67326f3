// Numbers of one unit in another one without a change of their digits.
#pragma once

#include <string>

namespace datum {

/// `value` with its decimal point moved `places` to the left, without exponent: the shortest digits that read back as the same
/// double. 24 digits at most, which libxml2 takes from an xs:decimal: beyond 24 decimals a number is cut.
std::string shifted_decimal(double value, int places);

}  // namespace datum
