/** A timer that goes away with what it belongs to. */
export const later = (milliseconds: number, task: () => void, signal: AbortSignal): void => {
  const timer = setTimeout(task, milliseconds)
  signal.addEventListener('abort', () => clearTimeout(timer))
}
