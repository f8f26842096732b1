import type { ExplainDetail } from '@carabiner/contract'
import { missingScopes } from '../../../connectors/link-scopes.ts'
import { fixBy } from '../admission/admission-step.ts'
import { ownServer } from './access.ts'
import { authRequiredIn, type CallStep } from './call-step.ts'
import { NO_ACCOUNT } from './credential.ts'

/** The connection has the scopes of the tool. */
export const scopesStep: CallStep = {
  name: 'scopes',
  phase: 'credential',
  decide: (_, { admission: { credential }, callable }) => {
    // An API key has no scopes to compare.
    if (callable.kind !== 'http' || !credential || credential.oauthApp === null) return null
    const missing = missingScopes(callable.tool.scopes, credential.scopes)
    return missing.length === 0
      ? null
      : { authRequired: { reason: 'insufficient_scope', missingScopes: missing } }
  },
  explain: ({ admission: { credential }, callable }, obstacle) => {
    if (ownServer(callable)) return { summary: NO_ACCOUNT }
    const required = callable.kind === 'http' ? callable.tool.scopes : []
    const detail: ExplainDetail = {
      required_scopes: required.map(scope => [scope].flat()),
      ...(credential && { granted_scopes: credential.scopes }),
    }
    const authRequired = authRequiredIn(obstacle)
    if (!authRequired) return { summary: 'The connection has the scopes that the tool requires.', detail }
    const missing = authRequired.missingScopes ?? []
    return {
      summary: `The connection to ${callable.connector.name} lacks the scopes ${missing.join(', ')}.`,
      detail: { ...detail, missing_scopes: missing },
      fix: fixBy('grant_scopes', 'Call the tool. It returns a link that requests the missing scopes.'),
    }
  },
}
