import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it, test } from 'node:test'
import { createLog, openDirectDatabase, openVaultFor, readConfig } from '@carabiner/server/operator'
import { createTestDatabase, type TestDatabase } from '../../../../server/test/support/databases.ts'
import { runSql } from '../../../../server/test/support/run-sql.ts'
import { runWords } from '../../test/run-words.ts'
import { assignCodes, type PlacedOrganization } from './cell-directory.ts'

describe('carabiner cells', () => {
  const folder = mkdtempSync(join(tmpdir(), 'carabiner-cli-'))
  const at = (name: string) => join(folder, name)
  const environment: Record<string, string> = {}
  const databases: TestDatabase[] = []
  before(async () => {
    for (const name of ['A', 'B']) {
      const database = await createTestDatabase('postgres')
      databases.push(database)
      environment[`${name}_URL`] = database.url as string
    }
    writeFileSync(at('b.url'), `${environment.B_URL}\n`)
    writeFileSync(
      at('cells.json'),
      JSON.stringify({
        cells: [
          { name: 'a', address: 'http://10.0.0.1:4000', database_url_env: 'A_URL', key_file: at('a.key') },
          {
            name: 'b',
            address: 'http://10.0.0.2:4000',
            database_url_file: at('b.url'),
            key_file: at('b.key'),
          },
        ],
      }),
    )
  })
  after(async () => {
    for (const database of databases) await database.drop()
    rmSync(folder, { recursive: true })
  })
  const cells = (...words: string[]) =>
    runWords(['cells', ...words, '--cells', at('cells.json')], environment)
  const own = (cell: 'a' | 'b', more: Record<string, string> = {}) => ({
    DATABASE_URL: environment[`${cell.toUpperCase()}_URL`] as string,
    KEY_FILE: at(`${cell}.key`),
    ...more,
  })
  const createOrg = async (cell: 'a' | 'b', name: string): Promise<string> =>
    ((await runWords(['org', 'create', name], own(cell))).data as { id: string }).id
  const setState = async (cell: 'a' | 'b', id: string, state: string): Promise<void> => {
    const db = await openDirectDatabase(readConfig(own(cell)), createLog('silent'))
    await runSql(db, 'update organizations set state = $1 where id = $2', [state, id])
    await db.close()
  }

  it('share-signing-key: links of one cell are valid in the other', async () => {
    assert.match((await runWords(['org', 'list'], own('a'))).text, /no organizations/)
    const answer = await cells('share-signing-key', 'a', 'b')
    assert.deepEqual(answer.data, { from: 'a', to: 'b' })
    const signatures = await Promise.all(
      (['a', 'b'] as const).map(async name => {
        const config = readConfig(own(name))
        const db = await openDirectDatabase(config, createLog('silent'))
        const { signer } = await openVaultFor(config, db)
        await db.close()
        return signer.sign('magic-link', 'text').toString('hex')
      }),
    )
    assert.equal(signatures[0], signatures[1])
    await assert.rejects(cells('share-signing-key', 'a', 'c'), /There is no cell c/)
    await assert.rejects(cells('share-signing-key', 'a'), /Missing required argument 'to'/)
  })

  it('list and map: the organizations of all cells', async () => {
    const orbit = await createOrg('a', 'Orbit')
    const kepler = await createOrg('b', 'Kepler')
    await assert.rejects(cells('share-signing-key', 'a', 'b'), /The cell b has organizations/)
    const listed = (await cells('list')).data as { id: string; routing_code: string; cell: string }[]
    assert.deepEqual(
      listed.map(({ id, cell }) => [id, cell]),
      [
        [orbit, 'a'],
        [kepler, 'b'],
      ],
    )
    assert.match((await cells('list')).text, new RegExp(`${kepler}  [0-9A-Za-z]{4}  b  active    Kepler`))
    const answer = await cells('map', '--to', at('cells.map'))
    assert.deepEqual(answer.data, { path: at('cells.map'), organizations: 2, cells: 2 })
    const lines = () => readFileSync(at('cells.map'), 'utf8').trim().split('\n').slice(1)
    const expected = listed.map(({ routing_code, cell }) => `${routing_code} ${cell}`)
    assert.deepEqual(lines(), expected.toSorted())
    assert.equal(statSync(at('cells.map')).mode & 0o777, 0o644, 'the load balancer can read it')
    await cells('map', '--to', at('cells.map'), '--format', 'nginx')
    assert.deepEqual(lines(), expected.map(line => `~^${line.replace(' ', '$ ')};`).toSorted())
    assert.deepEqual(
      readdirSync(folder).filter(name => name.endsWith('.new')),
      [],
    )
  })

  it('map: an organization that leaves stays in its cell until it was moved', async () => {
    const id = await createOrg('a', 'Mobile')
    const code = async () => {
      await cells('map', '--to', at('moving.map'))
      const [, cell] =
        new RegExp(`^${await codeOf(id)} (\\w)$`, 'm').exec(readFileSync(at('moving.map'), 'utf8')) ?? []
      return cell
    }
    const codeOf = async (wanted: string) =>
      ((await cells('list')).data as { id: string; routing_code: string }[]).find(
        ({ id: known }) => known === wanted,
      )?.routing_code
    await setState('a', id, 'leaving')
    assert.equal(await code(), 'a')
    await setState('a', id, 'moved')
    assert.equal(await code(), undefined)
  })

  it('org create: draws another ID if the map lists the routing code', async () => {
    await assert.rejects(
      runWords(['org', 'create', 'X'], own('a', { CELL: 'a', CELL_MAP: at('none.map') })),
      /CELL_MAP is not valid/,
    )
    const settings = own('a', { CELL: 'a', CELL_MAP: at('cells.map') })
    const created = await runWords(['org', 'create', 'Careful'], settings)
    assert.match((created.data as { production_key: string }).production_key, /^cb_sk_live_/)
  })

  it('reports an invalid list of cells', async () => {
    const valid = { name: 'a', address: 'http://10.0.0.1', database_url_env: 'A_URL', key_file: 'k' }
    for (const [content, expected] of [
      ['{', /is not JSON/],
      ['null', /at least one cell/],
      ['{"cells":[]}', /at least one cell/],
      [{ cells: [{}] }, /cell 1 has no name/],
      [{ cells: ['a'] }, /cell 1 has no name/],
      [{ cells: [{ ...valid, name: 'a b' }] }, /"a b" is not a valid name/],
      [{ cells: [{ ...valid, address: 'x' }] }, /address must be an http\(s\) URL/],
      [{ cells: [{ ...valid, key_file: 1 }] }, /key_file must be a text/],
      [{ cells: [{ ...valid, database_url: 'postgres://secret' }] }, /unknown field "database_url"/],
      [{ cells: [{ ...valid, database_url_file: 'x' }] }, /either database_url_env or database_url_file/],
      [{ cells: [{ ...valid, database_url_env: 'NONE' }] }, /NONE is not set/],
      [{ cells: [valid, valid] }, /names the cell a twice/],
    ] as const) {
      writeFileSync(at('bad.json'), typeof content === 'string' ? content : JSON.stringify(content))
      await assert.rejects(runWords(['cells', 'list', '--cells', at('bad.json')], environment), expected)
    }
    await assert.rejects(runWords(['cells', 'list', '--cells', at('none.json')], environment), /ENOENT/)
    await assert.rejects(
      runWords(['cells', 'list'], environment),
      /Required option '--cells <path>' not specified/,
    )
    await assert.rejects(cells('map'), /Required option '--to <path>' not specified/)
    await assert.rejects(
      cells('map', '--to', at('x'), '--format', 'csv'),
      /Allowed choices are haproxy, nginx/,
    )
    await assert.rejects(cells('draw'), /Unknown command 'draw'/)
    assert.match((await runWords(['cells'], environment)).text, /Commands:[\s\S]*map \[options\]/)
  })
})

