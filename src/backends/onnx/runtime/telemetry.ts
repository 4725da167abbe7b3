// The runtime's builds for Linux tell its maker of every model that is loaded, and keep an id of the machine, unless
// the environment says otherwise. This engine sends nothing.

/**
 * Turns that off for this process, unless its environment has already decided. It has to happen on the main thread,
 * before the runtime is loaded: the environment of other threads is a copy that native code does not see.
 */
export function refuseTelemetry(): void {
  process.env.ORT_DISABLE_TELEMETRY ??= '1'
}
