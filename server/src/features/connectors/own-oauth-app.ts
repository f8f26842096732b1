import type { OAuthAppPut } from '@carabiner/contract'
import { Refusal } from '../../core/refusal.ts'
import { Secret } from '../../core/secret.ts'
import type { Database, Transaction } from '../../platform/database/database.ts'
import type { Vault } from '../../platform/vault/vault.ts'
import { ownContext } from '../oauth/oauth-app.ts'
import { removeOAuthApps, saveOAuthApp } from '../oauth/oauth-apps.ts'

export const saveOwnApp = async (
  { db, vault }: { db: Database; vault: Vault },
  organizationId: string,
  slug: string,
  { client_id, client_secret, scopes, test_mode }: OAuthAppPut,
): Promise<void> => {
  const key = await vault.organizationKey(organizationId)
  await db.transaction(tx =>
    saveOAuthApp(tx, key, organizationId, {
      slug,
      kind: 'given',
      context: ownContext(organizationId, slug),
      clientId: client_id,
      clientSecret: client_secret === undefined ? undefined : new Secret(client_secret),
      scopes: scopes ?? null,
      testMode: test_mode === true,
    }),
  )
}

export type RemovalDeps = {
  db: Database
  /** Marks the credentials that were linked with a removed app as needing to be linked again. */
  markOrphaned: (tx: Transaction, organizationId: string, slug: string, appIds: string[]) => Promise<void>
}

export const removeOwnApp = ({ db, markOrphaned }: RemovalDeps, organizationId: string, slug: string) =>
  db.transaction(async tx => {
    const removed = await removeOAuthApps(tx, organizationId, slug)
    if (removed.length === 0) throw new Refusal('oauth_app_not_found')
    await markOrphaned(tx, organizationId, slug, removed)
  })
