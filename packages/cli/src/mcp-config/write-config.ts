import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { CommandError } from '../terminal/output.ts'

type Json = Record<string, unknown>

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Adds what is missing. Existing values are never replaced: a different one is an error. */
const merge = (existing: Json, added: Json, path: string): Json => {
  const merged = { ...existing }
  for (const [name, value] of Object.entries(added)) {
    const current = existing[name]
    if (current === undefined) merged[name] = value
    else if (isObject(current) && isObject(value)) merged[name] = merge(current, value, `${path}${name}.`)
    else if (Array.isArray(current) && Array.isArray(value))
      merged[name] = [
        ...current,
        ...value.filter(item => !current.some(each => isDeepStrictEqual(each, item))),
      ]
    else if (!isDeepStrictEqual(current, value))
      throw new CommandError(
        `${path}${name} has another value already. Change it yourself, or use another --name.`,
      )
  }
  return merged
}

/** Adds a configuration to a JSON file of the project, or creates the file. */
export const writeConfig = (file: string, added: Json): void => {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '{}'
  let existing: unknown
  try {
    existing = JSON.parse(text)
  } catch {
    throw new CommandError(
      `${file} is not plain JSON, so nothing was changed. Add the configuration yourself.`,
    )
  }
  if (!isObject(existing))
    throw new CommandError(`${file} does not contain a JSON object. Nothing was changed.`)
  const merged = merge(existing, added, `${file}: `)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `${JSON.stringify(merged, null, 2)}\n`, { mode: 0o644 })
}
