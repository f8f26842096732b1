import assert from 'node:assert/strict'
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { CellMapError, formatCellMap, parseCellMap } from './cell-map.ts'
import { openCells } from './cells.ts'
import { createLog } from './log.ts'

const folder = mkdtempSync(join(tmpdir(), 'carabiner-cells-'))
after(() => rmSync(folder, { recursive: true }))

test('a map has one code and cell per line, comments and empty lines', () => {
  const map = parseCellMap('# cells\n\nk3Xa eu-1\r\n\t0000   us_2 \n')
  assert.deepEqual(
    [...map],
    [
      ['k3Xa', 'eu-1'],
      ['0000', 'us_2'],
    ],
  )
  assert.equal(formatCellMap(map), '0000 us_2\nk3Xa eu-1\n')
  const forNginx = formatCellMap(map, 'nginx')
  assert.equal(forNginx, '~^0000$ us_2;\n~^k3Xa$ eu-1;\n')
  assert.equal(formatCellMap(parseCellMap(forNginx)), formatCellMap(map))
})

for (const [title, line, expected] of [
  ['a code of another length', 'k3X eu', /line 2 must be a routing code/],
  ['a code with other characters', 'k3-a eu', /line 2/],
  ['a line without a cell', 'k3Xa', /line 2/],
  ['a third word', 'k3Xa eu 1', /line 2/],
  ['a name with other characters', 'k3Xa eu/1', /line 2/],
  ['a repeated code', '0000 us', /line 2 repeats the routing code 0000/],
] as const)
  test(`a map is rejected for ${title}`, () => {
    assert.throws(
      () => parseCellMap(`0000 eu\n${line}\n`),
      error => {
        assert.ok(error instanceof CellMapError)
        assert.match(error.message, expected)
        return true
      },
    )
  })

/** Opens a map file. `read` looks up a code after the check interval has passed. */
const open = (name: string, content: string) => {
  const path = join(folder, name)
  writeFileSync(path, content)
  const lines: string[] = []
  let now = 0
  const log = createLog('warn', { write: line => void lines.push(line) })
  const cells = openCells({ name: 'a', mapPath: path }, { log, now: () => now })
  const replace = (text: string): void => {
    writeFileSync(`${path}.new`, text)
    renameSync(`${path}.new`, path)
  }
  const read = (code: string, elapsedMs = 1000): string | null => {
    now += elapsedMs
    return cells.cellOf(code)
  }
  return { path, lines, replace, read }
}

test('a changed map is read again, at most once a second', () => {
  const { replace, read } = open('changed.map', 'k3Xa a\n')
  assert.equal(read('k3Xa'), 'a')
  assert.equal(read('0000'), null)
  replace('k3Xa b\n')
  assert.equal(read('k3Xa', 999), 'a')
  assert.equal(read('k3Xa', 1), 'b')
})

test('a broken or missing map is logged once, and the previous one stays in use', () => {
  const { path, lines, replace, read } = open('broken.map', 'k3Xa a\n')
  replace('k3Xa\n')
  for (let times = 0; times < 3; times++) assert.equal(read('k3Xa'), 'a')
  assert.equal(lines.length, 1)
  rmSync(path)
  for (let times = 0; times < 3; times++) assert.equal(read('k3Xa'), 'a')
  assert.equal(lines.length, 2)
  replace('k3Xa b\n')
  assert.equal(read('k3Xa'), 'b')
  assert.equal(lines.length, 2)
})

test('at startup, a broken or missing map is an error that names the file', () => {
  const log = createLog('silent')
  const mapPath = join(folder, 'none.map')
  assert.throws(
    () => openCells({ name: 'a', mapPath }, { log }),
    /CELL_MAP is not valid: .*none\.map: it cannot be read \(ENOENT\)/,
  )
  writeFileSync(mapPath, 'x')
  assert.throws(
    () => openCells({ name: 'a', mapPath }, { log }),
    /CELL_MAP is not valid: .*none\.map: line 1 must/,
  )
})
