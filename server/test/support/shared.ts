type Entry<T> = { value: Promise<T>; users: number; stop: (value: T) => Promise<unknown> }

const entries = new Map<string, Entry<any>>()
let isKept = false

/**
 * What the test files of a process share, such as a service or a browser. It is started for the first file that needs it, and stopped when
 * no file uses it any more. In a batch it is kept for the next file.
 */
export const share = async <T>(
  name: string,
  start: () => Promise<T>,
  stop: (value: T) => Promise<unknown>,
): Promise<{ value: T; leave: () => Promise<void> }> => {
  const entry: Entry<T> = entries.get(name) ?? { value: start(), users: 0, stop }
  entries.set(name, entry)
  entry.users++
  const value = await entry.value
  return {
    value,
    leave: async () => {
      if (--entry.users > 0 || isKept) return
      entries.delete(name)
      await stop(value)
    },
  }
}

/** Called by a batch of test files, which calls `stopShared` after the last one. */
export const keepShared = (): void => {
  isKept = true
}

export const stopShared = async (): Promise<void> => {
  const all = [...entries.values()]
  entries.clear()
  await Promise.all(all.map(async ({ value, stop }) => stop(await value)))
}
