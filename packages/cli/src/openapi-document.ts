import { parse as parseYaml } from 'yaml'
import { UsageError } from './output.ts'

/** A part of a document whose shape nobody has promised. */
export type Part = Record<string, unknown>

const MAX_CHARACTERS = 20 * 1024 * 1024
/** A YAML alias stands for a part of the text; enough of them within one another fill any memory. */
const MAX_ALIASES = 200

export const isPart = (value: unknown): value is Part =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
export const partsOf = (value: unknown): [string, unknown][] => (isPart(value) ? Object.entries(value) : [])
export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
export const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/** Reads JSON or YAML, and says what is wrong with anything that is not OpenAPI 3. */
export const readOpenApi = (text: string, file: string): Part => {
  if (text.length > MAX_CHARACTERS) throw new UsageError(`${file} is larger than 20 MB.`)
  const document = parseText(text, file)
  if (!isPart(document)) throw new UsageError(`${file} is not an OpenAPI document: it holds no object.`)
  if (document.swagger !== undefined)
    throw new UsageError(
      `${file} is Swagger ${JSON.stringify(document.swagger)}. Convert it to OpenAPI 3 first.`,
    )
  if (!/^3\.[01]\.\d/.test(textOf(document.openapi) ?? ''))
    throw new UsageError(
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
    throw new UsageError(`${file} cannot be read: ${(error as Error).message.split('\n')[0]}`)
  }
}

/** Why a part of a document was not taken over. */
export class Untaken extends Error {
  override name = 'Untaken'
}

const MAX_HOPS = 20

export type Resolve = (value: unknown) => Part

/** Follows references within the document. One that leads out of it is never fetched, and one that leads nowhere is told. */
export const createResolve =
  (document: Part): Resolve =>
  value => {
    let current = value
    for (let hops = 0; hops <= MAX_HOPS; hops++) {
      if (!isPart(current)) throw new Untaken('something is not an object where one belongs')
      if (typeof current.$ref !== 'string') return current
      current = followReference(document, current.$ref)
    }
    throw new Untaken('a reference leads back to itself')
  }

const followReference = (document: Part, reference: string): unknown => {
  if (!reference.startsWith('#/'))
    throw new Untaken(
      `it refers to ${reference.slice(0, 80)}, and nothing outside of the document is fetched`,
    )
  const steps = reference
    .slice(2)
    .split('/')
    .map(step => decodeStep(step))
  const found = steps.reduce<unknown>(
    (value, step) => (isContainer(value) && Object.hasOwn(value, step) ? value[step] : undefined),
    document,
  )
  if (found === undefined) throw new Untaken(`it refers to ${reference.slice(0, 80)}, which is not there`)
  return found
}

const isContainer = (value: unknown): value is Part => value !== null && typeof value === 'object'

const decodeStep = (step: string): string => {
  const plain = step.replaceAll('~1', '/').replaceAll('~0', '~')
  try {
    return decodeURIComponent(plain)
  } catch {
    return plain
  }
}
