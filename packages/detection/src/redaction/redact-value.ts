import type { Place, ValueMatch } from '../scan/match.ts'
import { placeholderFor } from './placeholder.ts'

/** Replaces a span of a text. */
type Edit = { start: number; end: number; replacement: string }
/** The edits of a value, as a tree along its paths. */
type Edits = { own: Edit[]; key: Edit[]; members: Map<string | number, Edits> }

const newEdits = (): Edits => ({ own: [], key: [], members: new Map() })

/**
 * Returns the value with a placeholder for every match. Parts without a match are shared with the original, which is not
 * changed. A redacted number becomes a string; keys that get the same placeholder are numbered.
 *
 * @example
 * redactValue(value, scanValue(value, rules))
 */
export const redactValue = (value: unknown, matches: readonly ValueMatch[]): unknown => {
  const root = newEdits()
  const placeholders = new Map<string, string>()
  for (const { entity, places } of matches) {
    let replacement = placeholders.get(entity)
    if (replacement === undefined) placeholders.set(entity, (replacement = placeholderFor(entity)))
    for (const place of places) {
      addEdit(root, place, replacement)
      replacement = ''
    }
  }
  return apply(value, root)
}

const addEdit = (root: Edits, { path, in: where, start, end }: Place, replacement: string): void => {
  let edits = root
  for (const step of path) {
    const next = edits.members.get(step) ?? newEdits()
    edits.members.set(step, next)
    edits = next
  }
  ;(where === 'key' ? edits.key : edits.own).push({ start, end, replacement })
}

const apply = (value: unknown, { own, members }: Edits): unknown => {
  if (typeof value === 'string') return applyEdits(value, own)
  if (typeof value === 'number') return own[0]?.replacement ?? value
  if (members.size === 0 || typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item, at) => applyMember(item, members.get(at)))
  return applyToObject(value as Record<string, unknown>, members)
}

const applyMember = (value: unknown, edits: Edits | undefined): unknown =>
  edits ? apply(value, edits) : value

/** Keys that get the same placeholder are numbered. `fromEntries` treats `__proto__` like any other key. */
const applyToObject = (
  value: Record<string, unknown>,
  members: Edits['members'],
): Record<string, unknown> => {
  const existing = new Set(Object.keys(value))
  const taken = new Set<string>()
  const counts = new Map<string, number>()
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      const edits = members.get(key)
      const redacted = edits && edits.key.length > 0 ? applyEdits(key, edits.key) : key
      const name = redacted === key ? key : freeName(redacted, taken, existing, counts)
      taken.add(name)
      return [name, applyMember(member, edits)]
    }),
  )
}

const freeName = (
  name: string,
  taken: ReadonlySet<string>,
  existing: ReadonlySet<string>,
  counts: Map<string, number>,
): string => {
  const isFree = (candidate: string): boolean => !taken.has(candidate) && !existing.has(candidate)
  if (isFree(name)) return name
  // Continuing after the last number keeps this linear for thousands of equal placeholders.
  const last = counts.get(name) ?? 1
  for (let n = last + 1; ; n++)
    if (isFree(`${name} ${n}`)) {
      counts.set(name, n)
      return `${name} ${n}`
    }
}

/** Edits are mostly sorted already. */
const sortEdits = (edits: Edit[]): Edit[] => {
  const isAfter = (edit: Edit, before: Edit): boolean =>
    edit.start > before.start || (edit.start === before.start && edit.end <= before.end)
  return edits.every((edit, n) => n === 0 || isAfter(edit, edits[n - 1] as Edit))
    ? edits
    : edits.toSorted((a, b) => a.start - b.start || b.end - a.end)
}

/** Of overlapping edits, the first inserts its placeholder; the text that the others cover is removed as well. */
const applyEdits = (text: string, edits: Edit[]): string => {
  if (edits.length === 0) return text
  let result = ''
  let at = 0
  for (const { start, end, replacement } of sortEdits(edits)) {
    if (start >= at) result += text.slice(at, start) + replacement
    at = Math.max(at, end)
  }
  return result + text.slice(at)
}
