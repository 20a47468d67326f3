// What lets a panel be factored beside the product before it. C++17.
#pragma once

#include "gpu/core/cuda_support.cuh"

namespace datum::lu {

/// Two streams of one factorisation: panels and the columns of the next panel, and, at a lower priority, all other columns. The
/// next panel is factored while they are brought up to date.
class LookAhead {
 public:
  LookAhead() = default;
  ~LookAhead() {
    for (cudaEvent_t event : {begun_, next_, done_})
      if (event) cudaEventDestroy(event);
    for (cudaStream_t stream : {chain_, rest_})
      if (stream) cudaStreamDestroy(stream);
  }
  LookAhead(const LookAhead&) = delete;
  LookAhead& operator=(const LookAhead&) = delete;

  void prepare() {
    if (chain_) return;
    int least = 0, greatest = 0;
    cuda::check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "priorities of streams");
    cuda::check(cudaStreamCreateWithPriority(&chain_, cudaStreamNonBlocking, greatest), "stream of LU");
    cuda::check(cudaStreamCreateWithPriority(&rest_, cudaStreamNonBlocking, least), "stream of LU");
    for (cudaEvent_t* event : {&begun_, &next_, &done_})
      cuda::check(cudaEventCreateWithFlags(event, cudaEventDisableTiming), "event of LU");
  }
  cudaStream_t chain() const { return chain_; }
  cudaStream_t rest() const { return rest_; }

  /// Both go on behind what is in `stream`.
  void begin(cudaStream_t stream) {
    waited_for_ = false;
    join(stream, begun_, chain_);
    join(stream, begun_, rest_);
  }
  /// Before the columns of the next panel are brought up to date: what an earlier panel did to them.
  void wait_for_rest() {
    if (waited_for_) cuda::check(cudaStreamWaitEvent(chain_, done_, 0), "wait of LU");
    waited_for_ = false;
  }
  /// Before the rest is: the panel, and the columns of the next one, whose blocks shall find room first.
  void rest_may_begin() { join(chain_, next_, rest_); }
  void rest_is_enqueued() {
    cuda::check(cudaEventRecord(done_, rest_), "event of LU");
    waited_for_ = true;
  }
  void end(cudaStream_t stream) {
    join(rest_, done_, stream);
    join(chain_, next_, stream);
  }

 private:
  static void join(cudaStream_t from, cudaEvent_t event, cudaStream_t to) {
    cuda::check(cudaEventRecord(event, from), "event of LU");
    cuda::check(cudaStreamWaitEvent(to, event, 0), "wait of LU");
  }

  cudaStream_t chain_ = nullptr, rest_ = nullptr;
  cudaEvent_t begun_ = nullptr, next_ = nullptr, done_ = nullptr;
  bool waited_for_ = false;
};

}  // namespace datum::lu
