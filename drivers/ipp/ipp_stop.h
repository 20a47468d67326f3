// Stops a machine over I++ DME without a session: when the process dies, and before it has begun.
// Self-contained.
#pragma once

#include <string>

#include "drivers/cmm/settings.h"

namespace datum {

/// Sends AbortE, ClearAllErrors, EndSession to a connected socket, each after the answer to the one before,
/// within the timeout. False: AbortE was not confirmed. Async-signal-safe (signal-safety(7)).
bool ipp_stop(int socket, int timeout_ms);

/// Opens a connection to the controller, calls ipp_stop() and closes it. A killed daemon may have left the
/// machine moving. Returns why it may still move; empty: it is stopped. Blocks for both, up to the timeout.
std::string ipp_stop_first(const CmmSettings& settings, int timeout_ms);

/// From now on a signal that ends the process (SIGABRT of a watchdog, SIGSEGV, SIGBUS, SIGFPE, SIGILL) first
/// stops the machine on this socket; -1: no motion. One machine per process.
void ipp_last_text(int socket);

}  // namespace datum
