import { array, text } from '../sql-types.ts'
import { statement } from '../statement.ts'

export type Settings = Readonly<Record<string, string>>

/**
 * Settings of the batch connection. Plans are prepared once and cached, so they must not depend on table sizes: rows
 * are looked up by key, in the order in which the statement joins them. A short lock timeout keeps a locked row from
 * blocking the batch.
 */
export const BATCH_SETTINGS: Settings = {
  plan_cache_mode: 'force_generic_plan',
  join_collapse_limit: '1',
  from_collapse_limit: '1',
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  enable_material: 'off',
  jit: 'off',
  lock_timeout: '100ms',
}

/** For the transaction of a batch. */
export const COMMIT_ASYNC: Settings = { synchronous_commit: 'off' }

/** The server cancels statements that the client has abandoned. */
export const statementTimeout = (milliseconds: number): Settings => ({
  statement_timeout: String(milliseconds),
})

/** The server drops a client that no longer acknowledges data. */
export const connectionTimeout = (milliseconds: number): Settings => ({
  tcp_user_timeout: String(milliseconds),
})

/** `set local` applies a setting to the transaction only. */
export const settingsSql = (settings: Settings, command: 'set' | 'set local' = 'set'): string =>
  Object.entries(settings)
    .map(([name, value]) => `${command} ${name} = '${value}';`)
    .join(' ')

const applySettings = statement({
  name: 'session.apply_settings',
  parameters: { names: array(text), values: array(text) },
  columns: { setting: text },
  sql: `select set_config(name, value, true) as setting from unnest(:names::text[], :values::text[]) as s (name, value)`,
})

/** Applies settings to the transaction of a batch whose first statement this is. */
export const bindSettings = (settings: Settings) =>
  [applySettings, { names: Object.keys(settings), values: Object.values(settings) }] as const
