// CudaLu for one type of number: which kernel serves which size, memory, launches. C++17.
#pragma once

#include <chrono>
#include <stdexcept>
#include <string>

#include "gpu/core/cuda_support.cuh"
#include "gpu/lu/lu_columns.cuh"
#include "gpu/lu/lu_cuda.h"

namespace datum {
namespace lu {

constexpr std::chrono::milliseconds patience{10000};

/// A kernel and its shape.
template <class T>
struct Shape {
  void (*kernel)(ColumnsWork<T>);
  std::uint32_t most_rows, threads, width, step, words;
};

template <class T, int threads, int rows, int width, int step>
Shape<T> shape() {
  return {factor_columns<T, threads, rows, width, step>,
          threads * rows,
          threads,
          width,
          step,
          Posted<T, step>::words};
}

/// The kernel that serves n rows.
template <class T>
Shape<T> shape_for(std::uint32_t n);

}  // namespace lu

template <class T>
struct CudaLu<T>::State {
  std::uint32_t n = 0;
  std::size_t batch = 0;
  lu::Shape<T> shape{};
  cuda::Buffer<T> a, factors;
  cuda::Buffer<std::int32_t> pivots, info;
  cuda::Buffer<uint4> posted;
  cuda::Buffer<uint2> choice;
  cuda::Buffer<unsigned long long> tickets;

  std::uint32_t blocks() const { return (n + shape.width - 1) / shape.width; }
};

template <class T>
CudaLu<T>::CudaLu() : state_(new State) {}
template <class T>
CudaLu<T>::~CudaLu() = default;

template <class T>
void CudaLu<T>::prepare(std::uint32_t n, std::size_t batch) {
  if (n == 0 || n > most_rows || batch == 0)
    throw std::invalid_argument("LU on a CUDA device: " + std::to_string(batch) + " matrices of " +
                                std::to_string(n) + " rows; at least one of 1 to " +
                                std::to_string(most_rows) + " is wanted");
  State& s = *state_;
  s.n = n;
  s.batch = batch;
  s.shape = lu::shape_for<T>(n);
  int resident = 0, multiprocessors = 0;
  cuda::check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, s.shape.kernel, s.shape.threads, 0),
              "blocks of LU on a multiprocessor");
  cuda::check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0), "multiprocessors");
  if (s.blocks() > static_cast<std::uint32_t>(resident * multiprocessors))
    throw GpuError("CUDA: LU of " + std::to_string(n) + " rows needs " + std::to_string(s.blocks()) +
                       " blocks at a time and this device holds " +
                       std::to_string(resident * multiprocessors) + "; factor on the CPU",
                   false);
  const std::size_t panels = std::size_t{s.blocks()} * s.shape.width / s.shape.step;
  s.a.reserve(n * std::size_t{n} * batch);
  s.factors.reserve(n * std::size_t{n} * batch);
  s.pivots.reserve(n * batch);
  s.info.reserve(batch);
  cuda::zeroed(s.posted, panels * n * s.shape.words * batch, "panels of LU");
  cuda::zeroed(s.choice, n * batch, "pivots of LU");
  cuda::zeroed(s.tickets, 1, "tickets of LU");
}

template <class T>
void CudaLu<T>::upload(CudaStream stream, const T* a) {
  State& s = *state_;
  cuda::check(cudaMemcpyAsync(s.a.get(), a, s.n * std::size_t{s.n} * s.batch * sizeof(T),
                              cudaMemcpyHostToDevice, stream),
              "upload of matrices");
}

template <class T>
void CudaLu<T>::launch(CudaStream stream) {
  State& s = *state_;
  const lu::ColumnsWork<T> work{s.a.get(),       s.factors.get(),
                                s.pivots.get(),  s.info.get(),
                                s.posted.get(),  s.choice.get(),
                                s.tickets.get(), s.n,
                                s.blocks(),      static_cast<std::uint32_t>(s.batch)};
  s.shape.kernel<<<static_cast<unsigned>(s.blocks() * s.batch), s.shape.threads, 0, stream>>>(work);
  cuda::check(cudaGetLastError(), "launch of LU");
}

template <class T>
void CudaLu<T>::fetch(CudaStream stream, T* factors, std::int32_t* pivots, std::int32_t* info) {
  State& s = *state_;
  cuda::wait(stream, lu::patience, "LU");
  const auto take = [](auto* to, const auto& from, std::size_t count) {
    if (to)
      cuda::check(cudaMemcpy(to, from.get(), count * sizeof *to, cudaMemcpyDeviceToHost), "factors of LU");
  };
  take(factors, s.factors, s.n * std::size_t{s.n} * s.batch);
  take(pivots, s.pivots, s.n * s.batch);
  take(info, s.info, s.batch);
}

}  // namespace datum
