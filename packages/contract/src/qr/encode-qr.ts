import { checkBytes } from './reed-solomon.ts'

/** A QR code as rows of modules; true is dark. */
export type QrCode = readonly (readonly boolean[])[]

/** ISO/IEC 18004, error correction level L: check bytes per block, and the data bytes of each block. */
const BLOCKS: readonly (readonly [check: number, ...data: number[]])[] = [
  [7, 19],
  [10, 34],
  [15, 55],
  [20, 80],
  [26, 108],
  [18, 68, 68],
  [20, 78, 78],
  [24, 97, 97],
  [30, 116, 116],
  [18, 68, 68, 69, 69],
  [20, 81, 81, 81, 81],
  [24, 92, 92, 93, 93],
  [26, 107, 107, 107, 107],
  [30, 115, 115, 115, 116],
  [22, 87, 87, 87, 87, 87, 88],
]
const ALIGNMENTS: readonly (readonly number[])[] = [
  [],
  [6, 18],
  [6, 22],
  [6, 26],
  [6, 30],
  [6, 34],
  [6, 22, 38],
  [6, 24, 42],
  [6, 26, 46],
  [6, 28, 50],
  [6, 30, 54],
  [6, 32, 58],
  [6, 34, 62],
  [6, 26, 46, 66],
  [6, 26, 48, 70],
]

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
const capacityOf = (version: number): number => sum(BLOCKS[version - 1]?.slice(1) ?? [])
/** Bytes of the mode and the length, which take 12 or 20 bits. */
const headerBits = (version: number): number => (version < 10 ? 12 : 20)

/** Encodes text in byte mode. Null: the text is too long (about 500 bytes). */
export const encodeQr = (text: string): QrCode | null => {
  const bytes = new TextEncoder().encode(text)
  const version =
    BLOCKS.findIndex((_, n) => bytes.length * 8 + headerBits(n + 1) <= capacityOf(n + 1) * 8) + 1
  if (version === 0) return null
  const bits = interleave(version, dataBytes(version, bytes))
  const candidates = MASKS.map((_, mask) => draw(version, bits, mask))
  return candidates.reduce((best, next) => (penaltyOf(next) < penaltyOf(best) ? next : best))
}

const dataBytes = (version: number, bytes: Uint8Array): number[] => {
  const bits: number[] = []
  const push = (value: number, length: number): void => {
    for (let n = length - 1; n >= 0; n--) bits.push((value >> n) & 1)
  }
  push(0b0100, 4)
  push(bytes.length, headerBits(version) - 4)
  for (const byte of bytes) push(byte, 8)
  const capacity = capacityOf(version) * 8
  push(0, Math.min(4, capacity - bits.length))
  push(0, (8 - (bits.length % 8)) % 8)
  for (let n = 0; bits.length < capacity; n++) push(n % 2 === 0 ? 0xec : 0x11, 8)
  return Array.from({ length: bits.length / 8 }, (_, n) =>
    bits.slice(n * 8, n * 8 + 8).reduce((byte, bit) => byte * 2 + bit, 0),
  )
}

/** The bytes of all blocks alternate, so that a stain damages each block only a little. */
const interleave = (version: number, data: number[]): number[] => {
  const [check, ...lengths] = BLOCKS[version - 1] as readonly [number, ...number[]]
  let at = 0
  const blocks = lengths.map(length => {
    at += length
    return data.slice(at - length, at)
  })
  const checks = blocks.map(block => checkBytes(block, check))
  const alternate = (rows: number[][]): number[] =>
    Array.from({ length: Math.max(...rows.map(row => row.length)) }, (_, n) =>
      rows.flatMap(row => (n < row.length ? [row[n] as number] : [])),
    ).flat()
  return [...alternate(blocks), ...alternate(checks)].flatMap(byte =>
    Array.from({ length: 8 }, (_, n) => (byte >> (7 - n)) & 1),
  )
}

const MASKS: readonly ((row: number, column: number) => boolean)[] = [
  (row, column) => (row + column) % 2 === 0,
  row => row % 2 === 0,
  (_, column) => column % 3 === 0,
  (row, column) => (row + column) % 3 === 0,
  (row, column) => (Math.floor(row / 2) + Math.floor(column / 3)) % 2 === 0,
  (row, column) => ((row * column) % 2) + ((row * column) % 3) === 0,
  (row, column) => (((row * column) % 2) + ((row * column) % 3)) % 2 === 0,
  (row, column) => (((row + column) % 2) + ((row * column) % 3)) % 2 === 0,
]

const draw = (version: number, bits: readonly number[], mask: number): boolean[][] => {
  const size = version * 4 + 17
  const modules: (boolean | null)[][] = Array.from({ length: size }, () =>
    Array.from({ length: size }, () => null),
  )
  const set = (row: number, column: number, isDark: boolean): void => {
    if (row >= 0 && row < size && column >= 0 && column < size) (modules[row] as boolean[])[column] = isDark
  }
  drawFinders(size, set)
  drawAlignments(version, modules, set)
  for (let n = 8; n < size - 8; n++) {
    set(6, n, n % 2 === 0)
    set(n, 6, n % 2 === 0)
  }
  drawFormat(size, mask, set)
  if (version >= 7) drawVersion(size, version, set)
  drawData(size, modules, bits, MASKS[mask] as (row: number, column: number) => boolean)
  return modules as boolean[][]
}

