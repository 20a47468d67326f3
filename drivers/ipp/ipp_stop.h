// Stops a machine over I++ DME where no session can: when the process dies, and before it has begun. Own bytes, own wait.
#pragma once

#include <string>

#include "drivers/cmm/settings.h"

namespace datum {

/// AbortE, ClearAllErrors, EndSession to a connected socket, each after the answer to the one before, at most so long
/// together. False: AbortE was not answered as done. Async-signal-safe (signal-safety(7)).
bool ipp_stop(int socket, int timeout_ms);

/// A connection of its own to the controller, ipp_stop(), and the connection is closed. A daemon that was killed may have
/// left the machine moving. Returns why it may still move; empty: it stands. Waits for both, at most so long.
std::string ipp_stop_first(const CmmSettings& settings, int timeout_ms);

/// From now on a signal that ends the process (SIGABRT of a watchdog, SIGSEGV, SIGBUS, SIGFPE, SIGILL) stops the machine on
/// this socket first; -1: nothing moves. One machine in a process.
void ipp_last_text(int socket);

}  // namespace datum
