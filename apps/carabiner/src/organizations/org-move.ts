import { spawnSync } from 'node:child_process'
import { type CliContext, CommandError, type Output, UsageError } from '@carabiner/cli'
import {
  abortMove,
  createLog,
  type Database,
  type Installation,
  type MoveResult,
  migrate,
  moveOrganization,
  openDirectDatabase,
  openVaultFor,
  SERVICE_CHAIN,
} from '@carabiner/server/operator'
import { recordCommand } from '../database/record-command.ts'
import { type MapFormat, readDirectory, replaceMap } from './cells.ts'
import { type Cell, readCells } from './cells-file.ts'

/** A statement that reads or copies a day of records takes longer than one of a request. */
const MIN_TIMEOUT_MS = 300_000

/** The organization is unreachable until the reload finishes. */
const RELOAD_TIMEOUT_MS = 60_000

export type MoveOptions = {
  to: string
  cells: string
  map?: string
  format: MapFormat
  reload?: string
  abort?: boolean
}

export const moveOrg = async (
  { environment, report }: Pick<CliContext, 'environment' | 'report'>,
  id: string,
  { to, map, format, reload, ...options }: MoveOptions,
): Promise<Output> => {
  if (map === undefined && !options.abort) throw new UsageError('--map is required, except with --abort.')
  const cells = readCells(options.cells, environment)
  const organizationId = id.toLowerCase()
  const { source, target } = await findCells(cells, organizationId, to)
  await using opened = new AsyncDisposableStack()
  const move = {
    source: await openInstallation(opened, source),
    target: await openInstallation(opened, target),
    organizationId,
    onProgress: report,
    switchRouting: async () => {
      await replaceMap(cells, map as string, format)
      if (reload !== undefined) runReload(reload)
    },
  }
  if (options.abort) {
    await record(move, source, target, 'organization.move_aborted', () => abortMove(move))
    return {
      text: `The move was aborted. ${source.name} serves the organization.`,
      data: { id: organizationId, cell: source.name },
    }
  }
  const result = await record(move, source, target, 'organization.moved', () => moveOrganization(move))
  return describe(organizationId, target, result)
}

/** The source is the other cell that has the organization. */
const findCells = async (cells: Cell[], id: string, to: string): Promise<{ source: Cell; target: Cell }> => {
  const target = cells.find(({ name }) => name === to)
  if (!target) throw new CommandError(`There is no cell ${to}.`)
  const embedded = cells.find(({ config }) => config.databaseUrl === undefined)
  if (embedded) throw new CommandError(`The cell ${embedded.name} has no PostgreSQL database.`)
  const placed = (await readDirectory(cells)).filter(organization => organization.id === id)
  const elsewhere = placed.filter(({ cell }) => cell !== to)
  if (elsewhere.length > 1)
    throw new CommandError(
      `The organization is in the cells ${elsewhere.map(({ cell }) => cell).join(' and ')}.`,
    )
  const source = cells.find(({ name }) => name === elsewhere[0]?.cell)
  if (!source)
    throw new CommandError(
      placed.length > 0
        ? `The organization is already in the cell ${to}.`
        : `There is no organization ${id}. See \`carabiner cells list\`.`,
    )
  return { source, target }
}

const openInstallation = async (opened: AsyncDisposableStack, { config }: Cell): Promise<Installation> => {
  const databaseTimeoutMs = Math.max(config.databaseTimeoutMs, MIN_TIMEOUT_MS)
  const db: Database = await openDirectDatabase({ ...config, databaseTimeoutMs }, createLog('silent'))
  opened.defer(() => db.close())
  await migrate(db, { apply: false })
  return { db, vault: await openVaultFor(config, db) }
}

/** What the command prints goes to standard error, because standard output contains only the result. */
const runReload = (command: string): void => {
  const { status, error } = spawnSync('sh', ['-c', command], {
    stdio: ['ignore', 2, 2],
    timeout: RELOAD_TIMEOUT_MS,
  })
  if (status !== 0)
    throw new CommandError(
      `The command of --reload failed (${error?.message ?? `exit code ${status}`}). The organization is active in the target. Run the move again to complete it.`,
    )
}

/** In the audit trails of both installations. */
const record = <T>(
  move: { source: Installation; target: Installation; organizationId: string },
  source: Cell,
  target: Cell,
  action: string,
  run: () => Promise<T>,
): Promise<T> => {
  const change = {
    organizationId: SERVICE_CHAIN,
    command: 'org move',
    action,
    describe: () => ({
      target: { type: 'organization', id: move.organizationId },
      changes: [{ field: 'cell', from: source.name, to: target.name }],
    }),
  }
  return recordCommand(move.source, change, () => recordCommand(move.target, change, run))
}

const describe = (id: string, target: Cell, { rows, records, recordsMs, frozenMs }: MoveResult): Output => ({
  text: [
    `Moved the organization to ${target.name}: ${records} records in ${(recordsMs / 1000).toFixed(1)} s before the freeze, and ${rows} rows during it.`,
    frozenMs === null
      ? 'An earlier run had frozen the organization.'
      : `It was frozen for ${(frozenMs / 1000).toFixed(1)} s.`,
  ].join('\n'),
  data: { id, cell: target.name, records, records_ms: recordsMs, rows, frozen_ms: frozenMs },
})