type SetModule = (row: number, column: number, isDark: boolean) => void

const drawFinders = (size: number, set: SetModule): void => {
  for (const [top, left] of [
    [0, 0],
    [0, size - 7],
    [size - 7, 0],
  ] as const)
    for (let row = -1; row <= 7; row++)
      for (let column = -1; column <= 7; column++) {
        const ring = Math.max(Math.abs(row - 3), Math.abs(column - 3))
        set(top + row, left + column, ring !== 2 && ring !== 4)
      }
}

const drawAlignments = (version: number, modules: (boolean | null)[][], set: SetModule): void => {
  const positions = ALIGNMENTS[version - 1] ?? []
  for (const row of positions)
    for (const column of positions) {
      if (modules[row]?.[column] !== null) continue
      for (let dy = -2; dy <= 2; dy++)
        for (let dx = -2; dx <= 2; dx++)
          set(row + dy, column + dx, Math.max(Math.abs(dy), Math.abs(dx)) !== 1)
    }
}

/** Appends the remainder of a division by a generator polynomial (BCH code). */
const withCheckBits = (value: number, generator: number, count: number): number => {
  let remainder = value << count
  const degree = 31 - Math.clz32(generator)
  while (remainder > 0 && 31 - Math.clz32(remainder) >= degree)
    remainder ^= generator << (31 - Math.clz32(remainder) - degree)
  return (value << count) | remainder
}

/** Level L (01) and the mask, twice. */
const drawFormat = (size: number, mask: number, set: SetModule): void => {
  const format = withCheckBits((0b01 << 3) | mask, 0b10100110111, 10) ^ 0b101010000010010
  const bit = (n: number): boolean => ((format >> n) & 1) === 1
  for (let n = 0; n < 15; n++) {
    const vertical = n < 6 ? n : n < 8 ? n + 1 : size - 15 + n
    const horizontal = n < 8 ? size - 1 - n : n < 9 ? 7 : 14 - n
    set(vertical, 8, bit(n))
    set(8, horizontal, bit(n))
  }
  set(size - 8, 8, true)
}

const drawVersion = (size: number, version: number, set: SetModule): void => {
  const code = withCheckBits(version, 0b1111100100101, 12)
  for (let n = 0; n < 18; n++) {
    const isDark = ((code >> n) & 1) === 1
    set(Math.floor(n / 3), size - 11 + (n % 3), isDark)
    set(size - 11 + (n % 3), Math.floor(n / 3), isDark)
  }
}

/** Two columns at a time from the right, up and down in turns, around everything drawn before. */
const drawData = (
  size: number,
  modules: (boolean | null)[][],
  bits: readonly number[],
  isInverted: (row: number, column: number) => boolean,
): void => {
  let next = 0
  let isUpward = true
  for (let right = size - 1; right > 0; right -= 2) {
    if (right === 6) right--
    for (let n = 0; n < size; n++) {
      const row = isUpward ? size - 1 - n : n
      for (const column of [right, right - 1]) {
        const line = modules[row] as (boolean | null)[]
        if (line[column] !== null) continue
        line[column] = (bits[next++] === 1) !== isInverted(row, column)
      }
    }
    isUpward = !isUpward
  }
}

/** The lower, the easier to scan. */
const penaltyOf = (code: QrCode): number => {
  const size = code.length
  const columns = Array.from({ length: size }, (_, n) => code.map(row => row[n] as boolean))
  const lines = [...code, ...columns]
  const dark = sum(code.map(row => row.filter(Boolean).length))
  return (
    sum(lines.map(runPenalty)) +
    sum(lines.map(finderPenalty)) +
    squarePenalty(code) +
    Math.floor(Math.abs((dark * 100) / (size * size) - 50) / 5) * 10
  )
}

const runPenalty = (line: readonly boolean[]): number => {
  let [penalty, run] = [0, 1]
  for (let n = 1; n <= line.length; n++) {
    if (n < line.length && line[n] === line[n - 1]) run++
    else {
      if (run >= 5) penalty += run - 2
      run = 1
    }
  }
  return penalty
}

const finderPenalty = (line: readonly boolean[]): number => {
  const text = line.map(isDark => (isDark ? '1' : '0')).join('')
  let penalty = 0
  for (const pattern of ['10111010000', '00001011101'])
    for (let at = text.indexOf(pattern); at !== -1; at = text.indexOf(pattern, at + 1)) penalty += 40
  return penalty
}

const squarePenalty = (code: QrCode): number => {
  let penalty = 0
  for (let row = 1; row < code.length; row++)
    for (let column = 1; column < code.length; column++) {
      const [above, line] = [code[row - 1] as boolean[], code[row] as boolean[]]
      const isDark = line[column]
      if (above[column] === isDark && above[column - 1] === isDark && line[column - 1] === isDark)
        penalty += 3
    }
  return penalty
}
