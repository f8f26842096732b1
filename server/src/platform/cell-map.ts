/** Assigns routing codes of organizations to cells. Load balancers read the same file. */
export type CellMap = ReadonlyMap<string, string>

export class CellMapError extends Error {
  constructor(problem: string, options?: ErrorOptions) {
    super(problem, options)
    this.name = 'CellMapError'
  }
}

export const CELL_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/
const ROUTING_CODE = /^[0-9A-Za-z]{4}$/

/**
 * One `code cell` per line, as in maps of HAProxy, or `~^code$ cell;`, as in maps of nginx. Lines that start with `#` and empty lines are
 * ignored.
 */
export const parseCellMap = (text: string): CellMap => {
  const map = new Map<string, string>()
  for (const [index, line] of text.split('\n').entries()) {
    const trimmed = line.trim()
    if (trimmed === '' || trimmed.startsWith('#')) continue
    const [code = '', cell = '', ...rest] = trimmed.replace(/^~\^(\S+)\$(\s.*);$/, '$1$2').split(/\s+/)
    const at = `line ${index + 1}`
    if (!ROUTING_CODE.test(code) || !CELL_NAME.test(cell) || rest.length > 0)
      throw new CellMapError(
        `${at} must be a routing code of four letters or digits and the name of a cell, not "${trimmed}".`,
      )
    if (map.has(code)) throw new CellMapError(`${at} repeats the routing code ${code}.`)
    map.set(code, cell)
  }
  return map
}

export type MapFormat = 'haproxy' | 'nginx'

const LINES: Record<MapFormat, (code: string, cell: string) => string> = {
  haproxy: (code, cell) => `${code} ${cell}\n`,
  // nginx compares texts without regard to case, and routing codes differ in case. A regular expression is exact.
  nginx: (code, cell) => `~^${code}$ ${cell};\n`,
}

export const formatCellMap = (map: CellMap, format: MapFormat = 'haproxy'): string =>
  [...map]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([code, cell]) => LINES[format](code, cell))
    .join('')
