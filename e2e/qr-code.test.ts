import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { encodeQr, type QrCode } from '@carabiner/contract/qr'

/** Data and check bytes per block of the versions that the tests read, from the tables of ISO/IEC 18004 (level L). */
const LAYOUT: Record<number, { data: number[]; check: number }> = {
  1: { data: [19], check: 7 },
  5: { data: [108], check: 26 },
  9: { data: [116, 116], check: 30 },
  10: { data: [68, 68, 69, 69], check: 18 },
  15: { data: [87, 87, 87, 87, 87, 88], check: 22 },
}
const MASKS = [
  (y: number, x: number) => (y + x) % 2,
  (y: number) => y % 2,
  (_: number, x: number) => x % 3,
  (y: number, x: number) => (y + x) % 3,
  (y: number, x: number) => ((y >> 1) + Math.floor(x / 3)) % 2,
  (y: number, x: number) => ((y * x) % 2) + ((y * x) % 3),
  (y: number, x: number) => (((y * x) % 2) + ((y * x) % 3)) % 2,
  (y: number, x: number) => (((y + x) % 2) + ((y * x) % 3)) % 2,
]

/** Modules of finders, timing, format and version, and of the alignment patterns at `centers`. */
const isReserved = (size: number, centers: number[], y: number, x: number): boolean => {
  const version = (size - 17) / 4
  if (y === 6 || x === 6) return true
  if ((y < 9 && x < 9) || (y < 9 && x >= size - 8) || (y >= size - 8 && x < 9)) return true
  if (version >= 7 && ((y < 6 && x >= size - 11) || (x < 6 && y >= size - 11))) return true
  return centers.some(cy =>
    centers.some(cx => {
      const isFinder = (cy < 8 && cx < 8) || (cy < 8 && cx > size - 9) || (cy > size - 9 && cx < 8)
      return !isFinder && Math.abs(y - cy) <= 2 && Math.abs(x - cx) <= 2
    }),
  )
}

/** The product in GF(256) with the polynomial of QR codes, x⁸ + x⁴ + x³ + x² + 1. */
const multiply = (a: number, b: number): number => {
  let product = 0
  for (let bit = 7; bit >= 0; bit--) {
    product = (product << 1) ^ (product > 127 ? 0x11d : 0)
    if ((b >> bit) & 1) product ^= a
  }
  return product
}

/** A reader that shares no code with the encoder. Verifies the check bytes of every block. */
const readQr = (code: QrCode, centers: number[]): string => {
  const size = code.length
  const version = (size - 17) / 4
  const at = (y: number, x: number): number => Number(code[y]?.[x])
  const format =
    [0, 1, 2, 3, 4, 5].reduce((bits, n) => bits | (at(n, 8) << n), 0) |
    (at(7, 8) << 6) |
    (at(8, 8) << 7) |
    (at(8, 7) << 8) |
    [9, 10, 11, 12, 13, 14].reduce((bits, n) => bits | (at(8, 14 - n) << n), 0)
  const plain = format ^ 0x5412
  assert.equal(plain >> 13, 1, 'level L')
  const mask = MASKS[(plain >> 10) & 7] as (y: number, x: number) => number
  const bits: number[] = []
  for (let right = size - 1, up = true; right > 0; right -= 2, up = !up) {
    if (right === 6) right = 5
    for (let n = 0; n < size; n++)
      for (const x of [right, right - 1]) {
        const y = up ? size - 1 - n : n
        if (!isReserved(size, centers, y, x)) bits.push(at(y, x) ^ Number(mask(y, x) === 0))
      }
  }
  const bytes = Array.from({ length: bits.length >> 3 }, (_, n) =>
    bits.slice(n * 8, n * 8 + 8).reduce((byte, bit) => byte * 2 + bit, 0),
  )
  const { data, check } = LAYOUT[version] as { data: number[]; check: number }
  const blocks = data.map((): number[] => [])
  let next = 0
  for (let n = 0; n < Math.max(...data); n++)
    for (const [b, length] of data.entries()) if (n < length) blocks[b]?.push(bytes[next++] as number)
  for (let n = 0; n < check; n++) for (const block of blocks) block.push(bytes[next++] as number)
  for (const block of blocks)
    for (let n = 0, root = 1; n < check; n++, root = multiply(root, 2))
      assert.equal(
        block.reduce((value, byte) => multiply(value, root) ^ byte, 0),
        0,
        'a syndrome is zero',
      )
  const content = blocks.flatMap((block, b) => block.slice(0, data[b]))
  const stream = content.map(byte => byte.toString(2).padStart(8, '0')).join('')
  assert.equal(stream.slice(0, 4), '0100', 'byte mode')
  const lengthBits = version < 10 ? 8 : 16
  const length = Number.parseInt(stream.slice(4, 4 + lengthBits), 2)
  const text = Uint8Array.from({ length }, (_, n) => {
    const start = 4 + lengthBits + n * 8
    return Number.parseInt(stream.slice(start, start + 8), 2)
  })
  return new TextDecoder().decode(text)
}

describe('QR codes', () => {
  const cases: [version: number, length: number, centers: number[]][] = [
    [1, 1, []],
    [1, 17, []],
    [5, 106, [6, 30]],
    [9, 230, [6, 26, 46]],
    [10, 231, [6, 28, 50]],
    [10, 271, [6, 28, 50]],
    [15, 520, [6, 26, 48, 70]],
  ]
  for (const [version, length, centers] of cases)
    it(`${length} bytes are read back from version ${version}`, () => {
      const text = 'https://link.example/magic-link/'.padEnd(length, 'cb_mlk_aZ09.-').slice(0, length)
      const code = encodeQr(text) as QrCode
      assert.equal(code.length, version * 4 + 17)
      assert.equal(readQr(code, centers), text)
    })

  it('text that is not ASCII is UTF-8', () => {
    assert.equal(readQr(encodeQr('Zoë ✓') as QrCode, []), 'Zoë ✓')
  })

  it('a text that is too long has no code', () => {
    assert.equal(encodeQr('x'.repeat(521)), null)
    assert.notEqual(encodeQr('x'.repeat(520)), null)
  })
})
