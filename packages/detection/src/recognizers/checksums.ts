export const digitAt = (text: string, at: number): number => text.charCodeAt(at) - 48

export const weightedSum = (digits: string, weights: readonly number[]): number => {
  let sum = 0
  for (let at = 0; at < weights.length; at++) sum += digitAt(digits, at) * (weights[at] as number)
  return sum
}

/** ISO/IEC 7812-1 annex B. */
export const luhn = (digits: string): boolean => {
  let sum = 0
  let double = false
  for (let at = digits.length - 1; at >= 0; at--) {
    const digit = digitAt(digits, at)
    const value = double ? digit * 2 : digit
    sum += value > 9 ? value - 9 : value
    double = !double
  }
  return sum % 10 === 0
}

/** The remainder of a decimal number too long for a double. Letters count as 10 to 35 (ISO 7064, ISO 13616). */
export const remainder = (text: string, modulus: number): number => {
  let rest = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    rest = code > 57 ? (rest * 100 + code - 55) % modulus : (rest * 10 + code - 48) % modulus
  }
  return rest
}

/** ISO 7064 mod 11,10. */
export const mod1110 = (digits: string): boolean => {
  let product = 10
  for (let at = 0; at < digits.length - 1; at++) {
    const sum = (digitAt(digits, at) + product) % 10
    product = ((sum === 0 ? 10 : sum) * 2) % 11
  }
  return (11 - product) % 10 === digitAt(digits, digits.length - 1)
}

/** The multiplication table of the dihedral group of order ten, and the powers of Verhoeff's permutation, row by row. */
const PRODUCT = Uint8Array.from(
  '0123456789' +
    '1234067895' +
    '2340178956' +
    '3401289567' +
    '4012395678' +
    '5987604321' +
    '6598710432' +
    '7659821043' +
    '8765932104' +
    '9876543210',
  Number,
)
const PERMUTATION = Uint8Array.from(
  '0123456789' +
    '1576283094' +
    '5803796142' +
    '8916043527' +
    '9453126870' +
    '4286573901' +
    '2793806415' +
    '7046913258',
  Number,
)

export const verhoeff = (digits: string): boolean => {
  let state = 0
  for (let n = 0; n < digits.length; n++) {
    const digit = digitAt(digits, digits.length - 1 - n)
    state = PRODUCT[state * 10 + (PERMUTATION[(n % 8) * 10 + digit] as number)] as number
  }
  return state === 0
}

const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

export const isDayOfMonth = (month: number, day: number): boolean => day >= 1 && day <= (DAYS[month - 1] ?? 0)
