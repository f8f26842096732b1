/** A binary heap: the earliest event first. */
export const createEventQueue = <T>() => {
  const times: number[] = []
  const events: T[] = []
  const put = (index: number, time: number, event: T): void => {
    times[index] = time
    events[index] = event
  }
  const copy = (from: number, to: number): void => put(to, times[from] as number, events[from] as T)
  return {
    add: (time: number, event: T): void => {
      let index = times.length
      while (index > 0) {
        const parent = (index - 1) >> 1
        if ((times[parent] as number) <= time) break
        copy(parent, index)
        index = parent
      }
      put(index, time, event)
    },
    next: (): { at: number; event: T } | null => {
      if (times.length === 0) return null
      const first = { at: times[0] as number, event: events[0] as T }
      const time = times.pop() as number
      const event = events.pop() as T
      const length = times.length
      let index = 0
      for (let child = 1; child < length; child = 2 * index + 1) {
        if (child + 1 < length && (times[child + 1] as number) < (times[child] as number)) child++
        if ((times[child] as number) >= time) break
        copy(child, index)
        index = child
      }
      if (length > 0) put(index, time, event)
      return first
    },
  }
}
