// cuSOLVER and cuBLAS: beside the product in a benchmark, never in it.
#include <cublas_v2.h>
#include <cusolverDn.h>

#include <memory>
#include <stdexcept>

#include "gpu/core/cuda_support.cuh"
#include "tests/bench/lu_rows.h"

namespace datum::bench {
namespace {

void check_library(int status, const char* what) {
  if (status != 0) throw std::runtime_error(std::string(what) + " returned " + std::to_string(status));
}

template <class T>
constexpr cudaDataType type_of = sizeof(T) == 4 ? CUDA_R_32F : CUDA_R_64F;

/// One call's memory, kept as long as its graph.
template <class T>
struct Call {
  cuda::Buffer<T> a;
  cuda::Buffer<std::int64_t> pivots;
  cuda::Buffer<int> info;
  cuda::Buffer<unsigned char> room;
  std::vector<unsigned char> host_room;
  cuda::Buffer<T*> places;
  cusolverDnHandle_t solver = nullptr;
  cusolverDnParams_t parameters = nullptr;
  cublasHandle_t blas = nullptr;

  Call(std::uint32_t n, std::size_t batch) {
    a.reserve(n * std::size_t{n} * batch);
    pivots.reserve(n * batch);
    info.reserve(batch);
  }
  ~Call() {
    if (parameters) cusolverDnDestroyParams(parameters);
    if (solver) cusolverDnDestroy(solver);
    if (blas) cublasDestroy(blas);
  }
};

template <class T>
LuPeer solver_peer(const T* from, std::uint32_t n, cusolverAlgMode_t algorithm, const char* name) {
  auto call = std::make_shared<Call<T>>(n, 1);
  check_library(cusolverDnCreate(&call->solver), "cusolverDnCreate");
  check_library(cusolverDnCreateParams(&call->parameters), "cusolverDnCreateParams");
  check_library(cusolverDnSetAdvOptions(call->parameters, CUSOLVERDN_GETRF, algorithm),
                "cusolverDnSetAdvOptions");
  std::size_t on_device = 0, on_host = 0;
  check_library(cusolverDnXgetrf_bufferSize(call->solver, call->parameters, n, n, type_of<T>, call->a.get(),
                                            n, type_of<T>, &on_device, &on_host),
                "cusolverDnXgetrf_bufferSize");
  call->room.reserve(on_device + 1);
  call->host_room.resize(on_host + 1);
  return {name, [=](cudaStream_t s) {
            cuda::check(cudaMemcpyAsync(call->a.get(), from, n * std::size_t{n} * sizeof(T),
                                        cudaMemcpyDeviceToDevice, s),
                        "copy");
            check_library(cusolverDnSetStream(call->solver, s), "cusolverDnSetStream");
            check_library(cusolverDnXgetrf(call->solver, call->parameters, n, n, type_of<T>, call->a.get(), n,
                                           call->pivots.get(), type_of<T>, call->room.get(), on_device,
                                           call->host_room.data(), on_host, call->info.get()),
                          "cusolverDnXgetrf");
          }};
}

cublasStatus_t factor_batched(cublasHandle_t h, int n, float** a, int* pivots, int* info, int batch) {
  return cublasSgetrfBatched(h, n, a, n, pivots, info, batch);
}
cublasStatus_t factor_batched(cublasHandle_t h, int n, double** a, int* pivots, int* info, int batch) {
  return cublasDgetrfBatched(h, n, a, n, pivots, info, batch);
}

template <class T>
LuPeer blas_peer(const T* from, std::uint32_t n, std::size_t batch) {
  auto call = std::make_shared<Call<T>>(n, batch);
  check_library(cublasCreate(&call->blas), "cublasCreate");
  std::vector<T*> places;
  for (std::size_t i = 0; i < batch; ++i) places.push_back(call->a.get() + i * n * n);
  cuda::to_device(call->places, places, "places of matrices");
  return {"cuBLAS batched", [=](cudaStream_t s) {
            cuda::check(cudaMemcpyAsync(call->a.get(), from, n * std::size_t{n} * batch * sizeof(T),
                                        cudaMemcpyDeviceToDevice, s),
                        "copy");
            check_library(cublasSetStream(call->blas, s), "cublasSetStream");
            check_library(factor_batched(call->blas, static_cast<int>(n), call->places.get(),
                                         reinterpret_cast<int*>(call->pivots.get()), call->info.get(),
                                         static_cast<int>(batch)),
                          "cublas getrfBatched");
          }};
}

}  // namespace

template <class T>
std::vector<LuPeer> lu_peers(const T* a, std::uint32_t n, std::size_t batch) {
  if (batch > 1) return {blas_peer(a, n, batch)};
  std::vector<LuPeer> peers{solver_peer(a, n, CUSOLVER_ALG_0, "cuSOLVER"),
                            solver_peer(a, n, CUSOLVER_ALG_1, "cuSOLVER legacy")};
  if (n <= 512) peers.push_back(blas_peer(a, n, batch));  // seconds above
  return peers;
}

template std::vector<LuPeer> lu_peers(const float*, std::uint32_t, std::size_t);
template std::vector<LuPeer> lu_peers(const double*, std::uint32_t, std::size_t);

}  // namespace datum::bench
