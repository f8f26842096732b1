/** Like setTimeout; the timer is cleared when the signal aborts. */
export const later = (milliseconds: number, task: () => void, signal: AbortSignal): void => {
  const timer = setTimeout(task, milliseconds)
  signal.addEventListener('abort', () => clearTimeout(timer))
}
