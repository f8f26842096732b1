import type { JsonObject } from '../../../core/json/object.ts'
import type { Queryable } from '../../../platform/database/database.ts'
import type { Connectors } from '../../connectors/availability.ts'
import type { CallRecord } from '../../metering/records/call-record.ts'
import type { AccountFacts, CallFacts, Reads, ToolFacts } from '../../policies/conditions/policy.ts'
import type { NamedFacts } from '../../policies/decide-call.ts'
import { toolFacts, unknownTool } from '../../policies/tool-facts.ts'
import { RAW_REQUEST, toolsOfRequest } from '../../upstream/http/raw-request.ts'
import { toolName } from '../admission/tool-names.ts'
import { recordedFactsStore } from './recorded-facts-store.ts'

type Deps = { db: Queryable; connectors: Connectors }

export const isRawRequest = ({ connectors }: Pick<Deps, 'connectors'>, call: CallRecord): boolean =>
  call.tool === RAW_REQUEST &&
  connectors.findShipped(call.connectorSlug)?.tools.every(({ name }) => name !== RAW_REQUEST) === true

/**
 * The tools whose rules apply to a recorded call. Null: a raw request whose operation is not known, because its arguments are not recorded or the
 * method was the default of its Tool Pack.
 */
const toolsOfRecord = (deps: Deps, call: CallRecord, args: JsonObject | null): ToolFacts[] | null => {
  const { connectorSlug: slug } = call
  const name = toolName(slug, call.tool)
  const connector = deps.connectors.findShipped(slug)
  if (connector && isRawRequest(deps, call)) {
    if (typeof args?.method !== 'string') return null
    const { isRead, tools } = toolsOfRequest(connector, { methods: [], paths: [] }, args)
    return [
      { ...unknownTool(slug, name), read_only: isRead, destructive: !isRead },
      ...tools.map(tool => toolFacts(slug, toolName(slug, tool.name), tool)),
    ]
  }
  const tool = connector?.tools.find(each => each.name === call.tool)
  return [tool ? toolFacts(slug, name, tool) : unknownTool(slug, name)]
}

/** The facts of recorded calls. Users and accounts are those of now; which key made a call is not recorded. */
export const readRecordedFacts = async (
  deps: Deps,
  organizationId: string,
  calls: readonly CallRecord[],
  reads: Reads,
): Promise<(call: CallRecord, args: JsonObject | null) => NamedFacts | null> => {
  const ids = (values: readonly (string | null)[]): string[] => [
    ...new Set(values.filter(value => value !== null)),
  ]
  const userIds = reads.user ? ids(calls.map(call => call.registeredUserId)) : []
  const credentialIds = reads.account ? ids(calls.map(call => call.credentialId)) : []
  const users = userIds.length > 0 ? await recordedFactsStore.users(deps.db, organizationId, userIds) : []
  const accounts =
    credentialIds.length > 0 ? await recordedFactsStore.accounts(deps.db, organizationId, credentialIds) : []
  const userOf = new Map(users.map(user => [user.id, user]))
  const accountOf = new Map(accounts.map(account => [account.id, account]))

  const accountFacts = ({ credentialId, accountLabel, registeredUserId, connectorSlug }: CallRecord) => {
    if (credentialId === null) return deps.connectors.findShipped(connectorSlug) ? null : OWN_SERVER
    const account = accountOf.get(credentialId)
    if (!account) return undefined
    const { identity, ownerId, ofOrganization: organization } = account
    return { identity, label: accountLabel, shared: ownerId !== registeredUserId, organization }
  }
  const userFacts = ({ registeredUserId: id }: CallRecord): CallFacts['user'] => {
    const user = userOf.get(id)
    return user && { id, origin_user_id: user.originUserId, metadata: user.metadata }
  }
  return (call, args) => {
    const tools = toolsOfRecord(deps, call, args)
    if (!tools) return null
    const [user, account] = [userFacts(call), reads.account ? accountFacts(call) : undefined]
    return {
      tools,
      pack: { id: call.toolPackId },
      mode: call.mode,
      now: call.startedAt.getTime(),
      ...(args && { args }),
      ...(user && { user }),
      ...(account !== undefined && { account }),
    }
  }
}

/** An MCP server that needs no account of its users. */
const OWN_SERVER: AccountFacts = { identity: null, label: null, shared: false, organization: true }
