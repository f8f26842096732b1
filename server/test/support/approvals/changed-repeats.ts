import { HOUR, MINUTE } from '../../../src/core/duration.ts'
import { type HostileServer, result, startHostileMcp } from '../hostile-mcp.ts'
import { signInPerson } from '../person-session.ts'
import { startTestService, type TestService } from '../test-service.ts'

type Arguments = Record<string, unknown>
type Call = { name: string; args: Arguments; raw?: string }

const TOOLS = ['pay', 'pay_later'].map(name => ({ name, inputSchema: { type: 'object' } }))

/** An approved call, and the next one like it. */
const payment = (number: number): Arguments => ({
  to: `user-${number}@example.com`,
  amount: 10 + (number % 90),
  note: `Café ${number}`,
  tags: ['a', 'b'],
  details: { urgent: false, reference: `INV-${number}` },
})

/** Every way in which a repeat can differ, each in one respect. */
const changesOf = (args: Arguments): Call[] => {
  const { to, amount, note, tags, details, ...rest } = args as Record<string, any>
  const changed: Arguments[] = [
    { ...args, to: `${to}.evil.example` },
    { ...args, to: [to] },
    { ...args, to: to.replace('e', '\u0435') },
    { ...args, to: `${to} ` },
    { ...args, to: to.toUpperCase() },
    { ...args, to: null },
    { ...rest, amount, note, tags, details },
    { ...args, amount: amount + 1 },
    { ...args, amount: amount + Number.EPSILON * 64 },
    { ...args, amount: String(amount) },
    { ...args, amount: -amount },
    { ...args, note: note.normalize('NFD') },
    { ...args, note: `${note}\u200b` },
    { ...args, note: `\u202e${note}` },
    { ...args, tags: [...tags].toReversed() },
    { ...args, tags: [...tags, 'c'] },
    { ...args, tags: tags.slice(1) },
    { ...args, tags: tags.join(',') },
    { ...args, details: { ...details, urgent: true } },
    { ...args, details: { ...details, urgent: 0 } },
    { ...args, details: { urgent: false } },
    { ...args, details: { ...details, added: null } },
    { ...args, details: JSON.stringify(details) },
    { ...args, added: null },
    { ...args, To: to },
    { ...args, toString: 1 },
    {},
  ]
  return [
    ...changed.map(each => ({ name: 'bank__pay', args: each })),
    { name: 'bank__pay_later', args },
    { name: 'bank__pay', args: { arguments: args } },
  ]
}

/** The same call in other spellings of JSON. */
const spellingsOf = (args: Arguments): string[] => {
  const names = Object.keys(args)
  const spell = (order: string[], number: (value: number) => string): string =>
    `{${order.map(name => `${JSON.stringify(name)}:${typeof args[name] === 'number' ? number(args[name]) : JSON.stringify(args[name])}`).join(', ')}}`
  return [
    spell(names.toReversed(), String),
    spell(names, value => `${value}.0`),
    spell(names.toSorted(), value => `${value / 10}e1`),
    spell(names, String).replace('Café', 'Caf\\u00e9'),
  ]
}

export type Repeats = {
  repeats: number
  /** Calls that the provider has received although they were not approved. */
  carriedOut: number
  approved: number
  /** Approved calls that the provider has received exactly once. */
  ranOnce: number
  problems: string[]
}

/**
 * Approves calls, repeats each of them changed in one respect, and then once in another spelling. Users have keys of their own, and the clock
 * moves on before a limit is met.
 */
export const repeatChanged = async (
  wanted: number,
  { users = 20, onProgress = () => undefined }: { users?: number; onProgress?: (done: Repeats) => void } = {},
): Promise<Repeats> => {
  const server = await startHostileMcp()
  const t = await startTestService(undefined, {}, { withJobs: false })
  try {
    return await repeat(t, server, { wanted, users, onProgress })
  } finally {
    await t.stop()
    await server.close()
  }
}

