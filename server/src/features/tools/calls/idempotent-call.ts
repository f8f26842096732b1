import { hash } from 'node:crypto'
import { DAY, SECOND } from '../../../core/duration.ts'
import { canonicalJson } from '../../../core/json/canonical-json.ts'
import { Refusal } from '../../../core/refusal.ts'
import type { Database } from '../../../platform/database/database.ts'
import {
  CLAIM_TTL_MS,
  fingerprintOf,
  hashIdempotencyKey,
  isIdempotencyKey,
} from '../../../platform/idempotency-key.ts'
import type { Log } from '../../../platform/log.ts'
import { SealBroken, type SealContext, seal, unseal } from '../../../platform/vault/sealing.ts'
import type { Vault } from '../../../platform/vault/vault.ts'
import { OAuthError } from '../../oauth/protocol.ts'
import type { ToolArguments } from '../../upstream/http/http-tool.ts'
import type { ProviderSuccess } from '../../upstream/provider-response.ts'
import type { Admitted } from '../admission/admit-call.ts'
import type { Access, AuthRequired } from '../steps/call/access.ts'
import { type AnswerKey, callAnswerStore } from './call-answer-store.ts'
import type { Answered } from './call-provider.ts'

const ANSWER_TTL = DAY

type Deps = { db: Database; vault: Vault; log: Log }
type Call = Pick<Admitted, 'admission' | 'reserved' | 'callable'> & {
  name: string
  args: ToolArguments
  access: Access
  idempotencyKey: string | null
}
type CallProvider = (keyForThirdParty: string | null) => Promise<Answered | { authRequired: AuthRequired }>

/** `replayed`: a stored answer; the provider was not called again. */
export type IdempotentAnswer = Answered & { replayed: boolean }
type Once = IdempotentAnswer | { authRequired: AuthRequired }

/**
 * Makes a call with an idempotency key at most once for each user. A repeat is rejected while the call is in flight, and returns
 * the stored answer afterwards. The key is released, so that the next attempt calls the provider, only if the call was certainly not
 * carried out or may be repeated. If that is unknown, or the process died, a repeat is rejected: the caller checks and uses a new key.
 */
export const callIdempotently = async (deps: Deps, call: Call, callProvider: CallProvider): Promise<Once> => {
  const key = call.idempotencyKey
  if (key === null) return asNew(await callProvider(null))
  if (!isIdempotencyKey(key)) throw new Refusal('invalid_idempotency_key', { param: 'Idempotency-Key' })
  const place = placeOf(call, key)
  const earlier = await claim(deps, call, place, key)
  if (earlier) return { answer: earlier, ms: 0, replayed: true }
  const { callId } = call.reserved
  const answered = await callProvider(providerKey(place, call.name, key)).catch(async (error: unknown) => {
    // If this fails too, the key stays claimed, and its outcome counts as unknown after a while.
    const ending = mayBeDone(error) ? callAnswerStore.endPending : callAnswerStore.release
    await ending(deps.db, place, callId).catch(logged(deps.log))
    throw error
  })
  const isFree =
    'authRequired' in answered || (answered.failure !== undefined && !mayBeDone(answered.failure))
  if (isFree) await callAnswerStore.release(deps.db, place, callId)
  // The provider was called, so a failure to store its answer must not become the answer.
  else await keep(deps, call, place, answered.answer).catch(logged(deps.log))
  return asNew(answered)
}

/** An unexpected error may have occurred after the provider was called. A token that cannot be refreshed was rejected before. */
const mayBeDone = (error: unknown): boolean =>
  error instanceof Refusal
    ? error.carriedOut === 'unknown' || error.carriedOut === 'yes'
    : !(error instanceof OAuthError)

const logged =
  (log: Log) =>
  (error: unknown): void =>
    log.error({ error }, 'the answer to a call with an idempotency key could not be stored')

const asNew = (answered: Answered | { authRequired: AuthRequired }): Once =>
  'authRequired' in answered ? answered : { ...answered, replayed: false }

const placeOf = ({ admission }: Call, key: string): AnswerKey => ({
  organizationId: admission.organizationId,
  registeredUserId: admission.userId,
  keyHash: hashIdempotencyKey(key),
})

/** Returns the stored answer, or null if this call has claimed the key. */
const claim = async (
  deps: Deps,
  call: Call,
  place: AnswerKey,
  key: string,
): Promise<ProviderSuccess | null> => {
  const account = call.access.by === 'user' ? call.access.held.credential.id : ''
  // The stored answer to a request by code is a response, which no other call returns.
  const byCode = call.callable.kind === 'request' && call.callable.byCode ? [true] : []
  const fingerprint = fingerprintOf(key, [call.name, account, canonicalJson(call.args), ...byCode])
  const held = {
    ...place,
    fingerprint,
    callId: call.reserved.callId,
    pendingSeconds: CLAIM_TTL_MS / SECOND,
    seconds: ANSWER_TTL / SECOND,
  }
  if (await callAnswerStore.claim(deps.db, held)) return null
  const found = await callAnswerStore.read(deps.db, place)
  if (found && !found.fingerprint.equals(fingerprint))
    throw new Refusal('idempotency_key_reused', { param: 'Idempotency-Key', retryable: false })
  if (found?.sealed) return open(deps, call, place, found.sealed)
  if (found && !found.isPending)
    throw new Refusal('idempotency_outcome_unknown', {
      param: 'Idempotency-Key',
      retryable: false,
      carriedOut: 'unknown',
    })
  throw new Refusal('idempotency_in_progress', {
    param: 'Idempotency-Key',
    retryable: true,
    retryAfterSeconds: 1,
  })
}

const contextOf = ({ organizationId, registeredUserId, keyHash }: AnswerKey): SealContext => [
  'tool-call-answer',
  organizationId,
  registeredUserId,
  keyHash.toString('hex'),
]

const userKey = ({ vault }: Deps, { admission }: Call) =>
  vault.openUserKey(admission.organizationId, admission.userId, admission.userKey)

const keep = async (deps: Deps, call: Call, place: AnswerKey, answer: ProviderSuccess): Promise<void> => {
  const sealed = seal(await userKey(deps, call), JSON.stringify(answer), contextOf(place))
  await callAnswerStore.keep(deps.db, place, call.reserved.callId, sealed, ANSWER_TTL / SECOND)
}

/** An answer that was sealed before a key rotation cannot be decrypted. The call was made, so it is not repeated. */
const open = async (deps: Deps, call: Call, place: AnswerKey, sealed: Buffer): Promise<ProviderSuccess> => {
  try {
    return JSON.parse(
      unseal(await userKey(deps, call), sealed, contextOf(place)).toString('utf8'),
    ) as ProviderSuccess
  } catch (error) {
    if (error instanceof SealBroken)
      throw new Refusal('idempotency_answer_lost', {
        param: 'Idempotency-Key',
        retryable: false,
        cause: error,
      })
    throw error
  }
}

/**
 * The provider gets a derived key. Users may share an account there (with an organization's secret they do by design) and must
 * not receive each other's answers because they chose the same key. RFC 9562 §5.8.
 */
const providerKey = ({ organizationId, registeredUserId }: AnswerKey, name: string, key: string): string => {
  const digest = hash('sha256', JSON.stringify([organizationId, registeredUserId, name, key]), 'hex')
  return digest.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-8$3-8$4-$5')
}
