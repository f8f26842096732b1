import { hash } from 'node:crypto'
import type { ConnectorFile } from '@carabiner/contract'
import { Secret } from '../../core/secret.ts'
import { newUuid } from '../../core/uuid.ts'
import type { Database, Transaction } from '../../platform/database.ts'
import type { Egress } from '../../platform/egress.ts'
import type { Log } from '../../platform/log.ts'
import { SealBroken, seal, unseal } from '../../platform/sealing.ts'
import type { Vault } from '../../platform/vault.ts'
import type { Connectors } from '../connectors/availability.ts'
import { oauthSecret } from '../credentials/credential-secret.ts'
import { recordEvent } from '../events/record-event.ts'
import { type OAuthApps, redirectUri } from '../oauth/oauth-app.ts'
import { beginAuthorization, finishAuthorization, OAuthError, type Tokens } from '../oauth/protocol.ts'
import { fetchAccount } from '../upstream/identity.ts'
import { attemptStore, type ReturnedAttempt } from './attempt-store.ts'
import { completeSession, discardObtained, type Obtained } from './complete-session.ts'
import type { Ending } from './ending.ts'
import type { SessionStanding } from './link-session.ts'
import { keyOf, type SessionRow } from './link-session-store.ts'
import type { SessionKey } from './magic-link.ts'
import { readSession, recordOpened } from './open-session.ts'
import { parseView, serialiseView, type View } from './view.ts'
import type { FailureReason } from './views/index.ts'

export type LinkDeps = {
  db: Database
  vault: Vault
  egress: Egress
  connectors: Connectors
  apps: OAuthApps
  baseUrl: string
  tokenRevokingConnectors: string[]
  afterRevocation: () => void
  log: Log
}

export const hashSecret = (value: string): Buffer => hash('sha256', value, 'buffer')

const verifierContext = (organizationId: string, attemptId: string) =>
  ['pkce-verifier', organizationId, attemptId] as const

/** The attempt is stored before the browser leaves: what comes back is checked against it, and against this browser. */
export const startAuthorization = async (
  deps: LinkDeps,
  session: SessionRow,
  connector: ConnectorFile,
  browser: string,
  view: View,
): Promise<string> => {
  const app = deps.apps.find(connector.slug)
  if (connector.authorization.type !== 'oauth2' || !app)
    throw new Error(`${connector.slug} cannot be authorized by OAuth`)
  const request = await beginAuthorization(
    { method: connector.authorization, app },
    redirectUri(deps.baseUrl, app.context),
  )
  const attemptId = newUuid()
  const organizationKey = await deps.vault.organizationKey(session.organization_id)
  const sealedVerifier = seal(
    organizationKey,
    request.codeVerifier.reveal(),
    verifierContext(session.organization_id, attemptId),
  )
  await deps.db.transaction(async tx => {
    await recordOpened(tx, session)
    await attemptStore.insert(tx, keyOf(session), {
      id: attemptId,
      connectorSlug: connector.slug,
      browserHash: hashSecret(browser),
      view: serialiseView(view),
      oauth: { app: app.context, stateHash: hashSecret(request.state), sealedVerifier },
    })
  })
  return request.url
}

export type Returned =
  | { kind: 'unknown' }
  | { kind: 'other_browser' }
  | { kind: 'returned_before'; key: SessionKey; view: View }
  | { kind: 'session_over'; session: SessionRow; view: View; standing: Exclude<SessionStanding, 'open'> }
  | { kind: 'ended'; session: SessionRow; view: View; connector: ConnectorFile; ending: Ending }

type Callback = { context: string; parameters: URLSearchParams; browser: string | null }

