import type { ConnectorFile } from '@carabiner/contract'
import { hashSecret } from '../../../core/hash-secret.ts'
import { isServed } from '../../../core/organization-state.ts'
import { Secret } from '../../../core/secret.ts'
import { routingCode } from '../../../core/token.ts'
import { isUuid, newUuid } from '../../../core/uuid.ts'
import { SealBroken, seal, unseal } from '../../../platform/vault/sealing.ts'
import type { UsableConnector } from '../../connectors/availability.ts'
import { oauthProvider } from '../../connectors/oauth-provider.ts'
import { isContext, redirectUri } from '../../oauth/oauth-app.ts'
import { beginAuthorization, finishAuthorization, OAuthError } from '../../oauth/protocol.ts'
import { parseView, serializeView, type View } from '../../pages/view.ts'
import type { FailureReason } from '../../pages/views/index.ts'
import type { SessionStanding } from '../sessions/link-session.ts'
import { keyOf, type StoredSession } from '../sessions/link-session-store.ts'
import type { SessionKey } from '../sessions/magic-link.ts'
import { readSession, recordOpened } from '../sessions/open-session.ts'
import { attemptStore, type ReturnedAttempt } from './attempt-store.ts'
import { awaitSite } from './choose-site.ts'
import { completeSession, discardObtained } from './complete-session.ts'
import { describeGrant, type ExchangeResult } from './describe-grant.ts'
import type { Ending } from './ending.ts'
import type { LinkDeps } from './link-deps.ts'
import { recordEnded } from './record-ended.ts'
import { endRemoved, explainRefusal } from './refused-completion.ts'
import { sessionScopes } from './session-scopes.ts'

/** The part of the attempt that is needed when the browser returns. */
type AttemptState = { code_verifier: string; scopes: string[]; tenant: Record<string, string> }

const stateContext = (organizationId: string, attemptId: string) =>
  ['link-attempt', organizationId, attemptId] as const

type AuthorizationInput = {
  connector: ConnectorFile
  tenant: Record<string, string>
  browser: string
  /** Identifies the framed page that starts the attempt. */
  frame: string | null
  view: View
}

/** Stores the attempt before redirecting the browser, so that the callback can be checked against it and against this browser. */
export const startAuthorization = async (
  deps: LinkDeps,
  session: StoredSession,
  { connector, tenant, browser, frame, view }: AuthorizationInput,
): Promise<string> => {
  const { organizationId } = session
  const app = await deps.apps.forLinking(organizationId, connector.slug)
  const provider = oauthProvider(connector, app, tenant)
  if (!provider) throw new Error(`${connector.slug} cannot be authorized by OAuth`)
  const scopes = sessionScopes(session, connector, provider.method, provider.app.scopes)
  const request = await beginAuthorization(provider, {
    redirect: redirectUri(deps.baseUrl, provider.app.context),
    scopes,
    statePrefix: routingCode(organizationId),
  })
  const attemptId = newUuid()
  const organizationKey = await deps.vault.organizationKey(organizationId)
  const state: AttemptState = { code_verifier: request.codeVerifier.reveal(), scopes, tenant }
  const sealedState = seal(organizationKey, JSON.stringify(state), stateContext(organizationId, attemptId))
  await deps.db.transaction(async tx => {
    await recordOpened(tx, session)
    await attemptStore.insert(tx, keyOf(session), {
      id: attemptId,
      connectorSlug: connector.slug,
      browserHash: hashSecret(browser),
      frameHash: frame === null ? null : hashSecret(frame),
      view: serializeView(view),
      oauth: {
        app: provider.app.id,
        context: provider.app.context,
        stateHash: hashSecret(request.state),
        sealedState,
      },
    })
  })
  return request.url
}

/** The prefix of `startAuthorization` and 256 random bits. */
const STATE = /^([0-9A-Za-z]{4})[0-9A-Za-z_-]{43}$/

const routingCodeOfState = (state: string): string | null => STATE.exec(state)?.[1] ?? null

export type CallbackResult =
  | { kind: 'unknown' }
  | { kind: 'other_browser' }
  | { kind: 'returned_before'; key: SessionKey; view: View }
  | { kind: 'session_over'; session: StoredSession; view: View; standing: Exclude<SessionStanding, 'open'> }
  /** The account has several sites; the person chooses one before anything is stored. */
  | { kind: 'choosing'; choice: 'site'; session: StoredSession; view: View; attemptId: string }
  /** The user has linked another account before, and is asked to replace it or to add this one. */
  | { kind: 'choosing'; choice: 'account'; session: StoredSession; view: View; attemptId: string }
  | { kind: 'ended'; session: StoredSession; view: View; slug: string; ending: Ending }

type CallbackInput = { context: string; parameters: URLSearchParams; browser: string | null }

