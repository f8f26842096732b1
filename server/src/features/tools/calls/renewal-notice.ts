import type { HealthReader } from '../../credentials/risks/health-reader.ts'
import type { CallAdmission } from '../admission/admission-rows.ts'
import type { CallableTool } from '../admission/callable-tool.ts'
import { RENEW_CONNECTION } from '../listing/renew-connection-tool.ts'
import type { ToolResult } from '../results/tool-result.ts'

type Call = { admission: CallAdmission; callable: CallableTool }

/**
 * Adds to a result that the account ends soon. It is a block of its own: models do not read `_meta`, and `structuredContent` must match the tool's
 * schema. Names that users or providers choose are not part of it. Users of a shared account cannot renew it.
 */
export const withRenewalNotice = (health: HealthReader, call: Call, result: ToolResult): ToolResult => {
  const endsAt = call.admission.sharedBy === null ? endOf(health, call) : null
  if (!endsAt) return result
  const { slug, name } = call.callable.connector
  const renewal = JSON.stringify({ connector: slug, account: call.admission.credential?.id })
  const text = `Notice, not part of the result: the user’s connection to ${name} ends on ${endsAt.slice(0, 10)}. It works until then. Tell the user, and offer to renew it: ${RENEW_CONNECTION} ${renewal} returns a link for them.`
  return { ...result, content: [...result.content, { type: 'text', text }] }
}

const endOf = (health: HealthReader, { admission, callable }: Call): string | null => {
  const { credential, credentialHealth: facts } = admission
  if (!credential || !facts) return null
  const { reason, ends_at } = health.healthOf({
    connectorSlug: callable.connector.slug,
    method: facts.method,
    oauthApp: credential.oauthApp,
    status: credential.status,
    ownAppInTestMode: facts.own_app_in_test_mode,
    now: new Date(facts.now),
    linkedAt: new Date(facts.linked_at),
    refreshedAt: dateOf(facts.refreshed_at),
    usedAt: dateOf(facts.used_at),
    endsAt: dateOf(facts.ends_at),
    endStatedAt: dateOf(facts.end_stated_at),
    refusedSince: null,
    refreshFailingSince: null,
    lostScopes: [],
  })
  // This call has used the account.
  return reason === 'unused' ? null : ends_at
}

const dateOf = (text: string | null): Date | null => (text === null ? null : new Date(text))
