import { ConnectorFile } from '@carabiner/contract'
import { type LocatedProblem, type Problem, problem, showPath } from './rules/connector-problem.ts'
import { connectorProblems } from './rules/connector-rules.ts'
import { lineAndColumn, locateJson } from './rules/json-positions.ts'
import { schemaProblems } from './rules/schema-problems.ts'

export type ReadConnector =
  | { connector: ConnectorFile }
  | { problems: LocatedProblem[] }
  | { skipped: string }

export type Places = Record<string, string>
export type ReadOptions = {
  /** The value of `{sandbox_url}`, which depends on the installation. */
  places: Places
  /** The required file name, which is the slug. Default: any. */
  slug?: string
  /**
   * Whether to check that the parts of the file are consistent. The tests do this for shipped files, so startup can
   * skip it.
   */
  rules: boolean
}

export const MAX_BYTES = 2 * 1024 * 1024

/** A connector, or all problems in its file with line and column. */
export const readConnector = (text: string, file: string, options: ReadOptions): ReadConnector => {
  const missing = placesIn(text).find(place => options.places[place] === undefined)
  if (missing !== undefined) return { skipped: missing }
  if (text.length > MAX_BYTES)
    return { problems: [{ file, line: 1, column: 1, path: '', reason: 'is larger than 2 MB' }] }
  const value = parseJson(fillPlaces(text, options.places))
  if (value === undefined) return { problems: [syntaxProblem(text, file)] }
  const mistakes = findProblems(text, value, options)
  return mistakes.length === 0
    ? { connector: value as ConnectorFile }
    : { problems: locateProblems(text, file, mistakes) }
}

export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const findProblems = (text: string, value: unknown, options: ReadOptions): Problem[] => {
  const misshapen = schemaProblems(ConnectorFile, value)
  if (misshapen.length > 0) return misshapen
  const file = value as ConnectorFile
  const misnamed =
    options.slug !== undefined && file.slug !== options.slug
      ? [problem(['slug'], `is ${file.slug}, but the file is named ${options.slug}.json`)]
      : []
  if (!options.rules) return misnamed
  return [...misnamed, ...findDuplicates(text), ...connectorProblems(file)]
}

export const findDuplicates = (text: string): Problem[] => {
  const positions = locateJson(text)
  if ('reason' in positions) return []
  return positions.duplicates.map(path => problem(path, 'appears twice'))
}

export const syntaxProblem = (text: string, file: string): LocatedProblem => {
  const found = locateJson(text)
  const { offset, reason } = 'reason' in found ? found : { offset: 0, reason: 'is not JSON' }
  return { file, ...lineAndColumn(text, offset), path: '', reason }
}

export const locateProblems = (text: string, file: string, problems: Problem[]): LocatedProblem[] => {
  const positions = locateJson(text)
  const located = problems.map(({ path, reason }) => ({
    file,
    ...lineAndColumn(text, 'reason' in positions ? 0 : positions.offsetOf(path)),
    path: showPath(path),
    reason,
  }))
  return located.toSorted((a, b) => a.line - b.line || a.column - b.column)
}

/** Placeholders that the installation fills. Others, such as `{image_url}`, are arguments. */
const PLACE = /\{(sandbox_url)\}/g
const placesIn = (text: string): string[] => [...text.matchAll(PLACE)].map(match => match[1] as string)
const fillPlaces = (text: string, places: Places): string =>
  text.replace(PLACE, (_, place: string) => JSON.stringify(places[place]).slice(1, -1))
