import type { ConnectorFile, OAuthMethod } from '@carabiner/contract'
import { choiceOf } from '../../connectors/catalog/tool-choice.ts'
import { type ScopesInput, scopesToRequest } from '../../connectors/link-scopes.ts'
import type { StoredSession } from '../sessions/link-session-store.ts'

/** The scopes that a session requests for a connector. `configured`: those of the organization's own OAuth app. */
export const sessionScopes = (
  session: StoredSession,
  connector: ConnectorFile,
  method: OAuthMethod,
  configured: string[] | null,
): string[] =>
  scopesToRequest(method, configured, {
    more: namedScopes(session, connector),
    tools: chosenTools(session, connector),
  })

const namedScopes = (
  { lockedConnector, moreScopes: names, scopesReason: reason, grantedScopes }: StoredSession,
  { slug }: ConnectorFile,
): ScopesInput['more'] =>
  names !== null && reason !== null && lockedConnector === slug
    ? { reason, names, granted: grantedScopes ?? [] }
    : null

/** A pack without a list of connectors, such as a default pack that nobody has edited, has chosen no tools. */
const chosenTools = (
  { pack: { connectors, choices } }: StoredSession,
  { slug, tools }: ConnectorFile,
): ScopesInput['tools'] =>
  connectors === null
    ? null
    : tools.filter(({ name }) => choiceOf(choices, slug, name) !== null).map(({ scopes }) => scopes)

/** The scopes that the link adds to an account that lacks them; null if the link was made for another reason. */
export const addedScopes = (session: StoredSession, connector: ConnectorFile): string[] | null => {
  const named = namedScopes(session, connector)
  return named?.reason === 'lacking' && named.names.length > 0 ? named.names : null
}
