import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { createBrowserUser, linkNotes } from '../browser-user.ts'
import { compiledCode } from '../compiled-code.ts'
import { eventually } from '../eventually.ts'
import { startHaproxy } from '../load-balancers.ts'
import { DATABASE_TIMEOUT_MS, type TestOrganization, type TestService } from '../test-service.ts'
import { type CellName, openTwoCells, type TwoCells } from '../two-cells.ts'

const CLI = join(import.meta.dirname, '../../../../apps/carabiner/bin/carabiner.mjs')
const APP = 'https://app.example.com'
/** Tokens that expire within a minute are refreshed before they are used, so every call refreshes one. */
const ACCESS_TOKEN_SECONDS = 50

/** An organization that is moved between two cells, and one in each cell that is not. */
export type MoveStage = TwoCells & {
  organization: TestOrganization
  /** Users of the organization whose accounts are linked at a provider that rotates refresh tokens and revokes reused ones. */
  linkedUsers: string[]
  others: { organization: TestOrganization; userId: string }[]
  cell(name: CellName): TestService
  startMove(to: CellName): RunningMove
  /** Runs the command, and kills it while the organization is frozen. */
  killDuringFreeze(to: CellName): Promise<void>
  /** Returns an authorization code that is to be confirmed. */
  issueCode(): Promise<string>
}

export type RunningMove = {
  process: ChildProcess
  /** `code` is null after a kill. */
  ended: Promise<{ code: number | null; output: string }>
}

export const openMoveStage = async (
  opened: AsyncDisposableStack,
  { linkedUsers: count, clusterSettings }: { linkedUsers: number; clusterSettings?: Record<string, string> },
): Promise<MoveStage> => {
  const cells = await openTwoCells(opened, {
    sandbox: { accessTokenSeconds: ACCESS_TOKEN_SECONDS },
    ...(clusterSettings && { clusterSettings }),
  })
  const { a, b } = cells.cells
  const staying = await a.createOrganization('Staying')
  cells.writeMap(
    'haproxy',
    new Map([
      [a.organization.id, 'a'],
      [staying.id, 'a'],
      [b.organization.id, 'b'],
    ]),
  )
  const { folder, port, mapPath, ports } = cells
  const balancer = await startHaproxy({ folder, port, mapPath, cellPorts: ports })
  opened.defer(() => balancer.stop())
  const cellsFile = writeCellsFile(cells)

  const linkUser = async (t: TestService, { key }: TestOrganization, name: string): Promise<string> => {
    const { id } = await t.createUser({ origin_user_id: name }, key)
    const { magic_link_url: url } = await t.mint(id, { connector: 'sandbox-notes' }, key)
    await linkNotes(createBrowserUser(), url)
    return id
  }
  const { organization } = a
  await a.allowOrigin(APP)
  const linkedUsers: string[] = []
  while (linkedUsers.length < count)
    linkedUsers.push(await linkUser(a, organization, `linked-${linkedUsers.length}`))
  const others: MoveStage['others'] = []
  for (const [t, other] of [
    [a, staying],
    [b, b.organization],
  ] as const)
    others.push({ organization: other, userId: await linkUser(t, other, 'staying') })

  const startMove: MoveStage['startMove'] = to => {
    const words = ['org', 'move', organization.id, '--to', to, '--cells', cellsFile, '--map', mapPath]
    const child = spawn(process.execPath, [CLI, ...words, '--reload', balancer.reloadCommand, '--json'], {
      env: {
        PATH: process.env.PATH,
        ...compiledCode,
        DATABASE_TIMEOUT_MS,
        CELL_A_DATABASE_URL: a.databaseUrl,
        CELL_B_DATABASE_URL: b.databaseUrl,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    child.stdout.on('data', chunk => (output += String(chunk)))
    child.stderr.on('data', chunk => (output += String(chunk)))
    return {
      process: child,
      ended: once(child, 'close').then(([code]) => ({ code: code as number | null, output })),
    }
  }

  return {
    ...cells,
    organization,
    linkedUsers,
    others,
    cell: name => cells.cells[name],
    startMove,
    killDuringFreeze: async to => {
      const source = cells.cells[to === 'a' ? 'b' : 'a']
      // The fence waits for this lock, so that the organization stays frozen until the command is killed.
      const holder = new pg.Client({ connectionString: source.databaseUrl })
      await holder.connect()
      await holder.query('begin; lock table link_logos in row exclusive mode')
      const { process: child, ended } = startMove(to)
      await eventually(async () => {
        const [row] = await source.query('select state from organizations where id = $1', [organization.id])
        if (row.state !== 'leaving') throw new Error(`the organization is ${row.state}`)
      })
      child.kill('SIGKILL')
      const { code, output } = await ended
      await holder.end()
      if (code !== null) throw new Error(`the move was not killed: ${output}`)
    },
    issueCode: async () => {
      const { id } = await a.createUser({ origin_user_id: `confirmed-${crypto.randomUUID()}` })
      const target = { Connector: 'sandbox-notes', callback_url: `${APP}/cb`, state: 's' }
      const person = createBrowserUser()
      await linkNotes(person, (await a.mint(id, target)).magic_link_url)
      return new URL(person.lastLocation ?? '').searchParams.get('code') as string
    },
  }
}

const writeCellsFile = ({ folder, ports, cells }: TwoCells): string => {
  const path = join(folder, 'cells.json')
  const list = (['a', 'b'] as const).map((name, index) => ({
    name,
    address: `http://127.0.0.1:${ports[index]}`,
    database_url_env: `CELL_${name.toUpperCase()}_DATABASE_URL`,
    key_file: cells[name].keyFile,
  }))
  writeFileSync(path, JSON.stringify({ cells: list }))
  return path
}
