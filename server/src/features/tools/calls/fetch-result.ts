import { Refusal } from '../../../core/refusal.ts'
import { isUuid, newUuid } from '../../../core/uuid.ts'
import { toRefusal } from '../../../edge/errors.ts'
import type { Queryable } from '../../../platform/database/database.ts'
import { SealBroken, unseal } from '../../../platform/vault/sealing.ts'
import type { Vault } from '../../../platform/vault/vault.ts'
import type { RecordedViolation } from '../../rules/gate.ts'
import type { Caller, Known } from '../admission/caller-store.ts'
import { FETCH_RESULT } from '../listing/fetch-result-tool.ts'
import { textWithin } from '../results/encoded-text.ts'
import { inspectKept, type KeptDeps } from '../results/inspect-stored.ts'
import { resultContext } from '../results/store-large-result.ts'
import { type FetchedResult, storedResultStore } from '../results/stored-result-store.ts'
import { type ToolResult, withoutForgery } from '../results/tool-result.ts'
import { requireActiveCaller } from '../steps/require-caller.ts'
import { type RecordedRequest, recordOwnCall } from './record-own-call.ts'

const MAX_OFFSET = 10_000_000

type Deps = KeptDeps & { db: Queryable; vault: Vault }
type FetchCall = Caller & RecordedRequest & { args: Record<string, unknown> }

/** Recorded but not counted. A handle is valid only for the user and Tool Pack of the call that created it. */
export const fetchResult = async (deps: Deps, call: FetchCall): Promise<ToolResult> => {
  // Before the arguments: without `result_handles` the tool does not exist.
  const { handle: given } = call.args
  const asked = typeof given === 'string' && isUuid(given) ? given : newUuid()
  const fetched = requireActiveCaller(await storedResultStore.read(deps.db, call, asked))
  if (!fetched.packResultHandles) throw new Refusal('tool_not_found', { param: 'name' })
  const { offset, limit } = readArguments(call.args)
  const violations: RecordedViolation[] = []
  const read = await readKept(deps, fetched, asked, call.requestId, violations).catch(toRefusal)
  const refused = read instanceof Refusal ? read.code : null
  await recordOwnCall(deps.db, fetched, call, {
    tool: FETCH_RESULT,
    outcome: refused === null ? 'success' : refused === 'security_rule_blocked' ? 'blocked' : 'error',
    errorCode: refused,
    violations,
  })
  if (read instanceof Refusal) throw read
  return slice(read, offset, limit, fetched.packResultLimit)
}

const readKept = async (
  deps: Deps,
  fetched: Known<FetchedResult>,
  handle: string,
  requestId: string,
  violations: RecordedViolation[],
): Promise<string> => {
  const kept = await openResult(deps.vault, fetched, handle)
  if (kept === null) throw new Refusal('result_not_found', { param: 'handle' })
  return inspectKept(deps, fetched, requestId, kept, violations)
}

const readArguments = (args: Record<string, unknown>) => {
  const { handle, offset = 0, limit = MAX_OFFSET, ...others } = args
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) throw invalid(unknown, 'is not an argument of this tool')
  if (typeof handle !== 'string') throw invalid('handle', 'must be the handle of a result')
  return { offset: whole('offset', offset, 0), limit: whole('limit', limit, 1) }
}

const whole = (param: string, value: unknown, least: number): number => {
  if (!Number.isSafeInteger(value) || (value as number) < least)
    throw invalid(param, `must be a whole number of at least ${least}`)
  return value as number
}

const invalid = (param: string, why: string): Refusal =>
  new Refusal('invalid_arguments', { param, message: `"${param}" ${why}.` })

/** Also null after a key rotation, which does not re-encrypt results that are stored for an hour. */
const openResult = async (
  vault: Vault,
  fetched: Known<FetchedResult>,
  id: string,
): Promise<string | null> => {
  if (!fetched.sealed) return null
  const place = {
    organizationId: fetched.organizationId,
    registeredUserId: fetched.userId,
    toolPackId: fetched.packId,
    id,
  }
  try {
    const key = await vault.openUserKey(place.organizationId, place.registeredUserId, fetched.userKey)
    return unseal(key, fetched.sealed, resultContext(place)).toString('utf8')
  } catch (error) {
    if (error instanceof SealBroken) return null
    throw error
  }
}

/** The text is in `content` and in `structuredContent`, because clients read either. */
const AROUND = 400

/** Never splits a surrogate pair, so that the slices together are the text. */
const slice = (text: string, offset: number, limit: number, resultLimit: number): ToolResult => {
  const start = wholeCharacter(text, offset)
  const asked = text.slice(start, wholeCharacter(text, start + limit))
  const room = Math.floor((resultLimit - AROUND) / 2)
  const fitting = withoutForgery(textWithin(asked, room) || text.slice(start, start + 2))
  const end = start + fitting.length
  const place = {
    offset: start,
    next_offset: end < text.length ? end : null,
    total: text.length,
  }
  return {
    content: [
      { type: 'text', text: fitting },
      { type: 'text', text: JSON.stringify(place) },
    ],
    structuredContent: { text: fitting, ...place },
    isError: false,
  }
}

const wholeCharacter = (text: string, at: number): number => {
  const code = text.charCodeAt(at)
  return code >= 0xdc00 && code <= 0xdfff && at > 0 ? at - 1 : Math.min(at, text.length)
}
