import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectorFiles, SHIPPED_FOLDER } from '../../../server/src/features/connectors/catalog/catalog.ts'

export const CONNECTORS = 200
/** The aim of one start with that many shipped connectors. */
export const AIM_MS = 100

const SUBJECTS = ['parse', 'shipped', 'own'] as const
export type Subject = (typeof SUBJECTS)[number]
export type CatalogueResult = {
  bytes: number
  median: Record<Subject, number>
  fastest: Record<Subject, number>
}

/** The shipped vendors under further names, until there are enough: as large and as varied as the real ones. */
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

export const runCatalogueBench = (rounds: number): CatalogueResult => {
  const folder = mkdtempSync(join(tmpdir(), 'carabiner-bench-connectors-'))
  try {
    const bytes = fillFolder(folder)
    const taken: Record<Subject, number[]> = { parse: [], shipped: [], own: [] }
    for (let round = 0; round < rounds; round++)
      for (const subject of SUBJECTS) taken[subject].push(loadOnce(subject, folder))
    const each = (figure: (values: number[]) => number) => ({
      parse: figure(taken.parse),
      shipped: figure(taken.shipped),
      own: figure(taken.own),
    })
    return { bytes, median: each(median), fastest: each(values => Math.min(...values)) }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
