import type { Config } from '../../../platform/config.ts'
import type { Database } from '../../../platform/database/database.ts'
import type { VaultKeyRing } from '../../../platform/vault/key-ring.ts'

type Outcome =
  | { status: 'ok' | 'skipped'; found: string }
  /** `fix`: what the operator can do. */
  | { status: 'problem'; found: string; fix: string }

export type Finding = { check: string } & Outcome

export const ok = (found: string): Outcome => ({ status: 'ok', found })
export const skipped = (found: string): Outcome => ({ status: 'skipped', found })
export const problem = (found: string, fix: string): Outcome => ({ status: 'problem', found, fix })

export const BEFORE_START = 'not checked before the first start'

export type DoctorContext = {
  config: Config
  /** Without a pooler. An error if the database cannot be opened; a text if there is a reason not to open it. */
  db: Database | Error | string
  /** Opens the same database with another connection. */
  openDirect: () => Promise<Database>
  /** Opens the database at DATABASE_URL, which may be a pooler. */
  openPooled: () => Promise<Database>
  /** Opens the configured vault keys. Returns undefined if there are none. */
  openRing: () => Promise<VaultKeyRing | undefined>
  /** The service does not run yet, so that its addresses are not checked. */
  isBeforeStart?: boolean
  /** URLs to call in addition to those of the configured OAuth apps. */
  outbound: string[]
}

/** What a running service has. */
export type RunningContext = Pick<DoctorContext, 'config' | 'db' | 'isBeforeStart'>

export type Check<Context = DoctorContext> = {
  name: string
  run: (context: Context, signal: AbortSignal) => Promise<Outcome | Outcome[]>
}

/** A check that needs the database. */
export const databaseCheck = <Context extends RunningContext = RunningContext>(
  name: string,
  run: (db: Database, context: Context, signal: AbortSignal) => Promise<Outcome | Outcome[]>,
): Check<Context> => ({
  name,
  run: async (context, signal) => {
    const { db } = context
    if (typeof db === 'string') return skipped(db)
    if (db instanceof Error) return skipped('The database cannot be reached.')
    return run(db, context, signal)
  },
})
