import { chmodSync, closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { type Output, UsageError } from '@carabiner/cli'
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

export const CELLS_HELP = `carabiner cells: several installations behind one load balancer.

  carabiner cells map                   write the map of routing codes, which the load balancer and CELL_MAP use
    --to PATH                           the file to replace
    --format haproxy|nginx              Default: haproxy
  carabiner cells list                  list the organizations of all cells
  carabiner cells share-signing-key FROM TO
                                        give the new cell TO the signing key of FROM, so that links stay valid when an
                                        organization is moved; before the first start of TO

  --cells PATH                          the list of cells: {"cells": [{"name", "address", "database_url_env" or
                                        "database_url_file", "key_file"}, …]}
  --json                                print JSON`

const OPTIONS = {
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  cells: { type: 'string' },
  to: { type: 'string' },
  format: { type: 'string', default: 'haproxy' },
} as const

type Environment = Record<string, string | undefined>

export const runCells = async (args: string[], environment: Environment): Promise<Output> => {
  const { values, positionals } = parse(args)
  const [verb, ...rest] = positionals
  if (values.help || verb === undefined) return { text: CELLS_HELP, data: null }
  const cells = () => {
    if (values.cells === undefined) throw new UsageError(`--cells PATH is required.\n\n${CELLS_HELP}`)
    return readCells(values.cells, environment)
  }
  if (verb === 'map' && rest.length === 0) return writeMap(cells(), values.to, values.format)
  if (verb === 'list' && rest.length === 0) return list(cells())
  if (verb === 'share-signing-key') return share(cells(), rest)
  throw new UsageError(`There is no command "cells ${positionals.join(' ')}".\n\n${CELLS_HELP}`)
}

const parse = (args: string[]) => {
  try {
    return parseArgs({ args, allowPositionals: true, options: OPTIONS })
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n\n${CELLS_HELP}`)
  }
}

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

const writeMap = async (cells: Cell[], to: string | undefined, format: string): Promise<Output> => {
  if (to === undefined) throw new UsageError(`--to PATH is required.\n\n${CELLS_HELP}`)
  const organizations = await replaceMap(cells, to, mapFormat(format))
  return {
    text: `${to}: ${organizations} organizations in ${cells.length} cells.`,
    data: { path: to, organizations, cells: cells.length },
  }
}

export type MapFormat = 'haproxy' | 'nginx'

export const mapFormat = (text: string): MapFormat => {
  if (text === 'haproxy' || text === 'nginx') return text
  throw new UsageError(`--format must be haproxy or nginx, not "${text}".`)
}

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

const list = async (cells: Cell[]): Promise<Output> => {
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

const share = async (cells: Cell[], [from, to, ...others]: string[]): Promise<Output> => {
  const find = (name: string | undefined): Cell => {
    const cell = cells.find(known => known.name === name)
    if (!cell) throw new UsageError(`There is no cell ${name ?? '(name required)'}.\n\n${CELLS_HELP}`)
    return cell
  }
  const [source, target] = [find(from), find(to)]
  if (others.length > 0 || source === target) throw new UsageError(CELLS_HELP)
  await withCell(source, sourceDb =>
    withCell(target, async targetDb => {
      await migrate(sourceDb, { apply: false })
      await migrate(targetDb, { apply: true })
      if ((await organizationStore.directory(targetDb)).length > 0)
        throw new UsageError(
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
