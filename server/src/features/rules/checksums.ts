/** Check digits, over strings that hold nothing but what the names say. */
export const digitAt = (text: string, at: number): number => text.charCodeAt(at) - 48

export const weighted = (digits: string, weights: readonly number[]): number => {
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

/** The remainder of a decimal number too long for a double; letters count 10 to 35, as ISO 7064 and ISO 13616 have it. */
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

/** The dihedral group of order ten, and the powers of Verhoeff's permutation. */
const PRODUCT = [
  [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
  [1, 2, 3, 4, 0, 6, 7, 8, 9, 5],
  [2, 3, 4, 0, 1, 7, 8, 9, 5, 6],
  [3, 4, 0, 1, 2, 8, 9, 5, 6, 7],
  [4, 0, 1, 2, 3, 9, 5, 6, 7, 8],
  [5, 9, 8, 7, 6, 0, 4, 3, 2, 1],
  [6, 5, 9, 8, 7, 1, 0, 4, 3, 2],
  [7, 6, 5, 9, 8, 2, 1, 0, 4, 3],
  [8, 7, 6, 5, 9, 3, 2, 1, 0, 4],
  [9, 8, 7, 6, 5, 4, 3, 2, 1, 0],
]
const PERMUTATION = [
  [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
  [1, 5, 7, 6, 2, 8, 3, 0, 9, 4],
  [5, 8, 0, 3, 7, 9, 6, 1, 4, 2],
  [8, 9, 1, 6, 0, 4, 3, 5, 2, 7],
  [9, 4, 5, 3, 1, 2, 6, 8, 7, 0],
  [4, 2, 8, 6, 5, 7, 3, 9, 0, 1],
  [2, 7, 9, 3, 8, 0, 6, 4, 1, 5],
  [7, 0, 4, 6, 9, 1, 3, 2, 5, 8],
]

export const verhoeff = (digits: string): boolean => {
  let state = 0
  for (let n = 0; n < digits.length; n++) {
    const digit = digitAt(digits, digits.length - 1 - n)
    state = PRODUCT[state]?.[PERMUTATION[n % 8]?.[digit] as number] as number
  }
  return state === 0
}

const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

export const isDay = (month: number, day: number): boolean => day >= 1 && day <= (DAYS[month - 1] ?? 0)
