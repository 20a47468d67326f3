// Work spread over threads that are made once and kept.
#pragma once

#include <cstddef>
#include <functional>

namespace datum {

/// Calls work(i, slot) for every i below count, in no stated order, on at most `threads` threads of which the
/// caller is one. slot < threads names the thread, for its scratch memory. Indices are taken in ascending
/// order: put long work first. Rethrows one exception of those thrown by work, after all threads have
/// stopped. Calls from several threads work beside each other, each with threads of its own; work must not
/// call parallel_for.
void parallel_for(unsigned threads, std::size_t count,
                  const std::function<void(std::size_t i, unsigned slot)>& work);

/// Calls work() on this thread. The loops that it makes there one after the other by parallel_for() have at most `threads` threads,
/// which stay awake between them: for work of a millisecond or two in many loops, in which waking would take as long as they do. Each
/// of these threads takes its share of the indices in ascending order, then what is left of the others' shares. Rethrows what work
/// throws. Within another such call, and for one thread: work() alone.
void with_threads_awake(unsigned threads, const std::function<void()>& work);

}  // namespace datum
