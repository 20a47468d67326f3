// Types of the CUDA runtime, for headers that are read without it.
#pragma once

struct CUstream_st;

namespace datum {

using CudaStream = CUstream_st*;

}  // namespace datum
