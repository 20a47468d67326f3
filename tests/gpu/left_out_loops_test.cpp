// A kernel's table in a first demo, which leaves out the loops of sets that this processor does not take.
#include <gtest/gtest.h>

#define DATUM_WITHOUT_SCALAR
#define DATUM_WITHOUT_AVX2
#include "gpu/core/isa_table.h"

namespace datum {
namespace {

#if defined(__x86_64__)
struct Loops {
  int width;
};
const Loops some_avx512{16};

const Loops& some(Isa isa) { return loops_of<Loops>(isa, DATUM_ISA_TABLE(some), "a kernel"); }

TEST(LeftOutLoops, AreRefusedByName) {
  EXPECT_EQ(some(Isa::avx512).width, 16);
  for (const Isa isa : {Isa::scalar, Isa::avx2}) {
    try {
      some(isa);
      ADD_FAILURE() << name_of(isa);
    } catch (const std::runtime_error& error) {
      EXPECT_EQ(error.what(), "a kernel: this build has no loops for " + std::string(name_of(isa)));
    }
  }
}
#endif

}  // namespace
}  // namespace datum
