import { randomFillSync } from 'node:crypto'

/** Random bytes are drawn in blocks to save system calls; each byte is used once. */
const BLOCK_SIZE = 8192
let block = Buffer.alloc(0)
let used = 0

export const randomBytes = (size: number): Buffer => {
  if (used + size > block.length) {
    // A new buffer for each block, because callers keep references into the previous one.
    block = randomFillSync(Buffer.allocUnsafeSlow(Math.max(BLOCK_SIZE, size)))
    used = 0
  }
  used += size
  return block.subarray(used - size, used)
}
