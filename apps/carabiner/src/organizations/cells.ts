import { chmodSync, closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { type CliContext, CommandError, type Output, UsageError } from '@carabiner/cli'
import {
  createLog,
  type Database,
  formatCellMap,
  migrate,
  openDirectDatabase,
  openKeyRing,
  organizationStore,
  shareSigningKey,
} from '@carabiner/server/operator'
import { assignCodes, type PlacedOrganization } from './cell-directory.ts'
import { type Cell, readCells } from './cells-file.ts'

type CellsContext = Pick<CliContext, 'environment'>

export const withCell = async <T>({ config }: Cell, work: (db: Database) => Promise<T>): Promise<T> => {
  const db = await openDirectDatabase(config, createLog('silent'))
  try {
    return await work(db)
  } finally {
    await db.close()
  }
}

export const readDirectory = async (cells: Cell[]): Promise<PlacedOrganization[]> => {
  const perCell = await Promise.all(
    cells.map(cell =>
      withCell(cell, async db => {
        await migrate(db, { apply: false })
        const organizations = await organizationStore.directory(db)
        return organizations.map(organization => ({ ...organization, cell: cell.name }))
      }),
    ),
  )
  return perCell.flat()
}

export type MapOptions = { cells: string; to: string; format: MapFormat }

export const writeMap = async (
  { environment }: CellsContext,
  { cells: file, to, format }: MapOptions,
): Promise<Output> => {
  const cells = readCells(file, environment)
  const organizations = await replaceMap(cells, to, format)
  return {
    text: `${to}: ${organizations} organizations in ${cells.length} cells.`,
    data: { path: to, organizations, cells: cells.length },
  }
}

export type MapFormat = 'haproxy' | 'nginx'

/** Returns the number of organizations in the map. */
export const replaceMap = async (cells: Cell[], path: string, format: MapFormat): Promise<number> => {
  const map = assignCodes(await readDirectory(cells))
  replaceFile(path, `# Written by \`carabiner cells map\`.\n${formatCellMap(map, format)}`)
  return map.size
}

/** Readers find the old or the new content, never a part. The load balancer runs under another account. */
const replaceFile = (path: string, content: string): void => {
  const next = `${path}.${process.pid}.new`
  const file = openSync(next, 'wx', 0o644)
  try {
    writeSync(file, content)
    fsyncSync(file)
    chmodSync(next, 0o644)
    renameSync(next, path)
  } catch (error) {
    rmSync(next, { force: true })
    throw error
  } finally {
    closeSync(file)
  }
}

export const listCells = async (
  { environment }: CellsContext,
  { cells: file }: { cells: string },
): Promise<Output> => {
  const cells = readCells(file, environment)
  const organizations = await readDirectory(cells)
  const width = Math.max(...cells.map(({ name }) => name.length))
  return {
    text:
      organizations
        .map(
          ({ id, routingCode, cell, state, name }) =>
            `${id}  ${routingCode}  ${cell.padEnd(width)}  ${state.padEnd(8)}  ${name}`,
        )
        .join('\n') || 'There are no organizations yet.',
    data: organizations.map(({ id, name, routingCode, cell, state }) => ({
      id,
      name,
      routing_code: routingCode,
      cell,
      state,
    })),
  }
}

export const shareKey = async (
  { environment }: CellsContext,
  from: string,
  to: string,
  { cells: file }: { cells: string },
): Promise<Output> => {
  const cells = readCells(file, environment)
  const [source, target] = [findCell(cells, from), findCell(cells, to)]
  if (source === target) throw new UsageError('The two cells must be different.')
  await withCell(source, sourceDb =>
    withCell(target, async targetDb => {
      await migrate(sourceDb, { apply: false })
      await migrate(targetDb, { apply: true })
      if ((await organizationStore.directory(targetDb)).length > 0)
        throw new CommandError(
          `The cell ${target.name} has organizations. Their links are signed with its own key, which cannot be replaced.`,
        )
      await shareSigningKey(
        { db: sourceDb, ring: await openKeyRing(source.config, sourceDb) },
        { db: targetDb, ring: await openKeyRing(target.config, targetDb) },
      )
    }),
  )
  return {
    text: `The cell ${target.name} uses the signing key of ${source.name}.`,
    data: { from: source.name, to: target.name },
  }
}

const findCell = (cells: Cell[], name: string): Cell => {
  const cell = cells.find(known => known.name === name)
  if (!cell) throw new CommandError(`There is no cell ${name}.`)
  return cell
}
