import type { ConnectorFile } from '@carabiner/contract'
import { Refusal } from '../../core/refusal.ts'
import type { Database } from '../../platform/database.ts'
import type { Egress } from '../../platform/egress.ts'
import type { Vault } from '../../platform/vault.ts'
import type { Connectors } from '../connectors/availability.ts'
import { rememberRevision } from '../connectors/mcp-connectors.ts'
import { markForReauth, type RefreshDeps, refreshCredential } from '../credentials/refresh-credential.ts'
import { authorizationHeaders, secretTexts } from '../upstream/authorization-headers.ts'
import { callHttpTool, type ToolArguments, type UpstreamAnswer } from '../upstream/http-tool.ts'
import { callMcpTool, type McpAnswer } from '../upstream/mcp-call.ts'
import type { McpSessions } from '../upstream/mcp-sessions.ts'
import type { AdmissionRow } from './admission-store.ts'
import type { CallableTool } from './callable-tool.ts'
import type { Access, Lack } from './obtain-access.ts'
import { scrubSecrets } from './tool-result.ts'

export type ReachDeps = RefreshDeps & {
  db: Database
  vault: Vault
  egress: Egress
  connectors: Connectors
  sessions: McpSessions
}

type Answer = UpstreamAnswer | Exclude<McpAnswer, { kind: 'result' }> | ServerResult
type ServerResult = { kind: 'server_result'; result: Extract<McpAnswer, { kind: 'result' }>['result'] }
type Good = Extract<UpstreamAnswer, { kind: 'result' }> | ServerResult

export type Answered = { answer: Good; ms: number }

type Call = {
  row: AdmissionRow
  callable: Exclude<CallableTool, { kind: 'authenticate' }>
  access: Access
  args: ToolArguments
}

/** A token that the third party ended early is renewed once: that settles whether it ended the whole grant. */
export const askThirdParty = async (deps: ReachDeps, call: Call): Promise<Answered | { lacks: Lack }> => {
  const startedAt = performance.now()
  const ms = () => Math.round(performance.now() - startedAt)
  const { access } = call
  const first = await ask(deps, call, access)
  const { connector } = call.callable
  if (first.kind !== 'unauthorized') return read(first, connector, access, ms())
  if (access.by === 'organization') throw notLetIn(call.callable.connector.name, access)
  const renewed = access.secret.kind === 'oauth' ? await refreshCredential(deps, access.held) : null
  if (renewed?.usable === false) return { lacks: { reason: renewed.reason } }
  const held = { ...access.held, row: renewed?.row ?? access.held.row }
  if (renewed) {
    const again = { ...access, secret: renewed.secret, held }
    const second = await ask(deps, call, again)
    if (second.kind !== 'unauthorized') return read(second, connector, again, ms())
  }
  await markForReauth(deps.db, held, 'revoked')
  return { lacks: { reason: 'revoked' } }
}

/** Nobody can link anything here: it is the organization's own to mend. */
const notLetIn = (name: string, { secret }: Extract<Access, { by: 'organization' }>): Refusal =>
  new Refusal('third_party_error', {
    message: secret
      ? `${name} no longer accepts the secret of this organization. Give the connector a new one.`
      : `${name} no longer lets anybody in without authentication.`,
  })

const ask = async (deps: ReachDeps, { row, callable, args }: Call, access: Access): Promise<Answer> => {
  if (callable.kind === 'http') {
    if (access.by !== 'user') throw new Error(`${callable.name} is called with a user's credential only`)
    return callHttpTool(deps, { ...callable, args, secret: access.secret })
  }
  const { url, revision } = callable.server
  const headers =
    access.by === 'user' ? authorizationHeaders(callable.connector, access.secret, url) : access.headers
  const name = callable.connector.name
  const target = { url, headers, revision, name, sessionKey: sessionKey(row, access, url) }
  const answer = await callMcpTool(deps, target, callable.tool, args)
  if (answer.kind === 'result' && answer.revision !== revision)
    rememberRevision(deps, row.organization_id as string, callable.server.id, answer.revision)
  return answer.kind === 'result' ? { kind: 'server_result', result: answer.result } : answer
}

/** A session with a server is one user's with one credential: nothing of it may serve another. */
const sessionKey = ({ organization_id, user_id }: AdmissionRow, access: Access, url: string): string =>
  JSON.stringify([
    organization_id,
    user_id,
    access.by === 'user' ? [access.held.row.id, access.held.row.version] : 'organization',
    url,
  ])

const read = (
  answer: Exclude<Answer, { kind: 'unauthorized' }>,
  connector: ConnectorFile,
  access: Access,
  ms: number,
): Answered | { lacks: Lack } => {
  if (answer.kind === 'insufficient_scope') {
    const scopes = 'scopes' in answer ? answer.scopes : []
    return { lacks: { reason: 'insufficient_scope', ...(scopes.length > 0 && { scopes }) } }
  }
  if (answer.kind === 'failed') throw answer.refusal
  return { answer: scrubSecrets(answer, spellings(connector, access)) as Good, ms }
}

/** Every way in which what the call was made with may be written in its answer. */
const spellings = (connector: ConnectorFile, access: Access): string[] => {
  if (access.by === 'user') return secretTexts(connector, access.secret)
  return access.secret ? [access.secret.reveal()] : []
}
