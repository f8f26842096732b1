import { hash } from 'node:crypto'
import { DAY, MINUTE, SECOND } from '../../../core/duration.ts'
import { Refusal } from '../../../core/refusal.ts'
import type { Database } from '../../../platform/database/database.ts'
import { fingerprintOf, hashIdempotencyKey, isIdempotencyKey } from '../../../platform/idempotency-key.ts'
import { SealBroken, type SealContext, seal, unseal } from '../../../platform/vault/sealing.ts'
import type { Vault } from '../../../platform/vault/vault.ts'
import type { ToolArguments } from '../../upstream/http/http-tool.ts'
import { canonicalJson } from '../../upstream/json.ts'
import type { Good } from '../../upstream/provider-answer.ts'
import type { Admitted } from '../admission/admit-call.ts'
import { type AnswerPlace, callAnswerStore } from './call-answer-store.ts'
import type { Answered } from './call-provider.ts'
import type { Lack } from './resolve-credential.ts'

/** Longer than any call runs. A process that dies holds its caller's key up for so long, and no longer. */
const CLAIM = 2 * MINUTE
const ANSWER_KEPT = DAY

type Deps = { db: Database; vault: Vault }
type Call = Pick<Admitted, 'row' | 'callId'> & {
  name: string
  args: ToolArguments
  idempotencyKey: string | null
}
type Ask = (keyForThirdParty: string | null) => Promise<Answered | { lacks: Lack }>

/** `replayed`: the third party gave this answer before, and was not asked again. */
export type AnsweredOnce = Answered & { replayed: boolean }
type Once = AnsweredOnce | { lacks: Lack }

/**
 * With a key of its caller's, a call of one user is made once: sent again while it runs it is told to wait, and afterwards
 * gets the same answer. Kept is what the third party answered, be it an error of its own. A missing credential, a refusal
 * and an unknown outcome leave the key free, so that the next try is a real one.
 */
export const answerOnce = async (deps: Deps, call: Call, ask: Ask): Promise<Once> => {
  const key = call.idempotencyKey
  if (key === null) return asNew(await ask(null))
  if (!isIdempotencyKey(key)) throw new Refusal('invalid_idempotency_key', { param: 'Idempotency-Key' })
  const place = placeOf(call, key)
  const earlier = await claim(deps, call, place, key)
  if (earlier) return { answer: earlier, ms: 0, replayed: true }
  const release = () => callAnswerStore.release(deps.db, place, call.callId)
  const answered = await ask(keyForThirdParty(place, call.name, key)).catch(async (error: unknown) => {
    await release()
    throw error
  })
  // Where this fails, the key stays claimed until its time is up: what was done is not done again at once.
  if ('lacks' in answered) await release()
  else await keep(deps, call, place, answered.answer)
  return asNew(answered)
}

const asNew = (answered: Answered | { lacks: Lack }): Once =>
  'lacks' in answered ? answered : { ...answered, replayed: false }

const placeOf = ({ row }: Call, key: string): AnswerPlace => ({
  organizationId: row.organization_id,
  registeredUserId: row.user_id,
  keyHash: hashIdempotencyKey(key),
})

/** Null where the key is this call's now. */
const claim = async (deps: Deps, call: Call, place: AnswerPlace, key: string): Promise<Good | null> => {
  const fingerprint = fingerprintOf(key, [call.name, canonicalJson(call.args)])
  const held = { ...place, fingerprint, callId: call.callId, seconds: CLAIM / SECOND }
  if (await callAnswerStore.claim(deps.db, held)) return null
  const found = await callAnswerStore.read(deps.db, place)
  if (found && !found.fingerprint.equals(fingerprint))
    throw new Refusal('idempotency_key_reused', { param: 'Idempotency-Key', retryable: false })
  if (!found?.sealed)
    throw new Refusal('idempotency_in_progress', {
      param: 'Idempotency-Key',
      retryable: true,
      retryAfterSeconds: 1,
    })
  return open(deps, call, place, found.sealed)
}

const contextOf = ({ organizationId, registeredUserId, keyHash }: AnswerPlace): SealContext => [
  'tool-call-answer',
  organizationId,
  registeredUserId,
  keyHash.toString('hex'),
]

const userKey = ({ vault }: Deps, { row }: Call) =>
  vault.openUserKey(row.organization_id, row.user_id, row.user_key)

const keep = async (deps: Deps, call: Call, place: AnswerPlace, answer: Good): Promise<void> => {
  const sealed = seal(await userKey(deps, call), JSON.stringify(answer), contextOf(place))
  await callAnswerStore.keep(deps.db, place, call.callId, sealed, ANSWER_KEPT / SECOND)
}

/** What was forgotten, or sealed before the user's key was rotated, does not open: it is known to be made, and not made again. */
const open = async (deps: Deps, call: Call, place: AnswerPlace, sealed: Buffer): Promise<Good> => {
  try {
    return JSON.parse(unseal(await userKey(deps, call), sealed, contextOf(place)).toString('utf8')) as Good
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
 * The third party gets a key of ours and not the caller's: two users may share an account there, with the organization's
 * secret even by design, and must not be given each other's answers because they chose the same word. RFC 9562 §5.8.
 */
const keyForThirdParty = (
  { organizationId, registeredUserId }: AnswerPlace,
  name: string,
  key: string,
): string => {
  const digest = hash('sha256', JSON.stringify([organizationId, registeredUserId, name, key]), 'hex')
  return digest.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-8$3-8$4-$5')
}
