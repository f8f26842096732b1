import type { ShapeRule } from '../rules/shape.ts'
import { digitAt, isDayOfMonth, luhn, mod1110, remainder, weightedSum } from './checksums.ts'

const isNhs = (digits: string): boolean => {
  const check = 11 - (weightedSum(digits, [10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11)
  return (check === 11 ? 0 : check) === digitAt(digits, 9) && !/^(\d)\1+$/.test(digits)
}

/** HMRC manual NIM39110: letters that are not used, and prefixes that are not allocated. */
const isNino = (compact: string): boolean =>
  /^(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]\d{6}[A-D]$/.test(compact)

/** § 139b AO: no leading zero, ISO 7064 mod 11,10, and exactly one of the first ten digits occurs two or three times. */
const isTaxId = (digits: string): boolean => {
  if (digits[0] === '0' || !mod1110(digits)) return false
  const counts = Array.from({ length: 10 }, () => 0)
  for (let at = 0; at < 10; at++) (counts[digitAt(digits, at)] as number)++
  const repeated = counts.filter(count => count > 1)
  return repeated.length === 1 && (repeated[0] as number) <= 3 && !/(\d)\1\1/.test(digits.slice(0, 10))
}

/** § 4 VKVV: area, date of birth, initial, serial number, check digit. Letters count as two digits; digit sums are added. */
const isPensionNumber = (compact: string): boolean => {
  if (!/^\d{8}[A-Z]\d{3}$/.test(compact)) return false
  const day = Number(compact.slice(2, 4))
  if (!isDayOfMonth(Number(compact.slice(4, 6)), day > 50 ? day - 50 : day)) return false
  const letter = String(compact.charCodeAt(8) - 64).padStart(2, '0')
  const digits = compact.slice(0, 8) + letter + compact.slice(9, 11)
  const weights = [2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1]
  const sum = weights.reduce((total, weight, at) => {
    const product = digitAt(digits, at) * weight
    return total + Math.floor(product / 10) + (product % 10)
  }, 0)
  return sum % 10 === digitAt(compact, 11)
}

/** ICAO 9303: check digit with weights 7, 3, 1 over the serial number of an identity card or passport. */
const isDocumentNumber = (compact: string): boolean => {
  if (!/^[CFGHJKLMNPRTVWXYZ0-9]{9}\d$/.test(compact) || !/^[A-Z]/.test(compact)) return false
  let sum = 0
  for (let at = 0; at < 9; at++) {
    const code = compact.charCodeAt(at)
    sum += (code > 57 ? code - 55 : code - 48) * ([7, 3, 1][at % 3] as number)
  }
  return sum % 10 === digitAt(compact, 9)
}

/** Sex, year, month, place, serial number, key. The departments of Corsica, 2A and 2B, count as 19 and 18. */
const isNir = (compact: string): boolean => {
  if (!/^[1-478]\d\d(?:0[1-9]|1[0-2]|[2-9]\d)(?:\d\d|2[AB])\d{8}$/.test(compact)) return false
  const digits = compact.replace('2A', '19').replace('2B', '18')
  return 97 - remainder(digits.slice(0, 13), 97) === Number(digits.slice(13))
}

const isSpanish = (compact: string, number: string): boolean =>
  'TRWAGMYFPDXBNJZSQVHLCKE'[Number(number) % 23] === compact.at(-1)
const isNif = (compact: string): boolean =>
  /^\d{8}[A-Z]$/.test(compact) && isSpanish(compact, compact.slice(0, 8))
const isNie = (compact: string): boolean =>
  /^[XYZ]\d{7}[A-Z]$/.test(compact) &&
  isSpanish(compact, 'XYZ'.indexOf(compact[0] as string) + compact.slice(1, 8))

/** Decree of 12 March 1974: values of characters in odd positions. Letters replace digits if two people have the same code. */
const ODD = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23]
const FISCAL = /^[A-Z]{6}[\dLMNP-V]{2}[A-EHLMPRST][\dLMNP-V]{2}[A-Z][\dLMNP-V]{3}[A-Z]$/
const isFiscalCode = (compact: string): boolean => {
  if (!FISCAL.test(compact)) return false
  let sum = 0
  for (let at = 0; at < 15; at++) {
    const code = compact.charCodeAt(at)
    const value = code > 57 ? code - 65 : code - 48
    sum += at % 2 === 0 ? (ODD[value] as number) : value
  }
  return String.fromCharCode(65 + (sum % 26)) === compact[15]
}

const isItalianVat = (digits: string): boolean => luhn(digits) && !/^0{7}/.test(digits)

/** The month includes the century: 80 is added for 1800, 20 for 2000 and so on. */
const isPesel = (digits: string): boolean =>
  isDayOfMonth(Number(digits.slice(2, 4)) % 20, Number(digits.slice(4, 6))) &&
  weightedSum(digits, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1]) % 10 === 0

