import type { Audited as AuditDeclaration, ValuePath } from '@carabiner/contract/operations'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import type { AuditedChange, AuditTrail, Sender } from '../core/audited-change.ts'
import { MINUTE, SECOND } from '../core/duration.ts'
import { isRefusal, Refusal } from '../core/refusal.ts'
import { isUuid } from '../core/uuid.ts'
import { describeChanges, type Resource } from './audit-changes.ts'
import { findValue, type RequestValues } from './find-value.ts'
import type { Principal } from './principal.ts'

/** The audit declaration of a route that changes something. */
export type Audited = AuditDeclaration & {
  /** Location of the ID of the Registered User concerned. */
  registeredUser?: ValuePath
  /**
   * Loads the resource before the change, as the API returns it. Only then are the changed fields and their previous
   * values recorded.
   */
  before?: (request: FastifyRequest) => Promise<Resource | null>
}

type PendingAudit = { declared: Audited; intent: string; before: Resource | null; change: AuditedChange }

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Required for every route other than GET. `false`: nothing worth an audit entry. */
    audit?: Audited | false
  }
  interface FastifyRequest {
    /** `recorded`: the entry is written or being written. */
    audit: PendingAudit | 'recorded' | null
  }
}

/** Denied attempts of one key or person in one organization that a process records. */
const MAX_DENIED_PER_MINUTE = 30
const MAX_USER_AGENT_LENGTH = 200
const MAX_ADDRESS_LENGTH = 64

/**
 * Every change by API is in the audit trail before its response is sent. Registered before the idempotency keys, so
 * that a stored response always has an entry. `begin` runs after all hooks of a route, so a replayed or rejected
 * request does not begin an entry.
 */
export const auditChanges = (api: FastifyInstance, trail: AuditTrail): void => {
  api.decorateRequest('audit', null)
  const denied = new RateLimiterMemory({ points: MAX_DENIED_PER_MINUTE, duration: MINUTE / SECOND })
  api.addHook('onRoute', route => {
    const declared = requireDeclaration(route)
    if (declared) route.preHandler = [begin(trail, declared), ...[route.preHandler ?? []].flat()]
  })
  api.addHook('onSend', async (request, reply, payload) => {
    const { audit } = request
    if (audit === 'recorded') return payload
    if (audit) {
      request.audit = 'recorded'
      await end(trail, request, reply, audit, payload)
    } else if (reply.statusCode === 403) {
      request.audit = 'recorded'
      await recordDenied(trail, denied, request)
    }
    return payload
  })
}

const requireDeclaration = ({ method, url, config }: RouteOptions): Audited | false => {
  if ([method].flat().every(name => ['GET', 'HEAD', 'OPTIONS'].includes(name))) return false
  if (config?.audit === undefined)
    throw new Error(
      `${String(method)} ${url} has no audit declaration: set \`audit\` in its config, or \`audit: false\`.`,
    )
  return config.audit
}

const begin = (trail: AuditTrail, declared: Audited) => async (request: FastifyRequest) => {
  const change = changeOf(request, declared)
  const before = (await declared.before?.(request).catch(ignoreRefusal)) ?? null
  request.audit = { declared, change, before, intent: await trail.begin(change) }
}

/** A resource that did not exist has no previous values; the handler returns the error. */
const ignoreRefusal = (error: unknown): null => {
  if (isRefusal(error)) return null
  throw error
}

const end = async (
  trail: AuditTrail,
  { params, body }: FastifyRequest,
  { statusCode }: FastifyReply,
  { declared, change, before, intent }: PendingAudit,
  payload: unknown,
): Promise<void> => {
  // If the entry cannot be written now, the intent remains and is recorded later as `unknown`.
  if (statusCode >= 500) return trail.end(change, 'unknown', intent).catch(() => undefined)
  if (statusCode >= 400) return trail.drop(change, intent).catch(() => undefined)
  const response = parseResponse(payload)
  const done: AuditedChange = {
    ...change,
    ...idsOf(declared, { params, body, response }),
    action: declared.actionOn?.[statusCode] ?? declared.action,
    changes: describeChanges({ before, response, body, values: declared.values ?? [] }),
  }
  try {
    await trail.end(done, 'done', intent)
  } catch (cause) {
    // Not `unavailable`: clients retry that automatically and would make the change twice.
    throw new Refusal('internal_error', {
      message:
        'The change was made, but the audit trail could not be written and will record the outcome as unknown. Check the result before you repeat the request.',
      cause,
    })
  }
}

/**
 * Records the attempt of a valid key or a member without the required permission. Entries are never deleted, so a caller who repeats
 * such attempts adds a limited number of them.
 */
const recordDenied = async (
  trail: AuditTrail,
  limiter: RateLimiterMemory,
  request: FastifyRequest,
): Promise<void> => {
  const declared = request.routeOptions.config.audit
  if (!declared || !(request.principal as Principal | undefined)) return
  const { organizationId, actor } = request.principal
  const isWithinLimit = await limiter.consume(`${organizationId}:${actor.id}`).then(
    () => true,
    () => false,
  )
  if (!isWithinLimit) return
  await trail.end(changeOf(request, declared), 'denied')
}

/** The known facts before the change. Unvalidated body fields are not used. */
const changeOf = (request: FastifyRequest, declared: Audited): AuditedChange => {
  const { organizationId, actor } = request.principal
  return {
    organizationId,
    action: declared.action,
    ...idsOf(declared, { params: request.params }),
    actor,
    sender: senderOf(request),
    requestId: request.id,
    changes: [],
  }
}

export const senderOf = (request: FastifyRequest): Sender => {
  // The address of a disconnected client is unknown.
  const address: string | undefined = request.ip
  return {
    address: address?.slice(0, MAX_ADDRESS_LENGTH) ?? null,
    userAgent: request.headers['user-agent']?.slice(0, MAX_USER_AGENT_LENGTH) ?? null,
  }
}

const idsOf = (
  { action, target, registeredUser }: Audited,
  given: RequestValues,
): Pick<AuditedChange, 'target' | 'registeredUserId'> => {
  const userId = findValue(registeredUser, given)
  return {
    target: { type: action.split('.')[0] as string, id: findValue(target, given) },
    registeredUserId: userId !== null && isUuid(userId) ? userId : null,
  }
}

const parseResponse = (payload: unknown): Resource =>
  typeof payload === 'string' && payload.startsWith('{') ? (JSON.parse(payload) as Resource) : {}
