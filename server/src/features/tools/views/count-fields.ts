import { escapeStep } from '../../../core/json/json-pointer.ts'

/** The fields of JSON values by pointer, with `*` for the items of arrays, and the bytes that they take. */
export type FieldCount = { bytes: number; results: number }

const MAX_DEPTH = 10
/** Objects whose names are data, such as IDs, have any number of them. Beyond the maximum, fields are not counted. */
const MAX_FIELDS = 2_000

export const createFieldCounter = () => {
  const fields = new Map<string, FieldCount>()
  let seen = new Set<string>()

  const count = (pointer: string, bytes: number): void => {
    const known = fields.get(pointer)
    if (!known && fields.size >= MAX_FIELDS) return
    const field = known ?? { bytes: 0, results: 0 }
    field.bytes += bytes
    if (!seen.has(pointer)) field.results++
    seen.add(pointer)
    fields.set(pointer, field)
  }
  const visit = (value: unknown, pointer: string, bytesOfName: number, depth: number): void => {
    const isLeaf = value === null || typeof value !== 'object' || depth === MAX_DEPTH
    const members = isLeaf ? [] : Object.entries(value)
    if (pointer !== '' && members.length === 0)
      return count(pointer, bytesOfName + Buffer.byteLength(JSON.stringify(value)))
    for (const [name, member] of members)
      if (Array.isArray(value)) visit(member, `${pointer}/*`, bytesOfName, depth + 1)
      else visit(member, `${pointer}/${escapeStep(name)}`, Buffer.byteLength(name) + 3, depth + 1)
  }
  return {
    fields,
    /** Adds the fields of one result. */
    add: (value: unknown): void => {
      seen = new Set()
      visit(value, '', 0, 0)
    },
  }
}
