// CudaLu for one type of number: which kernel serves which size, memory, launches. C++17.
#pragma once

#include <chrono>
#include <stdexcept>
#include <string>

#include "gpu/core/cuda_dialect.cuh"
#include "gpu/core/cuda_support.cuh"
#include "gpu/lu/lu_blocked.cuh"
#include "gpu/lu/lu_cuda.h"
#include "gpu/lu/lu_substitute.cuh"

namespace datum {
namespace lu {

constexpr std::chrono::milliseconds timeout{10000};

/// Whether panels and products beat the kernel of columns for these matrices of up to 1024 rows.
template <class T>
bool panels_win(std::uint32_t n, std::size_t batch);

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
  bool all_fit = false, is_blocked = false;
  lu::Blocked<T> blocked;

  void prepare_sides(std::uint32_t count);
  std::uint32_t blocks() const { return (n + shape.width - 1) / shape.width; }
};

template <class T>
CudaLu<T>::CudaLu() : state_(new State) {}
template <class T>
CudaLu<T>::~CudaLu() = default;

template <class T>
void CudaLu<T>::prepare(std::uint32_t n, std::size_t batch, LuMethod method) {
  const std::uint32_t most = method == LuMethod::columns ? most_rows_of_columns : most_rows;
  if (n == 0 || n > most || batch == 0)
    throw std::invalid_argument("LU on a CUDA device: " + std::to_string(batch) + " matrices of " +
                                std::to_string(n) + " rows; at least one of 1 to " + std::to_string(most) +
                                " is wanted");
  State& s = *state_;
  s.n = n;
  s.batch = batch;
  s.is_blocked = method == LuMethod::blocked || n > most_rows_of_columns ||
                 (method == LuMethod::by_size && lu::panels_win<T>(n, batch));
  s.a.reserve(n * std::size_t{n} * batch);
  s.pivots.reserve(n * batch);
  s.info.reserve(batch);
  s.order.reserve(n * batch);
  if (s.is_blocked) return s.blocked.prepare(n, batch);
  s.shape = lu::shape_for<T>(n);
  const std::size_t resident = lu::resident_blocks(s.shape, n, s.blocks());
  s.factors.reserve(n * std::size_t{n} * batch);
  cuda::zeroed(s.posted, n * std::size_t{n} * batch, "columns of LU");
  cuda::zeroed(s.choice, n * batch, "pivots of LU");
  cuda::zeroed(s.epochs, batch, "epochs of LU");
  cuda::zeroed(s.tickets, 1, "tickets of LU");
  s.all_fit = s.blocks() * batch <= resident;
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
  if (s.is_blocked) return s.blocked.factor(stream, s.a.get(), s.pivots.get(), s.info.get(), s.order.get());
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
                                s.n,
                                0,
                                s.n,
                                s.n,
                                s.n * std::size_t{s.n},
                                s.blocks(),
                                static_cast<std::uint32_t>(s.batch),
                                {}};
  s.shape
      .kernel<<<static_cast<unsigned>(s.blocks() * s.batch), s.shape.threads, s.shape.shared_bytes, stream>>>(
          work);
  cuda::check(cudaGetLastError(), "launch of LU");
}

template <class T>
void CudaLu<T>::fetch(CudaStream stream, T* factors, std::int32_t* pivots, std::int32_t* info) {
  State& s = *state_;
  const T* const from = s.is_blocked && factors ? s.blocked.side_by_side(stream) : s.factors.get();
  cuda::wait(stream, lu::timeout, "LU");
  const auto take = [](auto* to, const auto* memory, std::size_t count) {
    if (to) cuda::check(cudaMemcpy(to, memory, count * sizeof *to, cudaMemcpyDeviceToHost), "factors of LU");
  };
  take(factors, from, s.n * std::size_t{s.n} * s.batch);
  take(pivots, s.pivots.get(), s.n * s.batch);
  take(info, s.info.get(), s.batch);
}

template <class T>
void CudaLu<T>::State::prepare_sides(std::uint32_t count) {
  columns = count;
  const std::size_t elements = std::max<std::size_t>(n * batch * count, 1);
  b.reserve(elements);
  x.reserve(elements);
  if (is_blocked && n > lu::substitute_threads * lu::substitute_rows) blocked.prepare_sides(count);
}

template <class T>
void CudaLu<T>::upload_right_sides(CudaStream stream, const T* b, std::uint32_t columns) {
  State& s = *state_;
  s.prepare_sides(columns);
  cuda::check(
      cudaMemcpyAsync(s.b.get(), b, s.n * s.batch * columns * sizeof(T), cudaMemcpyHostToDevice, stream),
      "upload of right-hand sides");
}

template <class T>
void CudaLu<T>::set_identity(CudaStream stream) {
  State& s = *state_;
  s.prepare_sides(s.n);
  lu::identity<<<dim3((s.n + 255) / 256, s.n, static_cast<unsigned>(s.batch)), 256, 0, stream>>>(s.b.get(),
                                                                                                 s.n);
  cuda::check(cudaGetLastError(), "launch of the identity");
}

template <class T>
void CudaLu<T>::launch_solve(CudaStream stream) {
  State& s = *state_;
  if (s.columns == 0) return;
  if (s.is_blocked && s.n > lu::substitute_threads * lu::substitute_rows)
    return s.blocked.solve_sides(stream, s.order.get(), s.info.get(), s.b.get(), s.x.get(), s.columns);
  const std::size_t leading = s.is_blocked ? s.blocked.leading() : s.n;
  const lu::SubstituteWork<T> work{s.is_blocked ? s.blocked.factors() : s.factors.get(),
                                   s.order.get(),
                                   s.info.get(),
                                   s.b.get(),
                                   s.x.get(),
                                   s.n,
                                   s.columns,
                                   leading,
                                   leading * leading};
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
