import type { Place, ValueMatch } from './match.ts'
import { placeholderFor } from './placeholder.ts'

type Edit = { start: number; end: number; by: string }
/** The edits of a value, as a tree that follows its paths. */
type Edits = { own: Edit[]; key: Edit[]; members: Map<string | number, Edits> }

const newEdits = (): Edits => ({ own: [], key: [], members: new Map() })

/** The value with a placeholder for every match. What has no match in it is shared with the value that was given. */
export const redactValue = (value: unknown, matches: readonly ValueMatch[]): unknown => {
  const root = newEdits()
  const placeholders = new Map<string, string>()
  for (const { entity, places } of matches) {
    let by = placeholders.get(entity)
    if (by === undefined) placeholders.set(entity, (by = placeholderFor(entity)))
    for (const place of places) {
      addEdit(root, place, by)
      by = ''
    }
  }
  return apply(value, root)
}

const addEdit = (root: Edits, { path, in: where, start, end }: Place, by: string): void => {
  let edits = root
  for (const step of path) {
    const next = edits.members.get(step) ?? newEdits()
    edits.members.set(step, next)
    edits = next
  }
  ;(where === 'key' ? edits.key : edits.own).push({ start, end, by })
}

const apply = (value: unknown, { own, members }: Edits): unknown => {
  if (typeof value === 'string') return edit(value, own)
  // A number has no room for a placeholder: it becomes a text.
  if (typeof value === 'number') return own[0]?.by ?? value
  if (members.size === 0 || typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item, at) => applyMember(item, members.get(at)))
  return applyToObject(value as Record<string, unknown>, members)
}

const applyMember = (value: unknown, edits: Edits | undefined): unknown =>
  edits ? apply(value, edits) : value

/** Keys stay apart: two that became the same placeholder are numbered. `fromEntries` takes `__proto__` as any other key. */
const applyToObject = (
  value: Record<string, unknown>,
  members: Edits['members'],
): Record<string, unknown> => {
  const given = new Set(Object.keys(value))
  const taken = new Set<string>()
  const counts = new Map<string, number>()
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      const edits = members.get(key)
      const redacted = edits && edits.key.length > 0 ? edit(key, edits.key) : key
      const name = redacted === key ? key : freeName(redacted, taken, given, counts)
      taken.add(name)
      return [name, applyMember(member, edits)]
    }),
  )
}

const freeName = (
  name: string,
  taken: ReadonlySet<string>,
  given: ReadonlySet<string>,
  counts: Map<string, number>,
): string => {
  const isFree = (candidate: string): boolean => !taken.has(candidate) && !given.has(candidate)
  if (isFree(name)) return name
  // Not from the first number on, each time: of ten thousand keys each finds its own at once.
  const last = counts.get(name) ?? 1
  for (let n = last + 1; ; n++)
    if (isFree(`${name} ${n}`)) {
      counts.set(name, n)
      return `${name} ${n}`
    }
}

/** Most come in order. */
const inOrder = (edits: Edit[]): Edit[] => {
  const isAfter = (edit: Edit, before: Edit): boolean =>
    edit.start > before.start || (edit.start === before.start && edit.end <= before.end)
  return edits.every((edit, n) => n === 0 || isAfter(edit, edits[n - 1] as Edit))
    ? edits
    : edits.toSorted((a, b) => a.start - b.start || b.end - a.end)
}

/** Of edits that overlap the first stays; what a later one covers beyond it goes too. */
const edit = (text: string, edits: Edit[]): string => {
  if (edits.length === 0) return text
  let result = ''
  let at = 0
  for (const { start, end, by } of inOrder(edits)) {
    if (start >= at) result += text.slice(at, start) + by
    at = Math.max(at, end)
  }
  return result + text.slice(at)
}
