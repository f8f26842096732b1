import type { ArgumentRole, ArgumentRoles } from './argument-roles.ts'

/** One value of a call, as a person reads it before the decision. */
export type ApprovalValue = {
  /** Where it is in the arguments: `to`, `address.city`, `tags[0]`, `["a.b"]`. Empty: all arguments. */
  path: string
  kind: 'text' | 'number' | 'boolean' | 'null' | 'list' | 'object' | 'json'
  text: string
  /** Of the argument that it belongs to. */
  role: ArgumentRole | null
  /** Why it is not shown until the person opens it. Null: it is short. */
  folded: 'long' | 'binary' | null
}

export const approvalValueBounds = {
  /** Longer texts are folded. */
  characters: 2000,
  /** Texts with more lines are folded, so that no line breaks push a part of them out of sight. */
  lines: 40,
  /** With more values than this, the arguments are shown as one JSON text. */
  values: 200,
  pathLength: 200,
  /** A longer value of an earlier call is not shown again. */
  comparedCharacters: 300,
} as const

/** Who receives something, how much, and what is acted on come first; what may be long comes last. */
const ORDER: readonly (ArgumentRole | null)[] = ['recipient', 'amount', 'target', null, 'text', 'file']

/**
 * Every value of the arguments with its path, in the order of their roles. Arguments with very many values, or very long names, become
 * one JSON text.
 */
export const valuesOf = (
  args: Readonly<Record<string, unknown>>,
  roles: Readonly<ArgumentRoles> = {},
): ApprovalValue[] => {
  const values: ApprovalValue[] = []
  const roleOf = (name: string): ArgumentRole | null => (Object.hasOwn(roles, name) && roles[name]) || null
  const sorted = Object.entries(args).toSorted(
    ([a], [b]) => ORDER.indexOf(roleOf(a)) - ORDER.indexOf(roleOf(b)),
  )
  const isComplete = sorted.every(([name, value]) => collect(values, memberOf('', name), value, roleOf(name)))
  return isComplete ? values : [toValue('', 'json', JSON.stringify(args, null, 2), null)]
}

/** Returns whether all values fit the bounds. */
const collect = (
  values: ApprovalValue[],
  path: string,
  value: unknown,
  role: ArgumentRole | null,
): boolean => {
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : []
  if (entries.length === 0) {
    values.push(leafOf(path, value, role))
    return values.length <= approvalValueBounds.values && path.length <= approvalValueBounds.pathLength
  }
  const isList = Array.isArray(value)
  return entries.every(([name, child]) =>
    collect(values, isList ? `${path}[${name}]` : memberOf(path, name), child, role),
  )
}

const SIMPLE_NAME = /^[\p{L}_][\p{L}\p{N}_-]*$/u

const memberOf = (path: string, name: string): string => {
  if (!SIMPLE_NAME.test(name)) return `${path}[${JSON.stringify(name)}]`
  return path === '' ? name : `${path}.${name}`
}

const leafOf = (path: string, value: unknown, role: ArgumentRole | null): ApprovalValue =>
  typeof value === 'string'
    ? toValue(path, 'text', value, role)
    : toValue(path, kindOf(value), JSON.stringify(value), role)

const kindOf = (value: unknown): ApprovalValue['kind'] => {
  if (value === null) return 'null'
  if (typeof value === 'object') return Array.isArray(value) ? 'list' : 'object'
  return typeof value === 'number' ? 'number' : 'boolean'
}

const toValue = (
  path: string,
  kind: ApprovalValue['kind'],
  text: string,
  role: ArgumentRole | null,
): ApprovalValue => ({ path, kind, text, role, folded: foldingOf(text) })

/** Why a text is not shown until the person opens it. Null: it is short. */
export const foldingOf = (text: string): ApprovalValue['folded'] => {
  if (looksBinary(text)) return 'binary'
  const { characters, lines } = approvalValueBounds
  return text.length > characters || text.split('\n', lines + 1).length > lines ? 'long' : null
}

const MIN_ENCODED_LENGTH = 256
/** Base64 or hexadecimal, in lines of the usual length or in one. */
const ENCODED = /^(?:data:[^,]{0,100};base64,)?[A-Za-z0-9+/_-]{60}[A-Za-z0-9+/_=\r\n-]+$/
/** A text with more control characters than one in twenty is not a text. */
const MAX_CONTROL_SHARE = 0.05

const looksBinary = (text: string): boolean => {
  if (text.length >= MIN_ENCODED_LENGTH && ENCODED.test(text)) return true
  const controls = text.match(/[^\P{Cc}\r\n\t]|\uFFFD/gu)?.length ?? 0
  return controls > 0 && controls > text.length * MAX_CONTROL_SHARE && text.length >= MIN_ENCODED_LENGTH
}

/** How the values of a call differ from those of an earlier one. */
export type ValueChanges = {
  /** The earlier value of each path that has another one now. Null: it had none. */
  changed: ReadonlyMap<string, ApprovalValue | null>
  /** Earlier values whose paths the call does not have. */
  gone: readonly ApprovalValue[]
}

export const compareValues = (
  values: readonly ApprovalValue[],
  earlier: readonly ApprovalValue[],
): ValueChanges => {
  const before = new Map(earlier.map(value => [value.path, value]))
  const paths = new Set(values.map(({ path }) => path))
  const changed = values.flatMap(({ path, kind, text }): [string, ApprovalValue | null][] => {
    const known = before.get(path) ?? null
    return known?.kind === kind && known.text === text ? [] : [[path, known]]
  })
  return { changed: new Map(changed), gone: earlier.filter(({ path }) => !paths.has(path)) }
}

/** Whether an earlier value can stand beside its new one. Otherwise, a page only says that they differ. */
export const isComparable = ({ text, folded }: ApprovalValue): boolean =>
  folded === null && text.length <= approvalValueBounds.comparedCharacters
