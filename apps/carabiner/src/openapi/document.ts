import { CommandError } from '@carabiner/cli'
import { isObject, readReference } from '@carabiner/server/connector-files'
import { parse as parseYaml } from 'yaml'

/** An untrusted part of a document. */
export type Part = Record<string, unknown>

const MAX_CHARACTERS = 20 * 1024 * 1024
/** Limits YAML aliases, because nested aliases can expand to any size. */
const MAX_ALIASES = 200

export const partsOf = (value: unknown): [string, unknown][] => (isObject(value) ? Object.entries(value) : [])
export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
export const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/** Parses JSON or YAML, and rejects anything but OpenAPI 3 with the reason. */
export const readOpenApi = (text: string, file: string): Part => {
  if (text.length > MAX_CHARACTERS) throw new CommandError(`${file} is larger than 20 MB.`)
  const document = parseText(text, file)
  if (!isObject(document)) throw new CommandError(`${file} is not an OpenAPI document: it must be an object.`)
  if (document.swagger !== undefined)
    throw new CommandError(
      `${file} is Swagger ${JSON.stringify(document.swagger)}. Convert it to OpenAPI 3 first.`,
    )
  if (!/^3\.[01]\.\d/.test(textOf(document.openapi) ?? ''))
    throw new CommandError(
      `${file} is not OpenAPI 3.0 or 3.1: "openapi" is ${JSON.stringify(document.openapi) ?? 'missing'}.`,
    )
  return document
}

const parseText = (text: string, file: string): unknown => {
  try {
    return /^\s*\{/.test(text)
      ? JSON.parse(text)
      : parseYaml(text, { maxAliasCount: MAX_ALIASES, merge: true, logLevel: 'error' })
  } catch (error) {
    throw new CommandError(`${file} cannot be read: ${(error as Error).message.split('\n')[0]}`)
  }
}

/** The reason why a part of a document was skipped. */
export class SkippedError extends Error {
  override name = 'SkippedError'
}

const MAX_HOPS = 20

export type Resolve = (value: unknown) => Part

/** Resolves references within the document. External references are not fetched, and unresolvable ones are reported. */
export const createResolve =
  (document: Part): Resolve =>
  value => {
    let current = value
    for (let hops = 0; hops <= MAX_HOPS; hops++) {
      if (!isObject(current)) throw new SkippedError('an object is required but missing')
      if (typeof current.$ref !== 'string') return current
      current = followReference(document, current.$ref)
    }
    throw new SkippedError('a reference is circular')
  }

const followReference = (document: Part, reference: string): unknown => {
  if (!reference.startsWith('#/'))
    throw new SkippedError(`it refers to ${reference.slice(0, 80)}, and external documents are not fetched`)
  const found = readReference(document, reference)
  if (found === undefined)
    throw new SkippedError(`it refers to ${reference.slice(0, 80)}, which does not exist`)
  return found
}
