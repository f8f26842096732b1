import type { FormMethod } from '@carabiner/contract'
import { namesIn } from '../templates/template.ts'

/**
 * Names of the fields that may contain any character, such as a password with spaces: their values are sent in bodies, queries or HTTP
 * Basic, which encode them. A header cannot.
 */
export const freeTextFields = (method: FormMethod): ReadonlySet<string> => {
  const inHeaders = new Set(namesIn(headersIn(method)))
  return new Set(namesIn(method).filter(name => !inHeaders.has(name)))
}

/** The templates of all headers that a method describes. */
const headersIn = (part: unknown): unknown[] =>
  part !== null && typeof part === 'object'
    ? Object.entries(part).flatMap(([name, value]) => (name === 'headers' ? [value] : headersIn(value)))
    : []
