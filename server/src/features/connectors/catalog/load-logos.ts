import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ConnectorLogo, type Mark, markLogo, markName, readPngLogo } from './connector-logo.ts'
import type { LocatedProblem } from './rules/connector-problem.ts'

export type LoadedLogos = {
  of(slug: string, shipped: boolean): ConnectorLogo | null
  problems: LocatedProblem[]
}

/**
 * Shipped marks, and `<slug>.png` files beside the operator's connector files, which override the marks of shipped
 * connectors.
 */
export const loadLogos = (shippedFolder: string, ownFolder: string | undefined): LoadedLogos => {
  const marks = readMarks(join(shippedFolder, 'logos/marks.json'))
  const own = new Map<string, ConnectorLogo>()
  const problems: LocatedProblem[] = []
  for (const name of ownFolder === undefined ? [] : readdirSync(ownFolder)) {
    if (!name.endsWith('.png')) continue
    const file = join(ownFolder as string, name)
    const read = readPngLogo(name.slice(0, -'.png'.length), readFileSync(file))
    if ('reason' in read) problems.push({ file, line: 1, column: 1, path: '', reason: read.reason })
    else own.set(name.slice(0, -'.png'.length), read)
  }
  return {
    of: (slug, shipped) => own.get(slug) ?? (shipped ? (marks.get(markName(slug)) ?? null) : null),
    problems,
  }
}

const readMarks = (file: string): Map<string, ConnectorLogo> => {
  const marks = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, Mark>) : {}
  return new Map(Object.entries(marks).map(([name, mark]) => [name, markLogo(name, mark)]))
}
