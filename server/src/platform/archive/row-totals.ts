import { hash } from 'node:crypto'

/** The number of rows, and the sum of their SHA-256 hashes modulo 2^256. */
export type RowTotal = { rows: number; checksum: bigint }

const MODULUS = 1n << 256n

export const NO_ROWS: RowTotal = { rows: 0, checksum: 0n }

/** A sum does not depend on the order of the rows, which differs between databases with different collations. */
export const addRows = (total: RowTotal, lines: readonly string[]): RowTotal => ({
  rows: total.rows + lines.length,
  checksum: lines.reduce((sum, line) => sum + BigInt(`0x${hash('sha256', line)}`), total.checksum) % MODULUS,
})

export const subtractTotal = (total: RowTotal, part: RowTotal): RowTotal => ({
  rows: total.rows - part.rows,
  checksum: (total.checksum - part.checksum + MODULUS) % MODULUS,
})

export const isEqualTotal = (a: RowTotal, b: RowTotal): boolean =>
  a.rows === b.rows && a.checksum === b.checksum

export const writeChecksum = (checksum: bigint): string => checksum.toString(16).padStart(64, '0')

export const readChecksum = (text: string): bigint => BigInt(`0x${text}`)

export type RowTotals = Map<string, RowTotal>

export const addToTotals = (totals: RowTotals, table: string, lines: readonly string[]): void => {
  totals.set(table, addRows(totals.get(table) ?? NO_ROWS, lines))
}
