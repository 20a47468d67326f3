#include "gpu/lu/lu.h"

#include <stdexcept>
#include <string>

#include "gpu/core/isa_table.h"
#include "gpu/lu/lu_check.h"
#include "gpu/lu/lu_kernels.h"

namespace datum {

const char* name_of(LuStatus status) {
  switch (status) {
    case LuStatus::ok:
      return "OK";
    case LuStatus::singular:
      return "SINGULAR";
    case LuStatus::not_finite:
      return "NOT FINITE";
  }
  return "UNKNOWN";
}

LuStatus lu_status(std::int32_t info) {
  return info == 0 ? LuStatus::ok : (info > 0 ? LuStatus::singular : LuStatus::not_finite);
}

namespace lu {

void check_present(const void* values, std::uint64_t count, const char* name) {
  if (count > 0 && !values) throw std::invalid_argument(std::string("LU: ") + name + " is missing");
}

void check_matrix(const void* a, std::uint32_t n, std::uint32_t leading, const char* name) {
  check_present(a, n, name);
  if (leading < n)
    throw std::invalid_argument(std::string("LU: the columns of ") + name + " are " +
                                std::to_string(leading) + " elements apart; " + std::to_string(n) +
                                " rows need at least as many");
}

extern const Kernels<float> float_scalar, float_avx2, float_avx512, float_neon;
extern const Kernels<double> double_scalar, double_avx2, double_avx512, double_neon;

template <>
const Kernels<float>& kernels(Isa isa) {
  return loops_of<Kernels<float>>(isa, DATUM_ISA_TABLE(float), "LU");
}

template <>
const Kernels<double>& kernels(Isa isa) {
  return loops_of<Kernels<double>>(isa, DATUM_ISA_TABLE(double), "LU");
}

}  // namespace lu
}  // namespace datum
