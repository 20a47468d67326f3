// Streams and events that free themselves.
#pragma once

#include "gpu/core/cuda_support.cuh"

namespace datum::cuda {

/// Of what all else waits for.
inline int first_priority() {
  int last = 0, first = 0;
  check(cudaDeviceGetStreamPriorityRange(&last, &first), "priorities");
  return first;
}

class Stream {
 public:
  /// Lower priorities go first where there is no room for all.
  explicit Stream(int priority = 0) {
    check(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, priority), "stream");
  }
  ~Stream() { cudaStreamDestroy(stream_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  operator cudaStream_t() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

class Event {
 public:
  explicit Event(unsigned flags) { check(cudaEventCreateWithFlags(&event_, flags), "event"); }
  ~Event() { cudaEventDestroy(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  operator cudaEvent_t() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace datum::cuda
