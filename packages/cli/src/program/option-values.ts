import { readFileSync } from 'node:fs'
import { InvalidArgumentError, Option } from 'commander'
import { UsageError } from '../terminal/output.ts'

/** Values of options and arguments. commander adds the name of the option to the message. */
export const integerFrom =
  (min: number, max: number) =>
  (text: string): number => {
    const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
    if (!(number >= min && number <= max))
      throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`)
    return number
  }

export const jsonObject = (text: string): Record<string, unknown> => {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>
  } catch {
    // Reported below, like JSON of another type.
  }
  throw new InvalidArgumentError(`It must be a JSON object, such as '{"query":"milk"}'.`)
}

export const list = (text: string): string[] => {
  const items = text.split(',').map(item => item.trim())
  if (items.includes('')) throw new InvalidArgumentError('It must be a list such as a,b without empty items.')
  return items
}

const MOMENT = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/

export const moment = (text: string): string => {
  const ago = /^(\d{1,6})([smhd])$/.exec(text)
  if (ago)
    return new Date(Date.now() - Number(ago[1]) * SECONDS[ago[2] as keyof typeof SECONDS]).toISOString()
  if (!MOMENT.test(text) || Number.isNaN(Date.parse(text)))
    throw new InvalidArgumentError(
      'It must be a time such as 2030-01-31T12:00:00Z, a date, or 30m, 12h or 7d ago.',
    )
  return text
}
const SECONDS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Repeats of an option are collected. */
export const collect = (value: string, previous: string[] | undefined): string[] => [
  ...(previous ?? []),
  value,
]

export const choice = (flags: string, description: string, choices: readonly string[]): Option =>
  new Option(flags, description).choices([...choices])

/** The number of rows of a list. */
export const limitOption = (defaultValue = 100): Option =>
  new Option('--limit <n>', 'maximum number of rows')
    .argParser(integerFrom(1, 1_000_000))
    .default(defaultValue)

/** A JSON object in a file, or on standard input with `-`. */
export const readJsonFile = (path: string): Record<string, unknown> => {
  const name = path === '-' ? 'Standard input' : path
  try {
    return jsonObject(readFileSync(path === '-' ? 0 : path, 'utf8'))
  } catch (error) {
    if (error instanceof InvalidArgumentError) throw new UsageError(`${name} does not contain a JSON object.`)
    throw new UsageError(`${name} cannot be read: ${(error as NodeJS.ErrnoException).code}.`)
  }
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

export const uuid = (text: string): string => {
  if (!UUID.test(text))
    throw new InvalidArgumentError('It must be an ID such as 0190a5c1-7b1e-7f00-8000-00000000c0de.')
  return text.toLowerCase()
}
