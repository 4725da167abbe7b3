// Whether a process that left its number somewhere still runs.

export function isAlive(pid: number): boolean {
  if (pid < 1) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // It runs, as another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
