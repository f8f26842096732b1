import type { Queryable } from '../../../../platform/database/database.ts'
import type { ToolFacts } from '../../../policies/conditions/policy.ts'
import { type DecidingPolicy, type NamedFacts, readsOfPolicies } from '../../../policies/decide-call.ts'
import { toolFacts, unknownTool } from '../../../policies/tool-facts.ts'
import { toolsOfRequest } from '../../../upstream/http/raw-request.ts'
import { ownServer } from './access.ts'
import { callFactsStore } from './call-facts-store.ts'
import type { CallState } from './call-step.ts'

/**
 * The tools whose rules apply. A raw request also takes the rules of the tools with the same operation, so that it cannot do what they must
 * not.
 */
export const toolsOfPolicy = ({ callable, args, argumentsToSend }: CallState): ToolFacts[] => {
  const { connector, name } = callable
  switch (callable.kind) {
    case 'http':
      return [toolFacts(connector.slug, name, callable.tool)]
    case 'request': {
      const { isRead, tools } = toolsOfRequest(connector, callable.rules, argumentsToSend ?? args ?? {})
      return [
        { ...unknownTool(connector.slug, name), read_only: isRead, destructive: !isRead },
        ...tools.map(tool => toolFacts(connector.slug, `${connector.slug}__${tool.name}`, tool)),
      ]
    }
    case 'mcp':
    case 'authenticate':
      return [unknownTool(connector.slug, name)]
  }
}

/** Reads nothing that no rule for these tools reads; otherwise one statement. */
export const readPolicyFacts = async (
  db: Queryable,
  call: CallState,
  policies: readonly DecidingPolicy[],
  tools: readonly ToolFacts[],
): Promise<NamedFacts> => {
  const { admission, callable, keyHash } = call
  const { credential, sharedBy } = admission
  const reads = readsOfPolicies(policies, tools)
  const stored =
    reads.user || reads.client || (reads.account && credential)
      ? await callFactsStore.read(db, {
          organizationId: admission.organizationId,
          userId: admission.userId,
          credentialId: credential?.id ?? null,
          keyHash,
        })
      : null
  const args = call.argumentsToSend
  return {
    tools,
    pack: { id: admission.packId },
    mode: admission.mode,
    now: Date.now(),
    ...(args && { args }),
    account: credential
      ? {
          identity: stored?.account ?? null,
          label: credential.label,
          shared: sharedBy !== null,
          organization: stored?.ofOrganization ?? false,
        }
      : ownServer(callable)
        ? { identity: null, label: null, shared: false, organization: true }
        : null,
    ...(stored && {
      user: { id: admission.userId, origin_user_id: stored.originUserId, metadata: stored.metadata },
      ...(stored.clientId !== null &&
        stored.clientType !== null && { client: { id: stored.clientId, type: stored.clientType } }),
    }),
  }
}
