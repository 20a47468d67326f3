// A codec or parser of external bytes with arbitrary input. One file per target. Under clang each is a libFuzzer program
// (./datum fuzz); in the usual build all get the kept corpus (corpus_test.cpp).
//
// A target accepts the documented errors only. Any other exception, a sanitizer report, and a broken promise (expect) are
// findings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

namespace datum::fuzz {

using Target = void (*)(std::string_view bytes);

/// The targets of this program by name.
inline std::map<std::string, Target>& targets() {
  static std::map<std::string, Target> all;
  return all;
}
inline bool add_target(const char* name, Target target) { return targets().emplace(name, target).second; }

/// A promise of a target beside not crashing.
inline void expect(bool kept, const char* promise) {
  if (!kept) throw std::logic_error(std::string("broken: ") + promise);
}

}  // namespace datum::fuzz

#ifdef DATUM_LIBFUZZER
#define DATUM_FUZZ_TARGET(name)                                                       \
  static void run_target(std::string_view bytes);                                     \
  extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) { \
    run_target({reinterpret_cast<const char*>(data), size});                          \
    return 0;                                                                         \
  }                                                                                   \
  static void run_target(std::string_view bytes)
#else
#define DATUM_FUZZ_TARGET(name)                                                                     \
  static void run_##name(std::string_view bytes);                                                   \
  [[maybe_unused]] static const bool name##_is_listed = datum::fuzz::add_target(#name, run_##name); \
  static void run_##name(std::string_view bytes)
#endif
