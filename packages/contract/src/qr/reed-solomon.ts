/** Arithmetic in GF(256) with the polynomial of QR codes, x⁸ + x⁴ + x³ + x² + 1. */
const EXP = new Uint8Array(512)
const LOG = new Uint8Array(256)
for (let n = 0, value = 1; n < 255; n++) {
  EXP[n] = value
  EXP[n + 255] = value
  LOG[value] = n
  value = value << 1 > 255 ? (value << 1) ^ 0x11d : value << 1
}

export const multiply = (a: number, b: number): number =>
  a === 0 || b === 0 ? 0 : (EXP[(LOG[a] as number) + (LOG[b] as number)] as number)

/** The check bytes of a block: the remainder of its division by the generator polynomial. */
export const checkBytes = (data: readonly number[], count: number): number[] => {
  const generator = generatorOf(count)
  const remainder = Array.from({ length: count }, () => 0)
  for (const byte of data) {
    const factor = byte ^ (remainder.shift() as number)
    remainder.push(0)
    for (let n = 0; n < count; n++)
      remainder[n] = (remainder[n] as number) ^ multiply(generator[n] as number, factor)
  }
  return remainder
}

/** Coefficients below the leading one, the highest first. */
const generatorOf = (degree: number): number[] => {
  let product = [1]
  for (let n = 0; n < degree; n++) {
    const next = Array.from({ length: product.length + 1 }, () => 0)
    for (const [position, coefficient] of product.entries()) {
      next[position] = (next[position] as number) ^ coefficient
      next[position + 1] = (next[position + 1] as number) ^ multiply(coefficient, EXP[n] as number)
    }
    product = next
  }
  return product.slice(1)
}
