import { setTimeout as delay } from 'node:timers/promises'
import type { Answer } from '../test-service.ts'
import type { MoveStage } from './move-stage.ts'

const NOTES = { name: 'sandbox-notes__list_notes', arguments: {} }
/** Between two requests of one client. */
const PAUSE_MS = 25
/** Clients wait for a part of `Retry-After`, so that a test takes less time. */
const RETRY_SHARE = 0.1
/** How long the provider’s responses with new tokens are delayed. */
const TOKEN_DELAY_MS = 300
const MAX_TOKENS = 1_000_000
/** Ends a client whose organization is never active again. */
const MAX_RETRIES = 1000

export type Acknowledged = {
  users: string[]
  /** The request IDs of successful calls. */
  calls: string[]
  /** The users of confirmed credentials. */
  confirmed: string[]
  links: number
}

export type Load = {
  acknowledged: Acknowledged
  /** Answers to requests of the moving organization by status, or by error code of the tool. */
  answers: Record<string, number>
  /** Answers that no client should get. */
  unexpected: string[]
  /** Codes that the load confirms. */
  codes: string[]
  /** Waits for requests in flight. The organization must be active. */
  stop(): Promise<void>
}

const nothing = (): Acknowledged => ({ users: [], calls: [], confirmed: [], links: 0 })

/**
 * Clients at the public address that use the moving organization and the others until they are stopped. `acknowledged`: by an earlier
 * load, if there was one.
 */
export const startLoad = (stage: MoveStage, acknowledged: Acknowledged = nothing()): Load => {
  const { a } = stage.cells
  const { key, toolPackId: packId } = stage.organization
  const stopping = new AbortController()
  const load: Load = {
    acknowledged,
    answers: {},
    unexpected: [],
    codes: [],
    stop: async () => {
      stopping.abort()
      await Promise.all(clients)
      stage.sandbox.clearFaults()
    },
  }
  // Most of the time of a call: the provider has rotated the refresh token, and the service does not have the new one yet.
  stage.sandbox.script({ target: 'token', behavior: 'late', delay_ms: TOKEN_DELAY_MS, times: MAX_TOKENS })
  const count = (answer: string): void => void (load.answers[answer] = (load.answers[answer] ?? 0) + 1)
  const report = (what: string, { status, text }: Answer): void =>
    void load.unexpected.push(`${what}: ${status} ${text.slice(0, 300)}`)

  /** Retries while the organization is being moved. Returns the other answer. */
  const persist = async (send: () => Promise<Answer>): Promise<Answer> => {
    for (let attempt = 0; ; attempt++) {
      const answer = await send()
      const moving = movingCode(answer)
      count(moving ?? String(answer.status))
      if (moving === null || attempt === MAX_RETRIES) return answer
      const seconds = Number(answer.headers.get('retry-after') ?? 1)
      if (answer.status === 503 && !answer.headers.has('retry-after')) report('without Retry-After', answer)
      await delay(seconds * 1000 * RETRY_SHARE)
    }
  }
  const repeat = async (work: () => Promise<void>): Promise<void> => {
    while (!stopping.signal.aborted) {
      await work().catch((error: Error) => load.unexpected.push(`no answer: ${error.message}`))
      await delay(PAUSE_MS)
    }
  }

  const callTool = (userId: string) => async () => {
    const answer = await persist(() => a.mcp(userId, 'tools/call', NOTES, { key, packId }))
    if (answer.status === 200 && answer.body.result?.isError === false)
      load.acknowledged.calls.push(answer.headers.get('x-request-id') as string)
    else report('call', answer)
  }
  const createUser = async () => {
    const headers = { 'idempotency-key': crypto.randomUUID() }
    const body = { origin_user_id: `created-${crypto.randomUUID()}` }
    const answer = await persist(() => a.call('POST', '/api/v1/registered-users', { key, body, headers }))
    if (answer.status === 201) load.acknowledged.users.push(answer.body.id)
    else report('create user', answer)
  }
  const mint = async () => {
    const [userId] = stage.linkedUsers
    const answer = await persist(() =>
      a.call('POST', `/api/v1/registered-users/${userId}/link-token`, { key, body: {} }),
    )
    if (answer.status === 201) load.acknowledged.links++
    else report('mint', answer)
  }
  const confirm = async () => {
    const code = load.codes.shift()
    if (code === undefined) return
    const headers = { 'idempotency-key': crypto.randomUUID() }
    const answer = await persist(() =>
      a.call('POST', '/api/v1/link-token/confirm', { key, body: { code }, headers }),
    )
    if (answer.status === 200) load.acknowledged.confirmed.push(answer.body.registered_user_id)
    else report('confirm', answer)
  }
  /** Another organization: no answer but success is expected. */
  const useOther =
    ({ organization, userId }: MoveStage['others'][number]) =>
    async () => {
      const options = { key: organization.key, packId: organization.toolPackId }
      const called = await a.mcp(userId, 'tools/call', NOTES, options)
      if (called.status !== 200 || called.body.result?.isError !== false)
        report('call of another organization', called)
      const body = { origin_user_id: `created-${crypto.randomUUID()}` }
      const created = await a.call('POST', '/api/v1/registered-users', { key: organization.key, body })
      if (created.status !== 201) report('create user of another organization', created)
    }

  const clients = [
    ...stage.linkedUsers.map(callTool),
    createUser,
    mint,
    confirm,
    ...stage.others.map(useOther),
  ].map(repeat)
  return load
}

/** The reason why a client retries: 503, or a call that was admitted before the freeze and needed a token after it. */
const movingCode = ({ status, body }: Answer): string | null => {
  if (status === 503) return '503'
  const code = body?.result?.structuredContent?.error?.code ?? body?.error?.data?.code
  return code === 'organization_moving' ? code : null
}
