import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A request, and every tool that is an acceptable answer. */
export type LabelledRequest = { request: string; tools: string[] }

const read = (file: string): LabelledRequest[] =>
  JSON.parse(readFileSync(join(import.meta.dirname, file), 'utf8'))

export const labelledRequests = read('labelled-requests.json')

/** Every fourth request is kept aside: synonyms and weights are not chosen by looking at it. */
export const isAside = (_: LabelledRequest, index: number): boolean => index % 4 === 3

/** Everyday words over the whole catalog. Written and labelled before any of them was searched for. */
export const everydayRequests = read('everyday-requests.json')

/** Half of the everyday requests is for tuning. The other half is kept, and only measured at the end. The text decides. */
export const isKept = ({ request }: LabelledRequest): boolean =>
  ((createHash('sha256').update(request).digest().at(-1) ?? 0) & 1) === 1
