import { stepsOf } from '../../core/json/json-pointer.ts'
import { Refusal } from '../../core/refusal.ts'

/**
 * Views select fields of a JSON value by JSON Pointers (RFC 6901), with `*` for every item of an array. A view is a tree, so that a value is
 * traversed once, however many fields the view has.
 */
export type View = ReadonlyMap<string, View | 'whole'>

const MAX_DEPTH = 20

/** Why the pointer is invalid, or null. */
export const findFieldProblem = (pointer: string): string | null => {
  if (!/^(?:\/(?:[^~/]|~[01])+)+$/u.test(pointer))
    return 'A field is a JSON Pointer with named steps, such as "/items/*/title".'
  if (pointer.split('/').length - 1 > MAX_DEPTH) return `A field has at most ${MAX_DEPTH} steps.`
  return null
}

/** Rejects invalid and duplicate fields. `at`: their location in the request. */
export const requireFields = (pointers: readonly string[], at: string): void => {
  for (const [index, pointer] of pointers.entries()) {
    const message = findFieldProblem(pointer)
    if (message !== null) throw new Refusal('invalid_tool_choice', { param: `${at}.${index}`, message })
    if (pointers.indexOf(pointer) < index)
      throw new Refusal('duplicate_choice', {
        param: `${at}.${index}`,
        message: `Duplicate entry: "${pointer}".`,
      })
  }
}

type Tree = Map<string, Tree | 'whole'>

/** A field that contains another one includes it. */
export const parseView = (pointers: readonly string[]): View => {
  const root: Tree = new Map()
  for (const pointer of pointers) addField(root, stepsOf(pointer))
  return root
}

const addField = (tree: Tree, [step = '', ...rest]: string[]): void => {
  const known = tree.get(step)
  if (known === 'whole') return
  if (rest.length === 0) {
    tree.set(step, 'whole')
    return
  }
  const next = known ?? new Map()
  tree.set(step, next)
  addField(next, rest)
}

/** The selected part of a value. Undefined if none of the fields exists in it. */
export const selectFields = (value: unknown, view: View): unknown => {
  const state = { found: false }
  const selected = select(value, view, state)
  return state.found ? selected : undefined
}

/** Objects and arrays without a selected field become empty, so that the items of a list keep their number. */
const select = (value: unknown, view: View | 'whole', state: { found: boolean }): unknown => {
  if (view === 'whole') {
    state.found = true
    return value
  }
  if (value === null || typeof value !== 'object') return undefined
  if (Array.isArray(value)) {
    const items = view.get('*')
    return items ? value.map(item => select(item, items, state)).filter(item => item !== undefined) : []
  }
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => {
      const inner = view.get(name)
      const selected = inner && select(member, inner, state)
      return selected === undefined ? [] : [[name, selected] as const]
    }),
  )
}
