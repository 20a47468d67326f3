// Lanes of the instruction set that a source is compiled for (datum_instruction_sets of cmake/DatumBuild.cmake).
#pragma once

#if defined(DATUM_ISA_AVX512)
#include "gpu/core/simd_avx512.h"
namespace datum {
using Simd = SimdAvx512;
}
#elif defined(DATUM_ISA_AVX2)
#include "gpu/core/simd_avx2.h"
namespace datum {
using Simd = SimdAvx2;
}
#elif defined(DATUM_ISA_NEON)
#include "gpu/core/simd_neon.h"
namespace datum {
using Simd = SimdNeon;
}
#else
#include "gpu/core/simd_scalar.h"
#define DATUM_ISA scalar
namespace datum {
using Simd = SimdScalar;
}
#endif
