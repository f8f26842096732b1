import type { ShapeRule } from '../rules/shape.ts'
import { digitAt, weightedSum } from './checksums.ts'

/** SSA: no area 000, 666 or 900 to 999, no group 00, no serial number 0000. */
const isSsn = (digits: string): boolean => !/^(?:000|666|9)|^\d{3}00|0000$|^(\d)\1{8}$/.test(digits)

/** IRS: 9xx, and a fourth and fifth digit of 50 to 65, 70 to 88, 90 to 92 or 94 to 99. */
const isItin = (digits: string): boolean => /^9\d\d(?:5\d|6[0-5]|7\d|8[0-8]|9[0-24-9])/.test(digits)

/** ABA: the prefixes of the Federal Reserve, and a checksum with weights 3, 7, 1. */
const isRoutingNumber = (digits: string): boolean =>
  /^(?:0[1-9]|1[0-2]|2[1-9]|3[0-2]|6[1-9]|7[0-2]|80)/.test(digits) &&
  weightedSum(digits, [3, 7, 1, 3, 7, 1, 3, 7, 1]) % 10 === 0

/** DEA registration: a letter for the type of registrant, one of the name, and a check digit. */
const isDeaNumber = (compact: string): boolean =>
  /^[A-HJ-NPR-UX][A-Z9]\d{7}$/.test(compact) &&
  (digitAt(compact, 2) +
    digitAt(compact, 4) +
    digitAt(compact, 6) +
    2 * (digitAt(compact, 3) + digitAt(compact, 5) + digitAt(compact, 7))) %
    10 ===
    digitAt(compact, 8)

/** Formats differ by state. Most are up to two letters and digits, or digits only. */
const isLicense = (compact: string): boolean =>
  /^[A-Z]{0,2}\d{5,14}[A-Z]?$|^\d{2}[A-Z]{3}\d{5}$/.test(compact)

const isNotConstant = (digits: string): boolean => !/^(\d)\1+$/.test(digits)

const nineDigitRules = (
  entity: string,
  check: (digits: string) => boolean,
  scores: [dashed: number, grouped: number, bare: number],
): ShapeRule[] => {
  const rule = entity.toLowerCase().replace('_', '-')
  const [dashed, grouped, bare] = scores
  return [
    {
      entity,
      rule: `${rule}-dashed`,
      shapes: ['D3 D2 D4'],
      separator: '-',
      check,
      baseScore: dashed,
      contextScore: 0.95,
    },
    { entity, rule: `${rule}-grouped`, shapes: ['D3 D2 D4'], check, baseScore: grouped, contextScore: 0.9 },
    { entity, rule, shapes: ['D9'], check, baseScore: bare, contextScore: 0.8 },
  ]
}

export const americanRules: readonly ShapeRule[] = [
  ...nineDigitRules('US_SSN', isSsn, [0.85, 0.5, 0.05]),
  ...nineDigitRules('US_ITIN', isItin, [0.85, 0.5, 0.1]),
  {
    entity: 'US_BANK_NUMBER',
    rule: 'aba-routing',
    shapes: ['D9'],
    check: isRoutingNumber,
    baseScore: 0.15,
    contextScore: 0.85,
  },
  {
    entity: 'US_BANK_NUMBER',
    rule: 'aba-routing-grouped',
    shapes: ['D4 D4 D1'],
    check: isRoutingNumber,
    baseScore: 0.3,
    contextScore: 0.85,
  },
  {
    entity: 'US_BANK_NUMBER',
    rule: 'bank-account',
    shapes: ['D8', 'D9', 'D10', 'D11', 'D12', 'D13', 'D14', 'D15', 'D16', 'D17'],
    check: isNotConstant,
    baseScore: 0.05,
    contextScore: 0.6,
  },
  {
    entity: 'US_PASSPORT',
    rule: 'us-passport',
    shapes: ['D9'],
    check: isNotConstant,
    baseScore: 0.05,
    contextScore: 0.65,
  },
  {
    entity: 'US_PASSPORT',
    rule: 'us-passport-letter',
    shapes: ['M9'],
    check: compact => /^[A-Z]\d{8}$/.test(compact),
    baseScore: 0.1,
    contextScore: 0.7,
  },
  {
    entity: 'US_DRIVER_LICENSE',
    rule: 'driver-license',
    shapes: ['D7', 'D8', 'D9', 'D10', 'D12', ...Array.from({ length: 10 }, (_, n) => `M${n + 6}`)],
    check: isLicense,
    baseScore: 0.05,
    contextScore: 0.65,
  },
  {
    entity: 'US_DRIVER_LICENSE',
    rule: 'driver-license-grouped',
    shapes: ['M4 D3 D2 D3 D1', 'M4 D3 D3 D3', 'M4 D4 D4', 'M5 D5 D5', 'D3 D3 D3', 'D2 D3 D4'],
    check: isLicense,
    baseScore: 0.05,
    contextScore: 0.65,
  },
  {
    entity: 'MEDICAL_LICENSE',
    rule: 'dea',
    shapes: ['M9'],
    check: isDeaNumber,
    baseScore: 0.55,
    contextScore: 0.95,
  },
]
