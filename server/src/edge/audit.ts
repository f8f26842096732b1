import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { AuditedChange, AuditTrail } from '../core/audited-change.ts'
import { isRefusal, Refusal } from '../core/refusal.ts'
import { isUuid } from '../core/uuid.ts'
import { describeChanges, type Resource } from './audit-changes.ts'
import type { Principal } from './principal.ts'

type Place = `params.${string}` | `body.${string}` | `answer.${string}`

/** What a route that changes something says of itself. */
export type Audited = {
  /** `tool_pack.updated`. The noun before the dot is the target's type. */
  action: string
  /** The action where the answer has another status than the usual one. */
  actionOn?: Record<number, string>
  /** Where the target's id stands. */
  target?: Place
  /** Where the id of the Registered User stands whom it concerns. */
  registeredUser?: Place
  /** Fields whose values are told; of all others only the name is. Never a secret, and nothing of an end user. */
  values?: readonly string[]
  /** The resource as it was, as the API shows it: only then are the fields told that really changed, with their old values. */
  before?: (request: FastifyRequest) => Promise<Resource | null>
}

type Begun = { declared: Audited; intent: string; before: Resource | null; change: AuditedChange }

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Required of every route that is not a GET. `false`: nothing that an organization would ask about later. */
    audit?: Audited | false
  }
  interface FastifyRequest {
    /** `told`: its entry is written, or being written. */
    audit: Begun | 'told' | null
  }
}

const USER_AGENT_LENGTH = 200
const ADDRESS_LENGTH = 64
const ID = /^[a-z0-9]+(-[a-z0-9]+)*$/

/**
 * Every change by API is in the audit trail before its answer is sent. Mounted before idempotency keys are honoured: an answer
 * that is kept for a repetition is one whose entry is written. The beginning hangs on the routes themselves, behind every
 * hook: who gets a kept answer, or is refused before the handler runs, begins nothing.
 */
export const auditChanges = (api: FastifyInstance, trail: AuditTrail): void => {
  api.decorateRequest('audit', null)
  api.addHook('onRoute', route => {
    const declared = requireDeclaration(route)
    if (declared) route.preHandler = [begin(trail, declared), ...[route.preHandler ?? []].flat()]
  })
  api.addHook('onSend', async (request, reply, payload) => {
    const { audit } = request
    if (audit === 'told') return payload
    if (audit) {
      request.audit = 'told'
      await end(trail, request, reply, audit, payload)
    } else if (reply.statusCode === 403) {
      request.audit = 'told'
      await tellDenied(trail, request)
    }
    return payload
  })
}

const requireDeclaration = ({ method, url, config }: RouteOptions): Audited | false => {
  if ([method].flat().every(name => ['GET', 'HEAD', 'OPTIONS'].includes(name))) return false
  if (config?.audit === undefined)
    throw new Error(
      `${String(method)} ${url} does not say what it leaves in the audit trail: set \`audit\` in its config, or \`audit: false\`.`,
    )
  return config.audit
}

const begin = (trail: AuditTrail, declared: Audited) => async (request: FastifyRequest) => {
  const change = changeOf(request, declared)
  const before = (await declared.before?.(request).catch(ignoreRefusal)) ?? null
  request.audit = { declared, change, before, intent: await trail.begin(change) }
}

/** What is not there has no values from before; the handler says so itself. */
const ignoreRefusal = (error: unknown): null => {
  if (isRefusal(error)) return null
  throw error
}

const end = async (
  trail: AuditTrail,
  { params, body }: FastifyRequest,
  { statusCode }: FastifyReply,
  { declared, change, before, intent }: Begun,
  payload: unknown,
): Promise<void> => {
  // What cannot be written now is written later: the intent stays, and is entered as `unknown`.
  if (statusCode >= 500) return trail.end(change, 'unknown', intent).catch(() => undefined)
  if (statusCode >= 400) return trail.drop(intent).catch(() => undefined)
  const answer = parseAnswer(payload)
  const done: AuditedChange = {
    ...change,
    ...idsOf(declared, { params, body, answer }),
    action: declared.actionOn?.[statusCode] ?? declared.action,
    changes: describeChanges({ before, answer, body, values: declared.values ?? [] }),
  }
  try {
    await trail.end(done, 'done', intent)
  } catch (cause) {
    // Not `unavailable`: who is told that asks again by itself, and would change it twice.
    throw new Refusal('internal_error', {
      message:
        'The change was made, but the audit trail could not be written. It will say that the outcome is unknown: look before you repeat the request.',
      cause,
    })
  }
}

/** The key is known and may not do this: somebody of the organization tried, or somebody who has its key. */
const tellDenied = async (trail: AuditTrail, request: FastifyRequest): Promise<void> => {
  const declared = request.routeOptions.config.audit
  if (!declared || !(request.principal as Principal | undefined)) return
  await trail.end(changeOf(request, declared), 'denied')
}

/** What is known before the change. Of its body nothing is taken that nobody has checked yet. */
const changeOf = (request: FastifyRequest, declared: Audited): AuditedChange => {
  const { organizationId, apiKeyId, apiKeyHint } = request.principal
  // Who has hung up has no address any more.
  const address: string | undefined = request.ip
  return {
    organizationId,
    action: declared.action,
    ...idsOf(declared, { params: request.params }),
    actor: { type: 'api_key', id: apiKeyId, hint: apiKeyHint },
    sender: {
      address: address?.slice(0, ADDRESS_LENGTH) ?? null,
      userAgent: request.headers['user-agent']?.slice(0, USER_AGENT_LENGTH) ?? null,
    },
    requestId: request.id,
    changes: [],
  }
}

type Given = { params: unknown; body?: unknown; answer?: Resource }

const idsOf = (
  { action, target, registeredUser }: Audited,
  given: Given,
): Pick<AuditedChange, 'target' | 'registeredUserId'> => {
  const userId = find(registeredUser, given)
  return {
    target: { type: action.split('.')[0] as string, id: find(target, given) },
    registeredUserId: userId !== null && isUuid(userId) ? userId : null,
  }
}

/** Of an address only what can be an id is kept: anything may stand there, also a secret that slipped. */
const find = (place: Place | undefined, given: Given): string | null => {
  if (!place) return null
  const [where, name] = place.split('.') as [keyof Given, string]
  const value = (given[where] as Resource | undefined)?.[name]
  if (typeof value !== 'string') return null
  return where !== 'params' || ID.test(value.toLowerCase()) ? value : null
}

const parseAnswer = (payload: unknown): Resource =>
  typeof payload === 'string' && payload.startsWith('{') ? (JSON.parse(payload) as Resource) : {}
