import type { ShapeRule } from '../rules/shape.ts'
import { luhn } from './checksums.ts'

/** Ranges of the first six digits, and the lengths that the issuer uses (ISO/IEC 7812, publications of issuers). */
const ISSUERS: readonly [from: number, to: number, lengths: readonly number[]][] = [
  [400000, 499999, [13, 16, 19]], // Visa
  [510000, 559999, [16]], // Mastercard
  [222100, 272099, [16]], // Mastercard
  [340000, 349999, [15]], // American Express
  [370000, 379999, [15]], // American Express
  [300000, 305999, [14, 16]], // Diners Club
  [309500, 309599, [14, 16]], // Diners Club
  [360000, 369999, [14, 16, 19]], // Diners Club
  [380000, 399999, [14, 16, 19]], // Diners Club
  [352800, 358999, [16, 17, 18, 19]], // JCB
  [601100, 601199, [16, 17, 18, 19]], // Discover
  [644000, 659999, [16, 17, 18, 19]], // Discover
  [622126, 622925, [16, 17, 18, 19]], // Discover and UnionPay
  [620000, 629999, [16, 17, 18, 19]], // UnionPay
  [810000, 817199, [16, 17, 18, 19]], // UnionPay
  [500000, 509999, [16, 19]], // Maestro, Elo, Verve
  [560000, 589999, [16, 19]], // Maestro
  [670000, 679999, [16, 19]], // Maestro
  [606900, 608999, [16]], // RuPay, Hipercard
  [220000, 220499, [16, 17, 18, 19]], // Mir
]

export const isCardNumber = (digits: string): boolean => {
  if (!luhn(digits)) return false
  const issuer = Number(digits.slice(0, 6))
  return ISSUERS.some(
    ([from, to, lengths]) => issuer >= from && issuer <= to && lengths.includes(digits.length),
  )
}

export const cardRules: readonly ShapeRule[] = [
  {
    entity: 'CREDIT_CARD',
    rule: 'card-grouped',
    shapes: [
      'D4 D4 D4 D4',
      'D4 D6 D5',
      'D4 D6 D4',
      'D4 D4 D4 D4 D3',
      'D8 D8',
      'D4 D4 D8',
      'D4 D4 D5',
      'D6 D10',
      'D6 D9',
      'D4 D12',
      'D12 D4',
      'D8 D4 D4',
      'D4 D8 D4',
      'D2 D2 D2 D2 D2 D2 D2 D2',
    ],
    check: isCardNumber,
    baseScore: 0.9,
    contextScore: 1,
  },
  {
    entity: 'CREDIT_CARD',
    rule: 'card',
    shapes: ['D16', 'D15', 'D14', 'D13', 'D17', 'D18', 'D19'],
    check: isCardNumber,
    baseScore: 0.7,
    contextScore: 1,
  },
]
