import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SHIPPED_FOLDER } from '../../src/features/connectors/catalog/catalog.ts'
import type { Limits } from '../../src/features/credentials/risks/credential-health.ts'

/** The connectors of the sandbox, with lifetimes. */
export const writeLimitedConnectors = (
  lifetimes: Record<string, Limits>,
): { folder: string; remove: () => void } => {
  const folder = mkdtempSync(join(tmpdir(), 'carabiner-limited-'))
  for (const [slug, lifetime] of Object.entries(lifetimes)) {
    const file = JSON.parse(readFileSync(join(SHIPPED_FOLDER, `${slug}.json`), 'utf8'))
    file.replaces = true
    file.authorization[0].lifetime = {
      ...lifetime,
      source: 'https://sandbox.example/tokens',
      checked_on: '2026-11-19',
    }
    writeFileSync(join(folder, `${slug}.json`), JSON.stringify(file))
  }
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}
