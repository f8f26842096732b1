/** Computes check digits by brute force, independent of the implementation under test. */
const sum = (digits: string, weights: number[]): number =>
  weights.reduce((total, weight, at) => total + weight * Number(digits[at]), 0)

export const withLuhn = (body: string): string => {
  for (let check = 0; check < 10; check++) {
    const total = Array.from(`${body}${check}`)
      .toReversed()
      .reduce((all, digit, at) => {
        const value = Number(digit) * (at % 2 === 0 ? 1 : 2)
        return all + (value > 9 ? value - 9 : value)
      }, 0)
    if (total % 10 === 0) return `${body}${check}`
  }
  throw new Error('unreachable')
}

/** Returns null if no check digit is valid. */
export const withWeights = (body: string, weights: number[], modulus: number, rest = 0): string | null => {
  for (let check = 0; check < 10; check++)
    if (sum(`${body}${check}`, weights) % modulus === rest) return `${body}${check}`
  return null
}

const asNumber = (text: string): bigint =>
  BigInt(
    Array.from(text)
      .map(character => String(Number.parseInt(character, 36)))
      .join(''),
  )

export const withIbanCheck = (country: string, account: string): string => {
  const check = 98n - (asNumber(`${account}${country}00`) % 97n)
  return `${country}${String(check).padStart(2, '0')}${account}`
}

export const withNirKey = (body: string): string => {
  const number = BigInt(body.replace('2A', '19').replace('2B', '18'))
  return `${body}${String(97n - (number % 97n)).padStart(2, '0')}`
}

export const withMod1110 = (body: string): string => {
  let product = 10
  for (const digit of body) {
    let value = (Number(digit) + product) % 10
    if (value === 0) value = 10
    product = (value * 2) % 11
  }
  return `${body}${(11 - product) % 10}`
}

const multiply = (a: number, b: number): number => {
  // The dihedral group D5: rotations 0 to 4, reflections 5 to 9.
  const [x, y] = [a % 5, b % 5]
  if (a < 5) return b < 5 ? (x + y) % 5 : 5 + ((x + y) % 5)
  return b < 5 ? 5 + ((((x - y) % 5) + 5) % 5) : (((x - y) % 5) + 5) % 5
}
const PERMUTATION = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4]
const permuted = (digit: number, times: number): number =>
  times === 0 ? digit : permuted(PERMUTATION[digit] as number, times - 1)

export const withVerhoeff = (body: string): string => {
  for (let check = 0; check < 10; check++) {
    const state = Array.from(`${body}${check}`)
      .toReversed()
      .reduce((total, digit, at) => multiply(total, permuted(Number(digit), at % 8)), 0)
    if (state === 0) return `${body}${check}`
  }
  throw new Error('unreachable')
}

const ODD: Record<string, number> = Object.fromEntries(
  Array.from('BAKPLCQDREVOSFTGUHMINJWZYX').flatMap((letter, value) => [
    [letter, value],
    ...(letter <= 'J' ? [[String(letter.charCodeAt(0) - 65), value]] : []),
  ]),
)

export const withFiscalCheck = (body: string): string => {
  const total = Array.from(body).reduce(
    (all, character, at) =>
      all +
      (at % 2 === 0
        ? (ODD[character] as number)
        : Number.parseInt(character, 36) - (character > '9' ? 10 : 0)),
    0,
  )
  return `${body}${String.fromCharCode(65 + (total % 26))}`
}
