import { readFileSync, statSync } from 'node:fs'
import { SECOND } from '../core/duration.ts'
import { type CellMap, CellMapError, parseCellMap } from './cell-map.ts'
import type { Log } from './log.ts'

/** The cells that share the public URLs of this installation. */
export type Cells = {
  /** The name of this cell. */
  own: string
  /** The cell of a routing code; null if the map does not list the code. */
  cellOf(code: string): string | null
}

export type CellSettings = { name: string; mapPath: string }

const MIN_CHECK_INTERVAL_MS = SECOND

type Options = { log: Log; now?: () => number }

/**
 * Reads the map, and reads it again after the file has changed. A file that cannot be read or parsed is logged once and the last good map
 * stays in use. At startup, such a file is an error.
 */
export const openCells = (
  { name, mapPath }: CellSettings,
  { log, now = performance.now.bind(performance) }: Options,
): Cells => {
  let { map, version } = readMap(mapPath)
  let checkedAt = now()

  const refresh = (): void => {
    if (now() - checkedAt < MIN_CHECK_INTERVAL_MS) return
    checkedAt = now()
    const found = versionOf(mapPath)
    if (found === version) return
    version = found
    try {
      ;({ map, version } = readMap(mapPath))
    } catch (error) {
      log.error({ error }, 'the cell map cannot be used; the previous one stays in use')
    }
  }
  return {
    own: name,
    cellOf: code => {
      refresh()
      return map.get(code) ?? null
    },
  }
}

const readMap = (path: string): { map: CellMap; version: string } => {
  // Read before the content, so that a change in between is found by the next check.
  const version = versionOf(path)
  try {
    return { map: parseCellMap(readFileSync(path, 'utf8')), version }
  } catch (error) {
    const why =
      error instanceof CellMapError
        ? error.message
        : `it cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'}).`
    throw new CellMapError(`CELL_MAP is not valid: ${path}: ${why}`, { cause: error })
  }
}

/** Changes with the content of the file. The inode identifies a file that was replaced by a rename. */
const versionOf = (path: string): string => {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stats ? `${stats.ino} ${stats.size} ${stats.mtimeNs}` : 'missing'
}
