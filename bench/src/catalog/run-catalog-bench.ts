import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectorFiles, SHIPPED_FOLDER } from '../../../server/src/features/connectors/catalog/catalog.ts'

export const CONNECTORS = 200
/** Maximum time to load that many shipped connectors at startup. */
export const AIM_MS = 100

const SUBJECTS = ['parse', 'shipped', 'operator'] as const
export type Subject = (typeof SUBJECTS)[number]
export type CatalogResult = {
  bytes: number
  median: Record<Subject, number>
  fastest: Record<Subject, number>
}

/** Repeats the shipped connectors under other slugs, so that size and variety are realistic. */
const fillFolder = (folder: string): number => {
  const names = connectorFiles(SHIPPED_FOLDER).filter(name => !name.startsWith('sandbox-'))
  let bytes = 0
  for (let number = 0; number < CONNECTORS; number++) {
    const text = readFileSync(join(SHIPPED_FOLDER, names[number % names.length] as string), 'utf8')
    const slug = `c${number}`
    const renamed = text.replace(/"slug": "[^"]*"/, `"slug": "${slug}"`)
    bytes += Buffer.byteLength(renamed)
    writeFileSync(join(folder, `${slug}.json`), renamed)
  }
  return bytes
}

const loadOnce = (subject: Subject, folder: string): number => {
  const output = execFileSync(
    process.execPath,
    [join(import.meta.dirname, 'load-once.ts'), subject, folder],
    {
      encoding: 'utf8',
      timeout: 30_000,
    },
  )
  const { milliseconds, count } = JSON.parse(output) as { milliseconds: number; count: number }
  if (count < CONNECTORS) throw new Error(`${subject} loaded ${count} of ${CONNECTORS}`)
  return milliseconds
}

const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number

export const runCatalogBench = (rounds: number): CatalogResult => {
  const folder = mkdtempSync(join(tmpdir(), 'carabiner-bench-connectors-'))
  try {
    const bytes = fillFolder(folder)
    const durations: Record<Subject, number[]> = { parse: [], shipped: [], operator: [] }
    for (let round = 0; round < rounds; round++)
      for (const subject of SUBJECTS) durations[subject].push(loadOnce(subject, folder))
    const each = (figure: (values: number[]) => number) => ({
      parse: figure(durations.parse),
      shipped: figure(durations.shipped),
      operator: figure(durations.operator),
    })
    return { bytes, median: each(median), fastest: each(values => Math.min(...values)) }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