const organization = (cell: string, state: PlacedOrganization['state'], id = '1'): PlacedOrganization => ({
  id,
  name: 'Orbit',
  routingCode: 'k3Xa',
  cell,
  state,
})

for (const [title, organizations, expected] of [
  ['active', [organization('a', 'active')], 'a'],
  ['being moved', [organization('a', 'leaving'), organization('b', 'arriving')], 'a'],
  ['active in the target of its move', [organization('a', 'leaving'), organization('b', 'active')], 'b'],
  ['moved', [organization('a', 'moved'), organization('b', 'active')], 'b'],
  ['moved, and about to be served', [organization('a', 'moved'), organization('b', 'arriving')], 'b'],
  ['moved elsewhere', [organization('a', 'moved')], undefined],
  ['being deleted', [organization('a', 'deleting')], 'a'],
] as const)
  test(`the cell of an organization that is ${title}`, () =>
    assert.equal(assignCodes(organizations).get('k3Xa'), expected))

for (const [title, organizations] of [
  ['one organization in two cells', [organization('a', 'active'), organization('b', 'active')]],
  ['two organizations with the same code', [organization('a', 'active'), organization('b', 'leaving', '2')]],
] as const)
  test(`no map is written for ${title}`, () =>
    assert.throws(() => assignCodes(organizations), /cells a and b both have .* k3Xa/))
