// CudaLu for one type of number: which kernel serves which size, memory, launches. C++17.
#pragma once

#include <chrono>
#include <stdexcept>
#include <string>

#include "gpu/core/cuda_dialect.cuh"
#include "gpu/core/cuda_support.cuh"
#include "gpu/lu/lu_columns.cuh"
#include "gpu/lu/lu_cuda.h"
#include "gpu/lu/lu_substitute.cuh"

namespace datum {
namespace lu {

constexpr std::chrono::milliseconds timeout{10000};

/// A kernel and its shape.
template <class T>
struct Shape {
  void (*kernel)(ColumnsWork<T>);
  std::uint32_t most_rows, threads, width, shared_bytes;
};

template <class T, int threads, int rows, int width, int ahead>
Shape<T> shape() {
  static_assert(sizeof(ColumnsShared<T, threads, rows, width, ahead>) <= cuda::orin_shared_bytes);
  return {factor_columns<T, threads, rows, width, ahead>, threads * rows, threads + 32, width,
          static_cast<std::uint32_t>(sizeof(ColumnsShared<T, threads, rows, width, ahead>))};
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
  std::uint32_t columns = 0;
  cuda::Buffer<T> a, factors, b, x;
  cuda::Buffer<std::int32_t> pivots, info;
  cuda::Buffer<std::uint16_t> order;
  cuda::Buffer<typename lu::Posted<T>::Word> posted;
  cuda::Buffer<uint2> choice;
  cuda::Buffer<std::uint32_t> epochs;
  cuda::Buffer<unsigned long long> tickets;
  bool all_fit = false;

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
  cuda::check(cudaFuncSetAttribute(s.shape.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   static_cast<int>(s.shape.shared_bytes)),
              "shared memory of LU");
  cuda::check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                  &resident, s.shape.kernel, static_cast<int>(s.shape.threads), s.shape.shared_bytes),
              "blocks of LU on a multiprocessor");
  cuda::check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0), "multiprocessors");
  if (s.blocks() > static_cast<std::uint32_t>(resident * multiprocessors))
    throw GpuError("CUDA: LU of " + std::to_string(n) + " rows needs " + std::to_string(s.blocks()) +
                       " blocks at a time and this device holds " +
                       std::to_string(resident * multiprocessors) + "; factor on the CPU",
                   false);
  s.a.reserve(n * std::size_t{n} * batch);
  s.factors.reserve(n * std::size_t{n} * batch);
  s.pivots.reserve(n * batch);
  s.info.reserve(batch);
  s.order.reserve(n * batch);
  cuda::zeroed(s.posted, n * std::size_t{n} * batch, "columns of LU");
  cuda::zeroed(s.choice, n * batch, "pivots of LU");
  cuda::zeroed(s.epochs, batch, "epochs of LU");
  cuda::zeroed(s.tickets, 1, "tickets of LU");
  s.all_fit =
      s.blocks() * batch <= static_cast<std::size_t>(resident) * static_cast<std::size_t>(multiprocessors);
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
  const lu::ColumnsWork<T> work{s.a.get(),
                                s.factors.get(),
                                s.pivots.get(),
                                s.info.get(),
                                s.order.get(),
                                s.posted.get(),
                                s.choice.get(),
                                s.epochs.get(),
                                s.all_fit ? nullptr : s.tickets.get(),
                                s.n,
                                s.blocks(),
                                static_cast<std::uint32_t>(s.batch)};
  s.shape
      .kernel<<<static_cast<unsigned>(s.blocks() * s.batch), s.shape.threads, s.shape.shared_bytes, stream>>>(
          work);
  cuda::check(cudaGetLastError(), "launch of LU");
}

template <class T>
void CudaLu<T>::fetch(CudaStream stream, T* factors, std::int32_t* pivots, std::int32_t* info) {
  State& s = *state_;
  cuda::wait(stream, lu::timeout, "LU");
  const auto take = [](auto* to, const auto& from, std::size_t count) {
    if (to)
      cuda::check(cudaMemcpy(to, from.get(), count * sizeof *to, cudaMemcpyDeviceToHost), "factors of LU");
  };
  take(factors, s.factors, s.n * std::size_t{s.n} * s.batch);
  take(pivots, s.pivots, s.n * s.batch);
  take(info, s.info, s.batch);
}

template <class T>
void CudaLu<T>::upload_right_sides(CudaStream stream, const T* b, std::uint32_t columns) {
  State& s = *state_;
  s.columns = columns;
  const std::size_t count = s.n * s.batch * columns;
  s.b.reserve(std::max<std::size_t>(count, 1));
  s.x.reserve(std::max<std::size_t>(count, 1));
  cuda::check(cudaMemcpyAsync(s.b.get(), b, count * sizeof(T), cudaMemcpyHostToDevice, stream),
              "upload of right-hand sides");
}

template <class T>
void CudaLu<T>::launch_solve(CudaStream stream) {
  State& s = *state_;
  if (s.columns == 0) return;
  const lu::SubstituteWork<T> work{s.factors.get(), s.order.get(), s.info.get(), s.b.get(),
                                   s.x.get(),       s.n,           s.columns};
  lu::substitute<<<static_cast<unsigned>(s.batch * s.columns), lu::substitute_threads, 0, stream>>>(work);
  cuda::check(cudaGetLastError(), "launch of the solution with LU");
}

template <class T>
void CudaLu<T>::fetch_solutions(CudaStream stream, T* x) {
  State& s = *state_;
  cuda::wait(stream, lu::timeout, "solution with LU");
  cuda::check(cudaMemcpy(x, s.x.get(), s.n * s.batch * s.columns * sizeof(T), cudaMemcpyDeviceToHost),
              "solutions with LU");
}

}  // namespace datum