export const europeanRules: readonly ShapeRule[] = [
  {
    entity: 'UK_NHS',
    rule: 'nhs-grouped',
    shapes: ['D3 D3 D4'],
    check: isNhs,
    baseScore: 0.45,
    contextScore: 0.95,
  },
  { entity: 'UK_NHS', rule: 'nhs', shapes: ['D10'], check: isNhs, baseScore: 0.2, contextScore: 0.9 },
  { entity: 'UK_NINO', rule: 'nino', shapes: ['M9'], check: isNino, baseScore: 0.75, contextScore: 0.95 },
  {
    entity: 'UK_NINO',
    rule: 'nino-grouped',
    shapes: ['L2 D2 D2 D2 L1', 'L2 D6 L1', 'M8 L1', 'L2 M7', 'M4 D2 D2 L1'],
    check: isNino,
    baseScore: 0.7,
    contextScore: 0.95,
  },
  {
    entity: 'DE_TAX_ID',
    rule: 'steuer-id-grouped',
    shapes: ['D2 D3 D3 D3'],
    check: isTaxId,
    baseScore: 0.6,
    contextScore: 0.95,
  },
  {
    entity: 'DE_TAX_ID',
    rule: 'steuer-id',
    shapes: ['D11'],
    check: isTaxId,
    baseScore: 0.3,
    contextScore: 0.95,
  },
  {
    entity: 'DE_SOCIAL_SECURITY',
    rule: 'rentenversicherung',
    shapes: ['M12', 'D2 D6 L1 D3', 'D8 L1 D3', 'D2 D6 M4'],
    check: isPensionNumber,
    baseScore: 0.8,
    contextScore: 0.95,
  },
  {
    entity: 'DE_ID_CARD',
    rule: 'personalausweis',
    shapes: ['M10', 'M9 D1'],
    check: isDocumentNumber,
    baseScore: 0.2,
    contextScore: 0.85,
  },
  {
    entity: 'FR_NIR',
    rule: 'nir-grouped',
    shapes: [
      'D1 D2 D2 D2 D3 D3 D2',
      'D13 D2',
      'D1 D2 D2 M2 D3 D3 D2',
      'M13 D2',
      'D1 D12 D2',
      'D1 D2 D2 D5 D3 D2',
    ],
    check: isNir,
    baseScore: 0.9,
    contextScore: 1,
  },
  { entity: 'FR_NIR', rule: 'nir', shapes: ['D15', 'M15'], check: isNir, baseScore: 0.75, contextScore: 1 },
  {
    entity: 'ES_NIF',
    rule: 'nif',
    shapes: ['M9', 'D8 L1', 'D2 D3 D3 L1', 'D2 D3 M4'],
    check: isNif,
    baseScore: 0.6,
    contextScore: 0.95,
  },
  {
    entity: 'ES_NIE',
    rule: 'nie',
    shapes: ['M9', 'L1 D7 L1', 'M8 L1', 'L1 M8'],
    check: isNie,
    baseScore: 0.7,
    contextScore: 0.95,
  },
  {
    entity: 'IT_FISCAL_CODE',
    rule: 'codice-fiscale',
    shapes: ['M16', 'L3 L3 M5 M5', 'L6 M5 M5'],
    check: isFiscalCode,
    baseScore: 0.95,
    contextScore: 1,
  },
  {
    entity: 'IT_VAT_CODE',
    rule: 'partita-iva',
    shapes: ['D11'],
    check: isItalianVat,
    baseScore: 0.1,
    contextScore: 0.85,
  },
  {
    entity: 'PL_PESEL',
    rule: 'pesel',
    shapes: ['D11', 'D6 D5'],
    check: isPesel,
    baseScore: 0.4,
    contextScore: 0.95,
  },
]
