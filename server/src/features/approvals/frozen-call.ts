import { hash } from 'node:crypto'
import type { ApprovalCall, CallerType } from '@carabiner/contract'
import { canonicalJson } from '../../core/json/canonical-json.ts'
import type { JsonObject } from '../../core/json/object.ts'
import type { Mode } from '../../core/mode.ts'
import type { Queryable } from '../../platform/database/database.ts'
import { unsealWithAnyKey } from '../../platform/vault/previous-user-keys.ts'
import { type DataKey, type SealContext, seal } from '../../platform/vault/sealing.ts'

/** The key of a caller, or its registered client; never the name that a client gives itself. */
export type Caller = { type: CallerType; id: string }

/**
 * Everything that a person approves. A call that differs in any of it is another call. Renewed access tokens, and values that are generated
 * when the request is sent, are not part of it.
 */
export type FrozenCall = {
  version: 1
  organizationId: string
  mode: Mode
  registeredUserId: string
  caller: Caller
  toolPackId: string
  connector: string
  mcpServerId: string | null
  tool: string
  /** Hash of the tool's definition: its schema, its request, its description. */
  definition: string
  /** `generation`: how often the account was linked. `identity`: the account at its provider. Null: the organization's secret, or none. */
  account: { credentialId: string; generation: number; identity: string | null } | null
  arguments: JsonObject
  request: ApprovalCall['request']
}

/** What a person sees besides the call. */
export type Shown = Pick<
  ApprovalCall,
  'connector_name' | 'tool_title' | 'is_of_mcp_server' | 'is_destructive' | 'account' | 'roles' | 'preview'
>

const sha256 = (...parts: (string | Buffer)[]): Buffer => {
  const bytes = Buffer.concat(parts.map(part => (typeof part === 'string' ? Buffer.from(part) : part)))
  return hash('sha256', bytes, 'buffer')
}

export const hashOfDefinition = (definition: unknown): string =>
  hash('sha256', canonicalJson(definition), 'hex')

export const digestOfCall = (call: FrozenCall): Buffer => sha256(canonicalJson(call))

/** The nonce keeps a digest from confirming a guess of the arguments after the call was deleted. */
export const digestOfApproval = (id: string, nonce: Buffer, callDigest: Buffer): Buffer =>
  sha256(id, nonce, callDigest)

export type SealedApproval = { call: FrozenCall; shown: Shown; nonce: Buffer }
type Place = { organizationId: string; registeredUserId: string; id: string }

const contextOf = ({ organizationId, registeredUserId, id }: Place): SealContext => [
  'approval',
  organizationId,
  registeredUserId,
  id,
]

export const sealApproval = (
  userKey: DataKey,
  place: Place,
  { call, shown, nonce }: SealedApproval,
): Buffer => seal(userKey, JSON.stringify({ call, shown, nonce: nonce.toString('hex') }), contextOf(place))

/** Also after the user's key was rotated. */
export const openApproval = async (
  db: Queryable,
  userKey: DataKey,
  place: Place,
  sealed: Buffer,
): Promise<SealedApproval> => {
  const user = { organizationId: place.organizationId, userId: place.registeredUserId, userKey }
  const opened = await unsealWithAnyKey(db, user, sealed, contextOf(place))
  const { call, shown, nonce } = JSON.parse(opened.toString('utf8'))
  return { call, shown, nonce: Buffer.from(nonce, 'hex') }
}
