import type { ConnectorFile } from '@carabiner/contract'
import { Secret } from '../../core/secret.ts'
import { newUuid } from '../../core/uuid.ts'
import { fetchAccount } from '../upstream/identity.ts'
import { attemptStore } from './attempt-store.ts'
import { hashSecret, type LinkDeps } from './authorize.ts'
import { completeSession } from './complete-session.ts'
import { keyOf, linkSessionStore, type SessionRow } from './link-session-store.ts'
import { recordOpened } from './open-session.ts'
import { serialiseView, type View } from './view.ts'
import type { KeyProblem } from './views/index.ts'

/** Guesses a session allows: enough for a person with three keys and a typo, nothing for a machine. */
export const MAX_KEY_CHECKS = 10

export type KeySubmission =
  | { kind: 'completed'; code: string | null; attemptId: string }
  | { kind: 'problem'; problem: KeyProblem }
  | { kind: 'too_many' }
  | { kind: 'session_over' }

/** A key is a header value: what cannot stand in one is refused before it is sent anywhere. */
const KEY_SHAPE = /^[\x21-\x7e]{1,1024}$/

export const submitApiKey = async (
  deps: LinkDeps,
  session: SessionRow,
  connector: ConnectorFile,
  text: string,
  browser: string,
  view: View,
): Promise<KeySubmission> => {
  const key = keyOf(session)
  const trimmed = text.trim()
  if (!KEY_SHAPE.test(trimmed)) {
    return { kind: 'problem', problem: trimmed === '' ? 'fields_missing' : 'key_rejected' }
  }
  if (!(await linkSessionStore.countKeyCheck(deps.db, key, MAX_KEY_CHECKS))) return { kind: 'too_many' }
  const attemptId = newUuid()
  await deps.db.transaction(async tx => {
    await recordOpened(tx, session)
    await attemptStore.insert(tx, key, {
      id: attemptId,
      connectorSlug: connector.slug,
      browserHash: hashSecret(browser),
      view: serialiseView(view),
      oauth: null,
    })
  })
  const secret = { kind: 'api_key', key: new Secret(trimmed) } as const
  const identity = await fetchAccount(deps, connector, secret)
  if (identity.kind !== 'account') {
    const problem = identity.kind === 'rejected' ? 'key_rejected' : 'key_check_unavailable'
    await attemptStore.finish(deps.db, session.organization_id, attemptId, 'failed', problem)
    return { kind: 'problem', problem }
  }
  const completion = await completeSession(deps, session, {
    attemptId,
    connectorSlug: connector.slug,
    secret,
    scopes: [],
    account: identity.account,
    oauthApp: null,
    expiresInSeconds: null,
  })
  return completion.completed
    ? { kind: 'completed', code: completion.code, attemptId }
    : { kind: 'session_over' }
}
