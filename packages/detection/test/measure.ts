import { type Entity, type Rules, scanValue } from '../src/index.ts'
import { type Document, EQUIVALENT, type Label } from './corpus.ts'

export type Tally = {
  labels: number
  found: number
  truePositives: number
  falsePositives: number
  missed: string[]
  unexpected: string[]
}
export type Quality = Map<string, Tally>

export const recallOf = ({ labels, found }: Tally): number => (labels === 0 ? 1 : found / labels)
export const precisionOf = ({ truePositives, falsePositives }: Tally): number =>
  truePositives + falsePositives === 0 ? 1 : truePositives / (truePositives + falsePositives)

const isEquivalent = (a: string, b: string): boolean =>
  a === b || EQUIVALENT.some(group => group.includes(a as Entity) && group.includes(b as Entity))

/** A match may be this many characters longer than the label. */
const MAX_EXTRA_LENGTH = 4

const atPath = (value: unknown, path: readonly (string | number)[]): string =>
  String(path.reduce<unknown>((node, step) => (node as Record<string | number, unknown>)[step], value))

export const measure = (documents: readonly Document[], rules: Rules): Quality => {
  const quality: Quality = new Map()
  const tallyOf = (entity: string): Tally => {
    const tally = quality.get(entity) ?? {
      labels: 0,
      found: 0,
      truePositives: 0,
      falsePositives: 0,
      missed: [],
      unexpected: [],
    }
    quality.set(entity, tally)
    return tally
  }
  for (const { value, labels } of documents) {
    const matches = scanValue(value, rules).map(({ entity, places: [{ path, start, end }] }) => ({
      entity,
      text: atPath(value, path).slice(start, end),
    }))
    const isMatchOf = (label: Label, match: { entity: string; text: string }): boolean =>
      isEquivalent(label.entity, match.entity) &&
      match.text.includes(label.value) &&
      match.text.length <= label.value.length + MAX_EXTRA_LENGTH
    for (const label of labels) {
      const tally = tallyOf(label.entity)
      tally.labels++
      if (matches.some(match => isMatchOf(label, match))) tally.found++
      else tally.missed.push(`${label.value} in ${JSON.stringify(value)}`)
    }
    for (const match of matches) {
      const tally = tallyOf(match.entity)
      if (labels.some(label => isMatchOf(label, match))) tally.truePositives++
      else {
        tally.falsePositives++
        tally.unexpected.push(`${match.text} in ${JSON.stringify(value)}`)
      }
    }
  }
  return quality
}

/** Formats the result for the test report. */
export const qualityTable = (quality: Quality): string =>
  [...quality]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([entity, tally]) =>
      [
        entity.padEnd(20),
        String(tally.labels).padStart(6),
        recallOf(tally).toFixed(4).padStart(8),
        precisionOf(tally).toFixed(4).padStart(10),
      ].join(''),
    )
    .join('\n')
