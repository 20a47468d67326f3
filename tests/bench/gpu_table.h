// `bench_planes --gpu`: one run, one table of the plane fit on a CUDA device.
#pragma once

namespace datum::bench {

/// arguments: [--quick | --board], fewer repetitions, or the whole board alone. Exit status: 0; 1 where the device fails or a product's byte
/// differs from the CPU backend's; 2 where there is no device, no CUDA in this build, or an argument is not
/// known.
int gpu_table(int count, char** arguments);

}  // namespace datum::bench
