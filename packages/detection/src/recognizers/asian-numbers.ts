import type { ShapeRule } from '../rules/shape.ts'
import { digitAt, verhoeff, weightedSum } from './checksums.ts'

/** UIDAI: no leading 0 or 1, no palindrome, a Verhoeff check digit. */
const isAadhaar = (digits: string): boolean =>
  /^[2-9]/.test(digits) && verhoeff(digits) && !isPalindrome(digits)
const isPalindrome = (text: string): boolean => text === Array.from(text).toReversed().join('')

/** The fourth letter is the type of taxpayer. */
const isPan = (compact: string): boolean => /^[A-Z]{3}[ABCFGHJLPT][A-Z]\d{4}[A-Z]$/.test(compact)

const GSTIN = /^(?:0[1-9]|[12]\d|3[0-8]|9[79])[A-Z]{3}[ABCFGHJLPT][A-Z]\d{4}[A-Z][1-9A-Z]Z[0-9A-Z]$/
const isGstin = (compact: string): boolean => {
  if (!GSTIN.test(compact)) return false
  let sum = 0
  for (let at = 0; at < 14; at++) {
    const product = valueOf36(compact, at) * (at % 2 === 0 ? 1 : 2)
    sum += Math.floor(product / 36) + (product % 36)
  }
  return (36 - (sum % 36)) % 36 === valueOf36(compact, 14)
}
const valueOf36 = (text: string, at: number): number => {
  const code = text.charCodeAt(at)
  return code > 57 ? code - 55 : code - 48
}

const isTfn = (digits: string): boolean =>
  weightedSum(digits, [1, 4, 3, 7, 5, 8, 6, 9, 10]) % 11 === 0 && !/^(\d)\1+$/.test(digits)
const isAbn = (digits: string): boolean =>
  digits[0] !== '0' && (weightedSum(digits, [10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19]) - 10) % 89 === 0
const isAcn = (digits: string): boolean =>
  (10 - (weightedSum(digits, [8, 7, 6, 5, 4, 3, 2, 1]) % 10)) % 10 === digitAt(digits, 8)
const isMedicare = (digits: string): boolean =>
  /^[2-6]/.test(digits) &&
  weightedSum(digits, [1, 3, 7, 9, 1, 3, 7, 9]) % 10 === digitAt(digits, 8) &&
  digits[9] !== '0'

/** The check letters and the offset of each series. */
const SERIES: Record<string, [offset: number, letters: string]> = {
  S: [0, 'JZIHGFEDCBA'],
  T: [4, 'JZIHGFEDCBA'],
  F: [0, 'XWUTRQPNMLK'],
  G: [4, 'XWUTRQPNMLK'],
  M: [3, 'XWUTRQPNJLK'],
}
const isNric = (compact: string): boolean => {
  const series = SERIES[compact[0] as string]
  if (!series || !/^.\d{7}[A-Z]$/.test(compact)) return false
  const [offset, letters] = series
  return letters[(weightedSum(compact.slice(1), [2, 7, 6, 5, 4, 3, 2]) + offset) % 11] === compact[8]
}

export const asianRules: readonly ShapeRule[] = [
  {
    entity: 'IN_AADHAAR',
    rule: 'aadhaar-grouped',
    shapes: ['D4 D4 D4'],
    check: isAadhaar,
    baseScore: 0.6,
    contextScore: 0.95,
  },
  {
    entity: 'IN_AADHAAR',
    rule: 'aadhaar',
    shapes: ['D12'],
    check: isAadhaar,
    baseScore: 0.3,
    contextScore: 0.95,
  },
  { entity: 'IN_PAN', rule: 'pan', shapes: ['M10'], check: isPan, baseScore: 0.8, contextScore: 0.95 },
  { entity: 'IN_GSTIN', rule: 'gstin', shapes: ['M15'], check: isGstin, baseScore: 0.9, contextScore: 1 },
  {
    entity: 'IN_VOTER',
    rule: 'epic',
    shapes: ['M10'],
    check: compact => /^[A-Z]{3}\d{7}$/.test(compact),
    baseScore: 0.2,
    contextScore: 0.8,
  },
  {
    entity: 'IN_PASSPORT',
    rule: 'indian-passport',
    shapes: ['M8'],
    check: compact => /^[A-PR-WY][1-9]\d{5}[1-9]$/.test(compact),
    baseScore: 0.1,
    contextScore: 0.7,
  },
  {
    entity: 'AU_TFN',
    rule: 'tfn-grouped',
    shapes: ['D3 D3 D3'],
    check: isTfn,
    baseScore: 0.3,
    contextScore: 0.95,
  },
  { entity: 'AU_TFN', rule: 'tfn', shapes: ['D9'], check: isTfn, baseScore: 0.15, contextScore: 0.9 },
  {
    entity: 'AU_ABN',
    rule: 'abn-grouped',
    shapes: ['D2 D3 D3 D3'],
    check: isAbn,
    baseScore: 0.6,
    contextScore: 0.95,
  },
  { entity: 'AU_ABN', rule: 'abn', shapes: ['D11'], check: isAbn, baseScore: 0.35, contextScore: 0.9 },
  {
    entity: 'AU_ACN',
    rule: 'acn',
    shapes: ['D9', 'D3 D3 D3'],
    check: isAcn,
    baseScore: 0.15,
    contextScore: 0.9,
  },
  {
    entity: 'AU_MEDICARE',
    rule: 'medicare-grouped',
    shapes: ['D4 D5 D1', 'D4 D5 D1 D1'],
    check: isMedicare,
    baseScore: 0.55,
    contextScore: 0.95,
  },
  {
    entity: 'AU_MEDICARE',
    rule: 'medicare',
    shapes: ['D10', 'D11'],
    check: isMedicare,
    baseScore: 0.15,
    contextScore: 0.9,
  },
  { entity: 'SG_NRIC_FIN', rule: 'nric', shapes: ['M9'], check: isNric, baseScore: 0.8, contextScore: 0.95 },
]
