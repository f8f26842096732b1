import { readFileSync, statSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { connectorFiles, SHIPPED_FOLDER, shadowing } from './catalog.ts'
import { loadLogos } from './load-logos.ts'
import { readConnector } from './read-connector.ts'
import type { LocatedProblem } from './rules/connector-problem.ts'
import { loadTranslations } from './translations.ts'

export type CheckedConnectors = { files: number; problems: LocatedProblem[] }

/** A placeholder address, so that sandbox files can be checked without a sandbox. */
const PLACES = { sandbox_url: 'http://localhost:4001' }

/** Checks files, and all files in folders, against every rule, without network or database access. */
export const checkConnectors = (paths: string[]): CheckedConnectors => {
  const files = paths.flatMap(filesAt)
  const shipped = new Set(connectorFiles(SHIPPED_FOLDER))
  const connectorProblems = files.flatMap(file => checkFile(file, shipped))
  const translationProblems = paths.flatMap(path => loadTranslations(path, new Map()))
  const logoProblems = paths
    .filter(path => statSync(path).isDirectory())
    .flatMap(folder => loadLogos(SHIPPED_FOLDER, folder).problems)
  const problems = [...connectorProblems, ...translationProblems, ...logoProblems]
  return { files: new Set([...files, ...problems.map(({ file }) => file)]).size, problems }
}

const filesAt = (path: string): string[] =>
  statSync(path).isDirectory() ? connectorFiles(path).map(name => join(path, name)) : [path]

const checkFile = (file: string, shipped: Set<string>): LocatedProblem[] => {
  const name = basename(file)
  if (!name.endsWith('.json'))
    return [{ file, line: 1, column: 1, path: '', reason: 'must be named <slug>.json' }]
  const slug = name.slice(0, -'.json'.length)
  const read = readConnector(readFileSync(file, 'utf8'), file, {
    places: PLACES,
    slug,
    rules: true,
  })
  if ('problems' in read) return read.problems
  const own = resolve(file) !== resolve(SHIPPED_FOLDER, name)
  return own && shipped.has(name) && 'connector' in read && !read.connector.replaces
    ? [shadowing(file, slug)]
    : []
}
