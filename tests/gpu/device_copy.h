// Memory on a CUDA device for tests.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "gpu/core/cuda_support.cuh"

namespace datum::testing {

template <class T>
class DeviceCopy {
 public:
  explicit DeviceCopy(const std::vector<T>& values) : count_(values.size()) {
    buffer_.reserve(std::max<std::size_t>(count_, 1));
    upload(values);
  }
  void upload(const std::vector<T>& values) {
    cuda::check(cudaMemcpy(buffer_.get(), values.data(), count_ * sizeof(T), cudaMemcpyHostToDevice),
                "upload");
  }
  std::vector<T> download() const {
    std::vector<T> values(count_);
    cuda::check(cudaMemcpy(values.data(), buffer_.get(), count_ * sizeof(T), cudaMemcpyDeviceToHost),
                "download");
    return values;
  }
  T* get() const { return buffer_.get(); }

 private:
  std::size_t count_;
  cuda::Buffer<T> buffer_;
};

}  // namespace datum::testing
