import type { ConnectorFile } from '@carabiner/contract'
import { Refusal, reword } from '../../../core/refusal.ts'
import type { IsolatedPool } from '../../../platform/isolation/isolated-pool.ts'
import { refusedScopes } from '../../connectors/oauth-party.ts'
import { markForReauth, type RefreshDeps, refreshCredential } from '../../credentials/refresh-credential.ts'
import { hearProgress } from '../../upstream/call-progress.ts'
import { secretTexts } from '../../upstream/http/authorization-headers.ts'
import type { ToolArguments } from '../../upstream/http/http-tool.ts'
import type { Answer, Good } from '../../upstream/provider-answer.ts'
import type { AdmissionRow } from '../admission/admission-store.ts'
import type { CallProgress, ToolCall } from '../admission/admit-call.ts'
import type { CallableTool } from '../admission/callable-tool.ts'
import { scrubAny } from '../results/isolated-scrub.ts'
import { createScrubber, replaceBrokenBlocks, type Scrubber } from '../results/scrub-secrets.ts'
import { type ReachDeps, reachThirdParty, termsOf } from './call-with-retry.ts'
import { thirdPartyOf } from './provider.ts'
import type { Access, Lack } from './resolve-credential.ts'

export type AskThirdPartyDeps = ReachDeps & RefreshDeps & { isolated: IsolatedPool }

export type Answered = { answer: Good; ms: number }

type Call = Pick<ToolCall, 'signal' | 'onProgress'> & {
  row: AdmissionRow
  callable: Exclude<CallableTool, { kind: 'authenticate' }>
  access: Access
  args: ToolArguments
  /** What the third party is told to know a second try by. */
  idempotencyKey: string | null
}

/** A token that the third party ended early is renewed once: that settles whether it ended the whole grant. */
export const askThirdParty = async (
  deps: AskThirdPartyDeps,
  call: Call,
): Promise<Answered | { lacks: Lack }> => {
  const startedAt = performance.now()
  const ms = () => Math.round(performance.now() - startedAt)
  const { access } = call
  const { connector } = call.callable
  const ask = asker(deps, call)
  const first = await ask(access)
  if (first.kind !== 'unauthorized') return read(deps, call, { answer: first, access, ms: ms() })
  if (access.by === 'organization') throw notLetIn(connector.name, access)
  const renewed = access.secret.kind === 'oauth' ? await refreshCredential(deps, access.held) : null
  if (renewed?.usable === false) return { lacks: { reason: renewed.reason } }
  const held = { ...access.held, row: renewed?.row ?? access.held.row }
  if (renewed) {
    const again = { ...access, secret: renewed.secret, held }
    const second = await ask(again)
    if (second.kind !== 'unauthorized') return read(deps, call, { answer: second, access: again, ms: ms() })
  }
  await markForReauth(deps.db, held, 'revoked')
  return { lacks: { reason: 'revoked' } }
}

/** Both tries, with the token as it was and renewed, share their time and what is heard of their progress. */
const asker = (
  deps: AskThirdPartyDeps,
  { row, callable, args, signal, onProgress, idempotencyKey }: Call,
): ((access: Access) => Promise<Answer>) => {
  const party = thirdPartyOf(callable)
  let scrub: Scrubber = value => value
  const hear = onProgress && hearProgress(progress => onProgress(scrub(progress) as CallProgress))
  const terms = termsOf(deps, { signal, onProgress: hear, idempotencyKey })
  const organizationId = row.organization_id
  const registeredUserId = row.user_id
  return access => {
    if (hear) scrub = createScrubber(secretsOf(callable.connector, access))
    return reachThirdParty(deps, party, { organizationId, registeredUserId, access, args, terms })
  }
}

/** Nobody can link anything here: it is the organization's own to mend. */
const notLetIn = (name: string, { secret }: Extract<Access, { by: 'organization' }>): Refusal =>
  new Refusal('third_party_error', {
    message: secret
      ? `${name} no longer accepts the secret of this organization. Give the connector a new one.`
      : `${name} no longer lets anybody in without authentication.`,
    retryable: false,
  })

type Heard = { answer: Exclude<Answer, { kind: 'unauthorized' }>; access: Access; ms: number }

const read = async (
  { isolated }: AskThirdPartyDeps,
  { callable, row }: Call,
  { answer, access, ms }: Heard,
): Promise<Answered | { lacks: Lack }> => {
  const { connector } = callable
  if (answer.kind === 'insufficient_scope') {
    const wanted = callable.kind === 'http' ? callable.tool.scopes : []
    return {
      lacks: { reason: 'insufficient_scope', scopes: refusedScopes(connector, wanted, answer.scopes) },
    }
  }
  const secrets = secretsOf(connector, access)
  if (answer.kind === 'failed') throw scrubRefusal(answer.refusal, createScrubber(secrets))
  const scrubbed = (await scrubAny(isolated, row.organization_id, secrets, answer)) as Good
  return { answer: withWholeBlocks(answer, scrubbed), ms }
}

const withWholeBlocks = (given: Good, scrubbed: Good): Good =>
  scrubbed === given || scrubbed.kind === 'value'
    ? scrubbed
    : { ...scrubbed, result: { ...scrubbed.result, content: replaceBrokenBlocks(scrubbed.result.content) } }

/** The message quotes the provider. */
const scrubRefusal = (refusal: Refusal, scrub: Scrubber): Refusal => {
  const message = scrub(refusal.message) as string
  return message === refusal.message ? refusal : reword(refusal, message)
}

/** The secrets that a call was made with. */
const secretsOf = (connector: ConnectorFile, access: Access): string[] => {
  if (access.by === 'user') return secretTexts(connector, access.secret)
  return access.secret ? [access.secret.reveal()] : []
}
