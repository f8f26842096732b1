import { isAddressPart } from './template.ts'

/** The value, or the part of it that its pattern names. Null if it does not match. */
export const matchedValue = (found: string | null, pattern: string): string | null => {
  const match = found === null ? null : new RegExp(`^(?:${pattern})$`, 'u').exec(found)
  return match ? (match.groups?.value ?? match[0]) : null
}

/** As `matchedValue`, if URLs may contain the value. */
export const addressValue = (found: string | null, pattern: string): string | null => {
  const value = matchedValue(found, pattern)
  return value !== null && isAddressPart(value) ? value : null
}
