import { type EventType, eventTypes } from '@carabiner/contract'
import { UsageError } from '../terminal/output.ts'

const MAX_SUGGESTIONS = 3

export const requireEventType = (given: string): EventType => {
  const type = eventTypes.find(known => known === given)
  if (type) return type
  const near = nearTypes(given)
  throw new UsageError(
    near.length > 0
      ? `There is no event type "${given}". Did you mean ${near.join(', ')}?`
      : `There is no event type "${given}". The types are: ${eventTypes.join(', ')}.`,
  )
}

/** A comma-separated list. Null: all types. */
export const readEventTypes = (list: string | undefined): ReadonlySet<EventType> | null => {
  if (list === undefined) return null
  const names = list.split(',').map(name => name.trim())
  return new Set(names.filter(name => name !== '').map(requireEventType))
}

/** Types with a similar spelling, or that contain the given word. */
const nearTypes = (given: string): EventType[] => {
  const word = given.toLowerCase()
  const distances = eventTypes.map(type => ({ type, distance: editDistance(word, type) }))
  const isNear = ({ type, distance }: (typeof distances)[number]): boolean =>
    distance <= Math.max(2, word.length / 3) || (word.length >= 4 && type.includes(word))
  return distances
    .filter(isNear)
    .toSorted((a, b) => a.distance - b.distance)
    .slice(0, MAX_SUGGESTIONS)
    .map(({ type }) => type)
}

/** Levenshtein distance. */
const editDistance = (from: string, to: string): number => {
  let previous = Array.from({ length: to.length + 1 }, (_, n) => n)
  for (let row = 1; row <= from.length; row++) {
    const current = [row]
    for (let column = 1; column <= to.length; column++)
      current.push(
        Math.min(
          (previous[column] as number) + 1,
          (current[column - 1] as number) + 1,
          (previous[column - 1] as number) + (from[row - 1] === to[column - 1] ? 0 : 1),
        ),
      )
    previous = current
  }
  return previous[to.length] as number
}