/** Handles the redirect back from the provider. It is accepted once, from the browser that started it, for the same OAuth app. */
export const finishFromCallback = async (
  deps: LinkDeps,
  { context, parameters, browser }: CallbackInput,
): Promise<CallbackResult> => {
  if (!isContext(context)) return { kind: 'unknown' }
  const state = parameters.get('state') ?? ''
  const stateHash = hashSecret(state)
  const browserHash = hashSecret(browser ?? '')
  const attempt = await attemptStore.takeReturned(deps.db, stateHash, context, browserHash)
  if (!attempt) {
    const known = await attemptStore.findByState(deps.db, stateHash, context, browserHash)
    if (!known || !isServed(known.organizationState)) {
      await deps.checkRoutingCode(routingCodeOfState(state))
      return { kind: 'unknown' }
    }
    if (!known.sameBrowser) return { kind: 'other_browser' }
    return {
      kind: 'returned_before',
      key: { organizationId: known.organizationId, sessionId: known.sessionId },
      view: parseView(known.view),
    }
  }
  const key = { organizationId: attempt.organizationId, sessionId: attempt.sessionId }
  const found = await readSession(deps.db, key)
  if (!found) return { kind: 'unknown' }
  const slug = attempt.connectorSlug
  const view = parseView(attempt.view)
  const { session, standing } = found
  try {
    const connector = await findConnector(deps, attempt, context)
    if (!connector)
      return { kind: 'ended', session, view, slug, ...(await endRemoved(deps, session, attempt.id)) }
    const exchanged = await exchange(deps, connector, attempt, parameters, state)
    const { obtained, checked, siteList } = await describeGrant(deps, session, connector, attempt, exchanged)
    if (standing !== 'open') {
      await discardObtained(deps, session, obtained)
      deps.afterRevocation()
      return { kind: 'session_over', session, view, standing }
    }
    if (siteList) {
      const awaited = await awaitSite(deps, session, obtained, siteList)
      return awaited
        ? { kind: 'choosing', choice: 'site', session, view, attemptId: attempt.id }
        : { kind: 'session_over', session, view, standing: 'used' }
    }
    const completion = await completeSession(deps, session, obtained)
    if (completion.completed) {
      if (checked.kind === 'account') await checked.keep?.()
      const { code, scopes } = completion
      return { kind: 'ended', session, view, slug, ending: { status: 'success', code, scopes } }
    }
    if ('choosing' in completion)
      return { kind: 'choosing', choice: 'account', session, view, attemptId: attempt.id }
    const refused = await explainRefusal(deps, session, attempt.id, completion)
    return 'ending' in refused
      ? { kind: 'ended', session, view, slug, ...refused }
      : { kind: 'session_over', session, view, ...refused }
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error
    deps.log.info({ error, connector: slug, session_id: session.id }, 'authorization did not complete')
    // The outcome reported earlier remains valid, and a removed origin receives no further results.
    if (standing !== 'open') {
      await attemptStore.finish(deps.db, session.organizationId, attempt.id, 'failed', 'session_over')
      return { kind: 'session_over', session, view, standing }
    }
    const ending: Ending =
      error.failure.kind === 'denied' ? { status: 'exit' } : { status: 'error', reason: failureReason(error) }
    await deps.db.transaction(tx => recordEnded(tx, session, ending, attempt.id))
    return { kind: 'ended', session, view, slug, ending }
  }
}

/**
 * The slug may belong to another MCP server by now; the code must only be sent to the server that the browser was
 * redirected to. Null if the connector was removed.
 */
const findConnector = async (
  { connectors }: LinkDeps,
  attempt: ReturnedAttempt,
  context: string,
): Promise<UsableConnector | null> => {
  const connector = await connectors.find(attempt.organizationId, attempt.connectorSlug)
  return connector && (!isUuid(context) || connector.serverId === context) ? connector : null
}

const exchange = async (
  deps: LinkDeps,
  connector: ConnectorFile,
  attempt: ReturnedAttempt,
  parameters: URLSearchParams,
  state: string,
): Promise<ExchangeResult> => {
  const attemptState = await decryptState(deps, attempt)
  const app = await deps.apps.byId(attempt.organizationId, attempt.oauthApp)
  const provider = oauthProvider(connector, app, attemptState.tenant)
  if (!provider) throw new OAuthError({ kind: 'exchange_failed' })
  const tokens = await finishAuthorization(
    { egress: deps.egress.onBehalfOf(attempt.organizationId) },
    {
      provider,
      parameters,
      state,
      codeVerifier: new Secret(attemptState.code_verifier),
      redirect: redirectUri(deps.baseUrl, provider.app.context),
      scopes: attemptState.scopes,
    },
  )
  return { tokens, method: provider.method, tenant: { ...attemptState.tenant, ...tokens.learned } }
}

/** If the browser returns after days, the key may have been rotated out; the authorization code has expired by then anyway. */
const decryptState = async ({ vault }: LinkDeps, attempt: ReturnedAttempt): Promise<AttemptState> => {
  const { organizationId, id, sealedState: sealed } = attempt
  try {
    const key = await vault.organizationKeyOf(organizationId, sealed)
    return JSON.parse(unseal(key, sealed, stateContext(organizationId, id)).toString('utf8')) as AttemptState
  } catch (error) {
    throw error instanceof SealBroken ? new OAuthError({ kind: 'exchange_failed' }, error) : error
  }
}

const failureReason = ({ failure }: OAuthError): FailureReason =>
  failure.kind === 'invalid_grant' || failure.kind === 'denied' ? 'exchange_failed' : failure.kind
