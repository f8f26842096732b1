import { readFileSync } from 'node:fs'
import { CommandError } from '@carabiner/cli'
import { CELL_NAME, type Config, readConfig } from '@carabiner/server/operator'

type Environment = Record<string, string | undefined>

/** An installation that the operator's commands can reach. */
export type Cell = { name: string; address: string; config: Config }

const FIELDS = ['name', 'address', 'database_url_env', 'database_url_file', 'key_file']

/**
 * Reads the operator's list of cells. The file contains no secrets: each cell names an environment variable or a file with the URL of its
 * database, and the file with its vault key. All other settings are those of the environment.
 */
export const readCells = (path: string, environment: Environment): Cell[] => {
  const { cells } = parseFile(path)
  if (!Array.isArray(cells) || cells.length === 0)
    throw new CommandError(`${path} must be {"cells": [ … ]} with at least one cell.`)
  const read = cells.map((entry, index) => readCell(entry, `${path}: cell ${index + 1}`, environment))
  const repeated = read.find(({ name }, index) => read.findIndex(other => other.name === name) < index)
  if (repeated) throw new CommandError(`${path} names the cell ${repeated.name} twice.`)
  return read
}

const parseFile = (path: string): { cells?: unknown } => {
  try {
    return (JSON.parse(readFileSync(path, 'utf8')) ?? {}) as { cells?: unknown }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new CommandError(`${path} ${code ? `cannot be read: ${code}.` : 'is not JSON.'}`)
  }
}

const readCell = (entry: unknown, at: string, environment: Environment): Cell => {
  const fields = (typeof entry === 'object' ? entry : null) ?? {}
  const unknown = Object.keys(fields).find(name => !FIELDS.includes(name))
  if (unknown) throw new CommandError(`${at} has the unknown field "${unknown}".`)
  const text = (name: string): string | undefined => {
    const value = (fields as Record<string, unknown>)[name]
    if (value === undefined || (typeof value === 'string' && value !== '')) return value
    throw new CommandError(`${at}: ${name} must be a text.`)
  }
  const required = (name: string): string => {
    const value = text(name)
    if (value === undefined) throw new CommandError(`${at} has no ${name}.`)
    return value
  }
  const name = required('name')
  if (!CELL_NAME.test(name)) throw new CommandError(`${at}: "${name}" is not a valid name of a cell.`)
  const address = required('address')
  if (!/^https?:$/.test(URL.parse(address)?.protocol ?? ''))
    throw new CommandError(`${at}: address must be an http(s) URL, not "${address}".`)
  const config = readConfig({
    ...environment,
    CELL: undefined,
    CELL_MAP: undefined,
    VAULT_KEY: undefined,
    VAULT_KEY_FILE: undefined,
    VAULT_KEY_PREVIOUS: undefined,
    VAULT_KEY_PREVIOUS_FILE: undefined,
    KEY_FILE: required('key_file'),
    ...databaseUrl(text('database_url_env'), text('database_url_file'), at, environment),
  })
  return { name, address, config }
}

const databaseUrl = (
  variable: string | undefined,
  file: string | undefined,
  at: string,
  environment: Environment,
): Environment => {
  if ((variable === undefined) === (file === undefined))
    throw new CommandError(`${at} must have either database_url_env or database_url_file.`)
  if (file !== undefined) return { DATABASE_URL: undefined, DATABASE_URL_FILE: file }
  const url = environment[variable as string]
  if (!url) throw new CommandError(`${at}: the environment variable ${variable} is not set.`)
  return { DATABASE_URL: url, DATABASE_URL_FILE: undefined }
}
