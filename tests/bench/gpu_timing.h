// Times of work on a CUDA device, and the machine's limits that they are compared with.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

struct CUstream_st;
struct CUevent_st;
struct CUgraphExec_st;

namespace datum::bench {

using CudaStream = CUstream_st*;

struct Spread {
  double p10 = 0, median = 0, p90 = 0, p99 = 0;
};
/// Of a sample that is not empty.
Spread spread_of(std::vector<double> sample);

/// Time that `work` takes on the host's clock, in us.
double wall_us(const std::function<void()>& work);

class Stream {
 public:
  Stream();
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  operator CudaStream() const { return stream_; }
  /// Waits, looking again and again, until all is done; throws GpuError where that takes more than 20 s.
  void finish() const;

 private:
  CudaStream stream_ = nullptr;
};

/// Work as a captured graph that is launched again and again.
class Replay {
 public:
  /// `enqueue` puts the work into the stream and neither waits nor allocates.
  Replay(const Stream& stream, const std::function<void(CudaStream)>& enqueue);
  ~Replay();
  Replay(const Replay&) = delete;
  Replay& operator=(const Replay&) = delete;
  void launch() const;
  /// Time on the device in us, by events. A kernel that only passes time holds the stream until the host
  /// has enqueued all, so that the host's part is not in it.
  double device_us() const;

 private:
  const Stream& stream_;
  CUgraphExec_st* graph_ = nullptr;
  CUevent_st *begin_ = nullptr, *end_ = nullptr;
};

struct Ceilings {
  double read_gb_s = 0;      // 16-byte loads of a buffer far larger than the cache
  double fma_per_s = 0;      // independent fp32 fma, one per lane
  double scoring_per_s = 0;  // instructions of the scoring loop: subtract, 2 fma, compare-and-set, add
  double upload_gb_s = 0;    // pinned host memory to the device
  Spread empty_graph_us;     // one empty kernel as a graph: launched until seen to be done
  std::size_t read_bytes = 0;
};
Ceilings measure_ceilings(const Stream& stream, int repetitions);

}  // namespace datum::bench
