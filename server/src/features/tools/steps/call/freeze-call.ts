import type { ArgumentRoles } from '@carabiner/contract'
import { canonicalJson, findAmbiguity } from '../../../../core/json/canonical-json.ts'
import type { JsonObject } from '../../../../core/json/object.ts'
import { Refusal } from '../../../../core/refusal.ts'
import type { Queryable } from '../../../../platform/database/database.ts'
import type { UsersOfCall } from '../../../approvals/deciders.ts'
import { type FrozenCall, hashOfDefinition, type Shown } from '../../../approvals/frozen-call.ts'
import { buildRawRequest } from '../../../upstream/http/raw-request.ts'
import { buildRequest } from '../../../upstream/http/tool-request.ts'
import type { CallableTool } from '../../admission/callable-tool.ts'
import { type Access, userSecretOf } from './access.ts'
import { callFactsStore } from './call-facts-store.ts'
import type { RunningCall } from './call-step.ts'
import { toolsOfPolicy } from './policy-facts.ts'

type Callable = Exclude<CallableTool, { kind: 'authenticate' }>

type FrozenParts = {
  call: FrozenCall
  shown: Omit<Shown, 'preview'>
  users: UsersOfCall
  originUserId: string
}

/** The call as it would be sent, and what a person sees besides. */
export const freezeCall = async (db: Queryable, call: RunningCall): Promise<FrozenParts> => {
  const { admission, callable, access, argumentsToSend: args } = call
  if (!access || !args || callable.kind === 'authenticate')
    throw new Error('the steps before the approval have prepared the call')
  const ambiguity = findAmbiguity(args)
  if (ambiguity)
    throw new Refusal('invalid_arguments', {
      message: `The arguments contain ${ambiguity}, so nobody can be asked about the call. Change them.`,
    })
  const { organizationId, userId, credential } = admission
  const facts = await callFactsStore.read(db, {
    organizationId,
    userId,
    credentialId: credential?.id ?? null,
    keyHash: call.keyHash,
  })
  // The key was revoked, or the user deleted, since the admission.
  if (!facts?.clientType || facts.clientId === null)
    throw new Refusal('invalid_api_key', { param: 'Authorization' })
  const isOfUser = credential !== null && access.by === 'user'
  // Equal arguments have the same order from here on, so that equal calls make the same request.
  const ordered = JSON.parse(canonicalJson(args)) as JsonObject
  return {
    call: {
      version: 1,
      organizationId,
      mode: admission.mode,
      registeredUserId: userId,
      caller: { type: facts.clientType, id: facts.clientId },
      toolPackId: admission.packId,
      connector: callable.connector.slug,
      mcpServerId: callable.kind === 'mcp' ? callable.server.id : null,
      tool: toolNameOf(callable),
      definition: hashOfDefinition(definitionOf(callable)),
      account: isOfUser
        ? {
            credentialId: credential.id,
            generation: facts.linkGeneration ?? 1,
            identity: facts.accountId ?? facts.account,
          }
        : null,
      arguments: ordered,
      request: requestOf(callable, access, ordered),
    },
    shown: {
      connector_name: callable.connector.name,
      tool_title: titleOf(callable),
      is_of_mcp_server: callable.kind === 'mcp',
      is_destructive: toolsOfPolicy(call).some(({ destructive }) => destructive),
      account: facts.account,
      roles: rolesOf(callable, ordered),
    },
    users: { user: userId, owner: isOfUser ? facts.accountOwner : null },
    originUserId: facts.originUserId,
  }
}

const toolNameOf = ({ name, connector }: Callable): string => name.slice(connector.slug.length + 2)

const definitionOf = (callable: Callable): unknown => {
  switch (callable.kind) {
    case 'http':
    case 'mcp':
      return callable.tool
    case 'request':
      // A request by code returns something else than the tool, so it is another call.
      return callable.byCode ? { ...callable.rules, byCode: true } : callable.rules
  }
}

const titleOf = (callable: Callable): string => {
  switch (callable.kind) {
    case 'http':
      return callable.tool.title
    case 'mcp':
      return callable.tool.title
    case 'request':
      return 'Raw request'
  }
}

/** The roles of the arguments that the call has. */
export const rolesOf = (callable: Callable, args: JsonObject): ArgumentRoles => {
  if (callable.kind !== 'http') return {}
  const roles: ArgumentRoles = {}
  for (const [name, role] of Object.entries(callable.tool.roles ?? {}))
    if (role !== 'none' && Object.hasOwn(args, name)) roles[name] = role
  return roles
}

/** Without the credential, and without values that are generated when the request is sent. */
const requestOf = (callable: Callable, access: Access, args: JsonObject): FrozenCall['request'] => {
  switch (callable.kind) {
    case 'http':
      return buildRequest(callable.connector, callable.tool, args, userSecretOf(access).tenant)
    case 'request':
      return buildRawRequest(callable.connector, callable.rules, args, userSecretOf(access).tenant)
    case 'mcp':
      return {
        method: 'tools/call',
        url: callable.server.url,
        headers: {},
        body: JSON.stringify({ name: callable.tool.name, arguments: args }),
      }
  }
}
