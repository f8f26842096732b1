import type { ConnectorFile } from '@carabiner/contract'
import { hashSecret } from '../../../core/hash-secret.ts'
import { isServed } from '../../../core/organization-state.ts'
import { isUuid, newUuid } from '../../../core/uuid.ts'
import { SealBroken, seal, unseal } from '../../../platform/vault/sealing.ts'
import type { UsableConnector } from '../../connectors/availability.ts'
import { isContext } from '../../oauth/oauth-app.ts'
import { OAuthError } from '../../oauth/protocol.ts'
import { parseView, serializeView, type View } from '../../pages/view.ts'
import type { FailureReason } from '../../pages/views/index.ts'
import type { SessionStanding } from '../sessions/link-session.ts'
import { keyOf, type StoredSession } from '../sessions/link-session-store.ts'
import type { SessionKey } from '../sessions/magic-link.ts'
import { readSession, recordOpened } from '../sessions/open-session.ts'
import { attemptStore, type ReturnedAttempt } from './attempt-store.ts'
import { awaitSite } from './choose-site.ts'
import { completeSession, discardObtained } from './complete-session.ts'
import { describeGrant } from './describe-grant.ts'
import type { Ending } from './ending.ts'
import type { LinkDeps } from './link-deps.ts'
import { recordEnded } from './record-ended.ts'
import { endRemoved, explainRefusal } from './refused-completion.ts'
import { beginSignIn, finishSignIn } from './sign-in.ts'
import type { SignInResult, SignInStart, SignInState } from './sign-in-state.ts'

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

export type AuthorizationStart = { href: string } | { ending: Extract<Ending, { status: 'error' }> }

/** Stores the attempt before redirecting the browser, so that the callback can be checked against it and against this browser. */
export const startAuthorization = async (
  deps: LinkDeps,
  session: StoredSession,
  { connector, tenant, browser, frame, view }: AuthorizationInput,
): Promise<AuthorizationStart> => {
  const { organizationId } = session
  const app = await deps.apps.forLinking(organizationId, connector.slug)
  const started = await begin(deps, session, { connector, app, tenant })
  if ('ending' in started) return started
  const attemptId = newUuid()
  const organizationKey = await deps.vault.organizationKey(organizationId)
  const context = stateContext(organizationId, attemptId)
  await deps.db.transaction(async tx => {
    await recordOpened(tx, session)
    await attemptStore.insert(tx, keyOf(session), {
      id: attemptId,
      connectorSlug: connector.slug,
      browserHash: hashSecret(browser),
      frameHash: frame === null ? null : hashSecret(frame),
      view: serializeView(view),
      oauth: {
        app: started.app.id,
        context: started.app.context,
        stateHash: hashSecret(started.state),
        sealedState: seal(organizationKey, JSON.stringify(started.kept), context),
      },
    })
  })
  return { href: started.url }
}

/** OAuth 1.0a requests a token from the provider before the browser goes there, which may fail. */
const begin = async (deps: LinkDeps, session: StoredSession, start: SignInStart) => {
  try {
    return await beginSignIn(deps, session, start)
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error
    deps.log.info({ error, connector: start.connector.slug, session_id: session.id }, 'sign-in did not start')
    const ending = { status: 'error', reason: failureReason(error) } as const
    await deps.db.transaction(tx => recordEnded(tx, session, ending, null))
    return { ending }
  }
}

/** The prefix of every sign-in and 256 random bits. */
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
): Promise<SignInResult> => {
  const kept = await decryptState(deps, attempt)
  const app = await deps.apps.byId(attempt.organizationId, attempt.oauthApp)
  return finishSignIn(deps, attempt.organizationId, { connector, app, kept, parameters, state })
}

/** If the browser returns after days, the key may have been rotated out; the authorization code has expired by then anyway. */
const decryptState = async ({ vault }: LinkDeps, attempt: ReturnedAttempt): Promise<SignInState> => {
  const { organizationId, id, sealedState: sealed } = attempt
  try {
    const key = await vault.organizationKeyOf(organizationId, sealed)
    return JSON.parse(unseal(key, sealed, stateContext(organizationId, id)).toString('utf8')) as SignInState
  } catch (error) {
    throw error instanceof SealBroken ? new OAuthError({ kind: 'exchange_failed' }, error) : error
  }
}

const failureReason = ({ failure }: OAuthError): FailureReason =>
  failure.kind === 'invalid_grant' || failure.kind === 'denied' ? 'exchange_failed' : failure.kind
