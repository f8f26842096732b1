import { randomFillSync } from 'node:crypto'

/** Asking the system costs the same for a few bytes as for many: they are fetched ahead, and each is handed out once. */
const AHEAD = 8192
let ahead = Buffer.alloc(0)
let used = 0

export const randomBytes = (size: number): Buffer => {
  if (used + size > ahead.length) {
    // A new buffer each time: what was handed out is the caller's, and is never written to again.
    ahead = randomFillSync(Buffer.allocUnsafeSlow(Math.max(AHEAD, size)))
    used = 0
  }
  used += size
  return ahead.subarray(used - size, used)
}