const repeat = async (
  t: TestService,
  server: HostileServer,
  { wanted, users, onProgress }: { wanted: number; users: number; onProgress: (done: Repeats) => void },
): Promise<Repeats> => {
  const received = new Map<string, number>()
  server.reset({
    'tools/list': exchange => result(exchange, { tools: TOOLS }),
    'tools/call': exchange => {
      const { name, arguments: args } = exchange.message.params
      const key = JSON.stringify([name, Object.entries(args).toSorted(([a], [b]) => (a < b ? -1 : 1))])
      received.set(key, (received.get(key) ?? 0) + 1)
      return result(exchange, { content: [{ type: 'text', text: 'paid' }] })
    },
  })
  const api = async (method: string, path: string, body?: unknown) => {
    const answer = await t.call(method, `/api/v1${path}`, body === undefined ? {} : { body })
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`)
    return answer.body
  }
  await api('POST', '/connectors', { name: 'Bank', slug: 'bank', url: server.url })
  await api('POST', '/policy-rules', { name: 'Payments', effect: 'ask', tools: ['bank__*'] })
  const callers = await Promise.all(
    Array.from({ length: users }, async () => {
      const { id } = await t.createUser()
      const { key } = await api('POST', `/registered-users/${id}/mcp-keys`, {
        name: 'Proof',
        expires_in_days: 365,
      })
      return { id, key: key as string, asked: 0 }
    }),
  )
  const done: Repeats = { repeats: 0, carriedOut: 0, approved: 0, ranOnce: 0, problems: [] }
  const problem = (text: string): void => void (done.problems.length < 20 && done.problems.push(text))
  const call = async (caller: { id: string; key: string }, name: string, args: string) => {
    const raw = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":${args}}}`
    const path = `/api/v1/tool-packs/${t.organization.toolPackId}/registered-users/${caller.id}/mcp`
    const { body } = await t.call('POST', path, { key: caller.key, raw })
    return body.result ?? body
  }
  const idOf = (answer: any): string | null =>
    answer.structuredContent?.type === 'approval_meta' ? answer.structuredContent.approval_id : null
  const changes = changesOf(payment(0)).length
  let number = 0
  let member = await signInPerson(t, { role: 'security' })

  /** One approved call with all of its changed repeats. */
  const round = async (caller: (typeof callers)[number], args: Arguments): Promise<void> => {
    const asked = idOf(await call(caller, 'bank__pay', JSON.stringify(args)))
    if (!asked) return problem(`no approval was requested for ${JSON.stringify(args)}`)
    const { approval_digest } = await api('GET', `/approvals/${asked}`)
    const decide = () =>
      member.call('POST', `/api/v1/approvals/${asked}/decision`, {
        body: { decision: 'approve', approval_digest },
      })
    let decided = await decide()
    // On a slow machine, the sign-in is not recent any more.
    if (decided.body.error?.code === 'recent_sign_in_required') {
      member = await signInPerson(t, { role: 'security' })
      decided = await decide()
    }
    if (decided.status !== 200) return problem(`the decision failed: ${decided.text}`)
    done.approved++
    const before = sum(received)
    for (const { name, args: changed } of changesOf(args)) {
      const answer = await call(caller, name, JSON.stringify(changed))
      const id = idOf(answer)
      done.repeats++
      if (!id || id === asked) problem(`${name} ${JSON.stringify(changed)}: ${JSON.stringify(answer)}`)
      else await api('POST', `/approvals/${id}/withdraw`)
    }
    done.carriedOut += sum(received) - before
    const spellings = spellingsOf(args)
    const spelling = spellings[number % spellings.length] as string
    const ran = await call(caller, 'bank__pay', spelling)
    const again = await call(caller, 'bank__pay', JSON.stringify(args))
    if (ran.content?.[0]?.text !== 'paid') problem(`${spelling}: ${JSON.stringify(ran)}`)
    else if (again.structuredContent?.error?.code !== 'approval_used')
      problem(`a second repeat: ${JSON.stringify(again)}`)
    else if (sum(received) - before === 1) done.ranOnce++
    received.clear()
  }

  while (done.repeats < wanted) {
    // Each caller may ask 60 times an hour: once for the approved call, and once for each change.
    for (let turn = 0; turn < Math.floor(60 / (changes + 1)) && done.repeats < wanted; turn++)
      for (const caller of callers) {
        if (done.repeats >= wanted) break
        await round(caller, payment(number++))
      }
    onProgress(done)
    await t.moveClock(HOUR + MINUTE)
    member = await signInPerson(t, { role: 'security' })
  }
  return done
}

const sum = (counts: ReadonlyMap<string, number>): number =>
  [...counts.values()].reduce((total, count) => total + count, 0)
