import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { HOUR } from '../../src/core/duration.ts'
import { runTask } from '../../src/features/tools/task-runner/run-task.ts'
import { createAcceptedTasks } from '../../src/features/tools/tasks/accepted-tasks.ts'
import { taskStore } from '../../src/features/tools/tasks/task-store.ts'
import { openBank, type Sending, TASKS } from '../support/approvals/bank.ts'
import { eventually } from '../support/eventually.ts'
import { type HostileServer, result, startHostileMcp } from '../support/hostile-mcp.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const THEIRS = 'their-task-id'
const TASK = { taskId: THEIRS, ttlMs: null, pollIntervalMs: 1, createdAt: '', lastUpdatedAt: '' }
const TOOLS = ['research', 'pay'].map(name => ({
  name,
  inputSchema: { type: 'object', additionalProperties: true },
}))
const DONE = { content: [{ type: 'text', text: 'The report' }] }

type ServerTask = { status: string; [field: string]: unknown }

describe('tasks of MCP servers', () => {
  let t: TestService
  let server: HostileServer
  let theirs: ServerTask
  before(async () => {
    t = await startTestService('postgres')
    server = await startHostileMcp()
  })
  after(async () => {
    await t.stop()
    await server.close()
  })

  const count = (step: string): number => server.requests.filter(request => request.step === step).length

  const open = async () => {
    theirs = { status: 'working' }
    server.reset({
      'server/discover': exchange =>
        result(exchange, {
          supportedVersions: ['2026-07-28'],
          capabilities: { tools: {} },
          serverInfo: { name: 'lab', version: '1' },
        }),
      'tools/list': exchange => result(exchange, { tools: TOOLS }),
      'tools/call': exchange => result(exchange, { ...TASK, resultType: 'task', status: 'working' }),
      'tasks/get': exchange => result(exchange, { ...TASK, ...theirs }),
      'tasks/cancel': exchange => result(exchange, {}),
    })
    const bank = await openBank(t, server)
    const research = (of: Sending = {}) => bank.pay({ about: 'bees' }, { name: 'bank__research', ...of })
    const start = async (): Promise<string> => {
      const { result: created } = await research(TASKS)
      assert.equal(created?.resultType, 'task', JSON.stringify(created))
      return created.taskId
    }
    const ended = (id: string): Promise<any> =>
      eventually(async () => {
        const { result: shown } = await bank.task('get', id)
        assert.equal(shown.status, 'completed', JSON.stringify(shown))
        return shown
      })
    const records = async () =>
      t.query<{ outcome: string; error_code: string | null }>(
        'select outcome, error_code from tool_calls where organization_id = $1 order by started_at, id',
        [bank.organization.id],
      )
    return { ...bank, research, start, ended, records }
  }

  /** The tasks that another process runs. */
  const runDue = async (): Promise<void> => {
    const { features } = t.service
    const deps = { ...features, acceptedTasks: createAcceptedTasks(features) }
    for (const due of await taskStore.findDue(features.db, 100)) await runTask(deps, due)
  }
  const endLeases = () =>
    t.query(`update tool_tasks set lease_until = app_now() - interval '1 second' where status = 'running'`)

  it('are tasks of their client, under an ID of its own, and the call is recorded once with their end [task.server]', async () => {
    const { start, task, ended, records } = await open()
    const id = await start()
    assert.notEqual(id, THEIRS)
    const { result: working } = await task('get', id)
    assert.equal(working.status, 'working')
    assert.doesNotMatch(JSON.stringify(working), new RegExp(`${THEIRS}|approve`))
    assert.deepEqual(await records(), [])
    theirs = { status: 'completed', result: DONE }
    const completed = await ended(id)
    assert.deepEqual(completed.result.content, DONE.content)
    assert.deepEqual(await records(), [{ outcome: 'success', error_code: null }])
    assert.deepEqual([count('tools/call'), count('tasks/cancel')], [1, 0])
    assert.deepEqual((await ended(id)).result, completed.result, 'it can be fetched again')
  })

  it('are waited for within the call of a client without tasks, with an idempotency key, or of a Tool Pack without tasks [task.server]', async () => {
    const { research, organization, must } = await open()
    theirs = { status: 'completed', result: DONE }
    const whole = async (of: Sending = {}) => {
      const { result: answer } = await research(of)
      assert.deepEqual(answer?.content, DONE.content, JSON.stringify(answer))
    }
    await whole()
    await whole({ ...TASKS, meta: { 'Idempotency-Key': 'once' } })
    await must('PATCH', `/tool-packs/${organization.toolPackId}`, { tasks: false })
    await whole(TASKS)
  })

  it('are shown to their owner only, and their call is stored sealed [task.server]', async () => {
    const { start, task, other, must, ended } = await open()
    const id = await start()
    const pack = await must('POST', '/tool-packs', { name: 'Second' })
    for (const place of [{ userId: other.id }, { packId: pack.id }])
      assert.ok((await task('get', id, place)).error, JSON.stringify(place))
    const [row] = await t.query<{ text: string }>(
      `select encode(sealed, 'escape') as text from tool_tasks where id = $1`,
      [id],
    )
    assert.doesNotMatch(row?.text ?? THEIRS, new RegExp(`bees|${THEIRS}`))
    theirs = { status: 'completed', result: DONE }
    await ended(id)
  })

  it('are cancelled with the task of the client [task.server]', async () => {
    const { start, task, records } = await open()
    const id = await start()
    assert.ok((await task('cancel', id)).result)
    await eventually(async () => assert.equal(count('tasks/cancel'), 1))
    await eventually(async () => assert.equal((await records()).length, 1))
    assert.equal((await task('get', id)).result.status, 'cancelled')
    assert.equal((await records())[0]?.outcome, 'error')
  })

  it('that fail, or ask for input, end with an error, and nothing that the server asks is passed on [task.server]', async () => {
    const { start, ended } = await open()
    const ends: [ServerTask, RegExp][] = [
      [{ status: 'failed', error: { code: -32000, message: 'Out of bees' } }, /Out of bees/],
      [
        { status: 'input_required', inputRequests: { a: { url: 'https://evil.example' } } },
        /upstream_input_required/,
      ],
      [{ status: 'cancelled' }, /was cancelled/],
    ]
    for (const [end, expected] of ends) {
      theirs = { status: 'working' }
      const id = await start()
      theirs = end
      const { result: failed } = await ended(id)
      assert.equal(failed.isError, true)
      assert.match(JSON.stringify(failed), expected)
      assert.doesNotMatch(JSON.stringify(failed), /evil/)
    }
  })

  it('are waited for by another process once theirs is killed; the call is not made again [task.server]', async () => {
    const { start, ended } = await open()
    const id = await start()
    await runDue()
    assert.equal(count('tasks/cancel'), 0, 'a process that renews its lease keeps its task')
    await endLeases()
    theirs = { status: 'completed', result: DONE }
    await runDue()
    assert.deepEqual((await ended(id)).result.content, DONE.content)
    assert.equal(count('tools/call'), 1)
  })

  it('go on while their process stops, and are left to another one [task.server]', async () => {
    const { start, task, ended, records } = await open()
    const { features } = t.service
    const running = features.acceptedTasks
    const stopped = createAcceptedTasks(features)
    features.acceptedTasks = stopped
    const id = await start()
    await stopped.stop()
    features.acceptedTasks = running
    assert.equal(count('tasks/cancel'), 0)
    assert.equal((await task('get', id)).result.status, 'working')
    assert.equal((await records())[0]?.outcome, 'error')
    theirs = { status: 'completed', result: DONE }
    await runDue()
    assert.deepEqual((await ended(id)).result.content, DONE.content)
    assert.equal(count('tools/call'), 1)
  })

  it('whose end nobody could wait for in time are unknown [task.server]', async () => {
    const { start, ended } = await open()
    const { features } = t.service
    const running = features.acceptedTasks
    const stopped = createAcceptedTasks(features)
    features.acceptedTasks = stopped
    const id = await start()
    await stopped.stop()
    features.acceptedTasks = running
    await t.moveClock(HOUR + 1)
    await runDue()
    await t.moveClock(-HOUR - 1)
    const { result: unknown } = await ended(id)
    assert.match(JSON.stringify(unknown), /"carried_out":"unknown"/)
  })

  it('are at most 24 of an organization at a time; the next call waits for its own [task.server]', async () => {
    const { start, research, ended } = await open()
    const ids = await Promise.all(Array.from({ length: 24 }, start))
    const waiting = research(TASKS)
    await eventually(async () => assert.equal(count('tools/call'), 25))
    theirs = { status: 'completed', result: DONE }
    assert.deepEqual((await waiting).result?.content, DONE.content)
    for (const id of ids) await ended(id)
  })
})
