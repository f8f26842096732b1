import { normalizeEncoding } from './percent-encoding.ts'

/** Name and value, percent-encoded. */
export type EncodedParameter = readonly [name: string, value: string]

/** Reads a query or a form body (without `?`). A parameter without `=` has an empty value. */
export const readParameters = (text: string): EncodedParameter[] =>
  text
    .split('&')
    .filter(pair => pair !== '')
    .map(pair => {
      const at = pair.indexOf('=')
      return at === -1 ? [readPart(pair), ''] : [readPart(pair.slice(0, at)), readPart(pair.slice(at + 1))]
    })

/** Sorts by name, then by value, in the order of their encoded octets. */
export const joinSorted = (parameters: readonly EncodedParameter[]): string =>
  parameters
    .toSorted(([nameA, valueA], [nameB, valueB]) => compare(nameA, nameB) || compare(valueA, valueB))
    .map(([name, value]) => `${name}=${value}`)
    .join('&')

const readPart = (part: string): string => normalizeEncoding(part.replaceAll('+', '%20'))

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
