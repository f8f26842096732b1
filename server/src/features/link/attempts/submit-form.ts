import type { FormMethod } from '@carabiner/contract'
import { hashSecret } from '../../../core/hash-secret.ts'
import { Secret } from '../../../core/secret.ts'
import { newUuid } from '../../../core/uuid.ts'
import type { UsableConnector } from '../../connectors/availability.ts'
import { obtainCredential } from '../../connectors/obtain-credential.ts'
import { serializeView, type View } from '../../pages/view.ts'
import * as views from '../../pages/views/index.ts'
import { freeTextFields } from '../../upstream/authorization-kinds/free-text-fields.ts'
import { keyOf, linkSessionStore, type StoredSession } from '../sessions/link-session-store.ts'
import { recordOpened } from '../sessions/open-session.ts'
import { attemptStore } from './attempt-store.ts'
import { completeSession } from './complete-session.ts'
import type { LinkDeps } from './link-deps.ts'
import { readFields } from './read-fields.ts'
import { explainRefusal, type RefusedCompletion } from './refused-completion.ts'

/** Key checks per session: enough for a person who mistypes, too few to guess keys. */
export const MAX_KEY_CHECKS = 10

export type FormSubmission =
  | { kind: 'completed'; code: string | null; attemptId: string }
  /** The person is asked “Replace or add?” first. */
  | { kind: 'choosing'; attemptId: string }
  | { kind: 'problem'; problem: views.KeyProblem; invalidField?: string | undefined }
  | { kind: 'too_many' }
  | { kind: 'refused'; refused: RefusedCompletion }

/** Makes a credential from what the person has entered, and stores it once the provider has accepted it. */
export const submitForm = async (
  deps: LinkDeps,
  session: StoredSession,
  { connector, method }: { connector: UsableConnector; method: FormMethod },
  form: Record<string, string | undefined>,
  browser: string,
  view: View,
): Promise<FormSubmission> => {
  const key = keyOf(session)
  const tenant = readFields(connector.tenant ?? [], form, { prefix: views.TENANT_PREFIX })
  if ('problem' in tenant) return { kind: 'problem', ...tenant }
  const typed = readFields(method.fields, form, { freeText: freeTextFields(method) })
  if ('problem' in typed) return { kind: 'problem', ...typed }
  if (!(await linkSessionStore.countKeyCheck(deps.db, key, MAX_KEY_CHECKS))) return { kind: 'too_many' }
  const attemptId = newUuid()
  await deps.db.transaction(async tx => {
    await recordOpened(tx, session)
    await attemptStore.insert(tx, key, {
      id: attemptId,
      connectorSlug: connector.slug,
      browserHash: hashSecret(browser),
      frameHash: null,
      view: serializeView(view),
      oauth: null,
    })
  })
  const fields = Object.fromEntries(
    Object.entries(typed.values).map(([name, value]) => [name, new Secret(value)]),
  )
  const entered = { fields, tenant: tenant.values }
  const obtained = await obtainCredential(deps, session.organizationId, { connector, method }, entered)
  if (obtained.kind === 'problem') {
    await attemptStore.finish(deps.db, session.organizationId, attemptId, 'failed', obtained.problem)
    return obtained
  }
  const { checked } = obtained
  const completion = await completeSession(deps, session, {
    attemptId,
    connectorSlug: connector.slug,
    serverId: connector.serverId ?? null,
    secret: obtained.secret,
    scopes: [],
    account: checked.account,
    accountId: checked.accountId,
    oauthApp: null,
    expiresInSeconds: obtained.expiresInSeconds,
    endsInSeconds: obtained.endsInSeconds,
  })
  if ('choosing' in completion) return { kind: 'choosing', attemptId }
  if (!completion.completed)
    return { kind: 'refused', refused: await explainRefusal(deps, session, attemptId, completion) }
  await checked.keep?.()
  return { kind: 'completed', code: completion.code, attemptId }
}
