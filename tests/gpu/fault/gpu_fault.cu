// Faults of a device, for tests: a library that is loaded into datumd-gpu by LD_PRELOAD and breaks its CUDA
// context from within, as a wrong kernel would. Files that appear in the folder DATUM_GPU_FAULT_FOLDER order
// a fault:
//
//   trap     a kernel ends in a trap: the context is lost
//   memory   nearly all memory of the device is taken, until the process ends
//   spin     kernels hold every multiprocessor for ten seconds
//
// When it has happened (spin: begun), a file of that name with ".done" appears beside it.
#include <cuda_runtime.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

__global__ void trap() { asm("trap;"); }

/// Ends after `ns` of the device's clock, or after so many looks at it.
__global__ void spin(unsigned long long ns, int* began) {
  unsigned long long from, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(from));
  if (began && blockIdx.x == 0 && threadIdx.x == 0) {
    *reinterpret_cast<volatile int*>(began) = 1;
    __threadfence_system();
  }
  for (long long looks = 0; looks < 100000000000ll; ++looks) {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    if (now - from > ns) return;
  }
}

void order_trap() {
  trap<<<1, 1>>>();
  cudaDeviceSynchronize();
}

void order_memory() {
  // In ever smaller pieces, until not even 1 MiB is left.
  for (std::size_t piece = std::size_t{1} << 36; piece >= (std::size_t{1} << 20);) {
    void* memory = nullptr;
    if (cudaMalloc(&memory, piece) != cudaSuccess) piece /= 2;
  }
  cudaGetLastError();
}

void order_spin() {
  int multiprocessors = 0, threads = 0;
  cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
  cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, 0);
  int* began = nullptr;
  if (cudaHostAlloc(reinterpret_cast<void**>(&began), sizeof *began, cudaHostAllocMapped) != cudaSuccess)
    return;
  *began = 0;
  // As many threads as fit, so that no other kernel finds room; of the highest urgency, so that none comes
  // between.
  int least = 0, greatest = 0;
  cudaDeviceGetStreamPriorityRange(&least, &greatest);
  cudaStream_t stream;
  if (cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, greatest) != cudaSuccess) return;
  spin<<<multiprocessors*(threads / 512), 512, 0, stream>>>(10'000'000'000ull, began);
  for (int i = 0; i < 5000 && *reinterpret_cast<volatile int*>(began) == 0; ++i) ::poll(nullptr, 0, 1);
}

void obey(const std::string& folder, const std::string& order) {
  if (order == "trap") order_trap();
  if (order == "memory") order_memory();
  if (order == "spin") order_spin();
  const int done = ::open((folder + "/" + order + ".done").c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  if (done >= 0) ::close(done);
}

void* wait_for_orders(void* argument) {
  const std::string folder = static_cast<const char*>(argument);
  const int watch = ::inotify_init1(IN_CLOEXEC);
  if (watch < 0 || ::inotify_add_watch(watch, folder.c_str(), IN_CLOSE_WRITE) < 0) {
    std::fprintf(stderr, "gpu_fault: %s can't be watched\n", folder.c_str());
    return nullptr;
  }
  for (;;) {
    alignas(inotify_event) char events[4096];
    const ssize_t size = ::read(watch, events, sizeof events);
    if (size <= 0) return nullptr;
    for (ssize_t at = 0; at < size;) {
      const auto* event = reinterpret_cast<const inotify_event*>(events + at);
      const std::string name = event->len ? event->name : "";
      if (name == "trap" || name == "memory" || name == "spin") obey(folder, name);
      at += static_cast<ssize_t>(sizeof(inotify_event) + event->len);
    }
  }
}

__attribute__((constructor)) void begin() {
  static const char* const folder = std::getenv("DATUM_GPU_FAULT_FOLDER");
  pthread_t thread;
  if (folder && ::pthread_create(&thread, nullptr, wait_for_orders, const_cast<char*>(folder)) == 0)
    ::pthread_detach(thread);
}

}  // namespace