/** The redirect back from the third party: taken once, by the browser that left, for the app that it left with. */
export const finishFromCallback = async (
  deps: LinkDeps,
  { context, parameters, browser }: Callback,
): Promise<Returned> => {
  if (!deps.apps.byContext(context)) return { kind: 'unknown' }
  const state = parameters.get('state') ?? ''
  const stateHash = hashSecret(state)
  const browserHash = hashSecret(browser ?? '')
  const attempt = await attemptStore.takeReturned(deps.db, stateHash, context, browserHash)
  if (!attempt) {
    const known = await attemptStore.findByState(deps.db, stateHash, context, browserHash)
    if (!known) return { kind: 'unknown' }
    if (!known.same_browser) return { kind: 'other_browser' }
    return {
      kind: 'returned_before',
      key: { organizationId: known.organization_id, sessionId: known.session_id },
      view: parseView(known.view),
    }
  }
  const key = { organizationId: attempt.organization_id, sessionId: attempt.session_id }
  const found = await readSession(deps.db, key)
  const connector = deps.connectors.find(attempt.connector_slug)
  if (!found || !connector) return { kind: 'unknown' }
  const view = parseView(attempt.view)
  const { session, standing } = found
  try {
    const tokens = await exchange(deps, connector, attempt, parameters, state)
    const obtained = await describe(deps, connector, attempt, tokens)
    if (standing !== 'open') {
      await discardObtained(deps, session, obtained)
      deps.afterRevocation()
      return { kind: 'session_over', session, view, standing }
    }
    const completion = await completeSession(deps, session, obtained)
    if (completion.completed) {
      const { code, scopes } = completion
      return { kind: 'ended', session, view, connector, ending: { status: 'success', code, scopes } }
    }
    deps.afterRevocation()
    return { kind: 'session_over', session, view, standing: 'used' }
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error
    deps.log.info(
      { error, connector: connector.slug, session_id: session.id },
      'authorization did not complete',
    )
    // What was told before stands, and an origin that was taken off the list hears nothing more.
    if (standing !== 'open') {
      await attemptStore.finish(deps.db, session.organization_id, attempt.id, 'failed', 'session_over')
      return { kind: 'session_over', session, view, standing }
    }
    const ending: Ending =
      error.failure.kind === 'denied' ? { status: 'exit' } : { status: 'error', reason: failureReason(error) }
    await deps.db.transaction(tx => recordEnded(tx, session, ending, attempt.id))
    return { kind: 'ended', session, view, connector, ending }
  }
}

const exchange = async (
  deps: LinkDeps,
  { authorization }: ConnectorFile,
  attempt: ReturnedAttempt,
  parameters: URLSearchParams,
  state: string,
): Promise<Tokens> => {
  const app = deps.apps.byContext(attempt.oauth_app)
  if (authorization.type !== 'oauth2' || !app) throw new OAuthError({ kind: 'exchange_failed' })
  const verifier = await openVerifier(deps, attempt)
  return finishAuthorization(deps, {
    party: { method: authorization, app },
    parameters,
    state,
    codeVerifier: verifier,
    redirect: redirectUri(deps.baseUrl, app.context),
  })
}

/** Somebody who returns after days may find that the key of that time is gone: the code they bring is worth nothing by then. */
const openVerifier = async ({ vault }: LinkDeps, attempt: ReturnedAttempt): Promise<Secret> => {
  const { organization_id: organizationId, id, sealed_verifier: sealed } = attempt
  try {
    const key = await vault.organizationKeyOf(organizationId, sealed)
    return new Secret(unseal(key, sealed, verifierContext(organizationId, id)).toString('utf8'))
  } catch (error) {
    throw error instanceof SealBroken ? new OAuthError({ kind: 'exchange_failed' }, error) : error
  }
}

const describe = async (
  deps: LinkDeps,
  connector: ConnectorFile,
  attempt: ReturnedAttempt,
  tokens: Tokens,
): Promise<Obtained> => {
  const secret = oauthSecret(tokens)
  const identity = await fetchAccount(deps, connector, secret)
  return {
    attemptId: attempt.id,
    connectorSlug: connector.slug,
    secret,
    scopes: tokens.scopes,
    // A third party that will not say who it is has still given its consent.
    account: identity.kind === 'account' ? identity.account : null,
    oauthApp: attempt.oauth_app,
    expiresInSeconds: tokens.expiresInSeconds,
  }
}

const failureReason = ({ failure }: OAuthError): FailureReason =>
  failure.kind === 'invalid_grant' || failure.kind === 'denied' ? 'exchange_failed' : failure.kind

/** Exit and failure end the attempt, not the link: it may be opened again until it expires or completes. */
export const recordEnded = async (
  tx: Transaction,
  session: SessionRow,
  ending: Exclude<Ending, { status: 'success' }>,
  attemptId: string | null,
): Promise<void> => {
  const reason = ending.status === 'error' ? ending.reason : null
  if (attemptId) {
    await attemptStore.finish(
      tx,
      session.organization_id,
      attemptId,
      ending.status === 'exit' ? 'exited' : 'failed',
      reason,
    )
  }
  await recordEvent(tx, {
    organizationId: session.organization_id,
    registeredUserId: session.registered_user_id,
    type: ending.status === 'exit' ? 'link.exited' : 'link.failed',
    payload: { link_session_id: session.id, ...(reason && { reason }) },
  })
}
