import { Secret } from '../../core/secret.ts'
import { isUuid, newUuid } from '../../core/uuid.ts'
import type { Database, Queryable } from '../../platform/database/database.ts'
import { type DataKey, seal, unseal } from '../../platform/vault/sealing.ts'
import type { Vault } from '../../platform/vault/vault.ts'
import type { OAuthApp, ServiceApps } from './oauth-app.ts'
import { type OAuthAppKind, oauthAppStore, type StoredOAuthApp } from './oauth-app-store.ts'

export type OAuthApps = {
  /** The app for new links of a connector: the organization's own, otherwise the service's. */
  forLinking(organizationId: string, slug: string): Promise<OAuthApp | null>
  /** The app that a credential or an attempt was created with. It is read on every use, so that a new secret applies at once. */
  byId(organizationId: string, id: string): Promise<OAuthApp | null>
  /** The connectors for which the organization has its own app. */
  ownSlugs(organizationId: string): Promise<Set<string>>
  serviceHas(slug: string): boolean
  /** Whether the app of the service with this ID is in test mode. For an organization’s own app, a view says it. */
  isInTestMode(id: string | null): boolean
  /** The apps of these connectors with the same client ID. The provider treats an account's grants to them as one. */
  ofClient(organizationId: string, slugs: string[], clientId: string): Promise<string[]>
}

type Deps = { db: Database; vault: Vault; service: ServiceApps }

const secretContext = (organizationId: string, id: string) => ['oauth-app', organizationId, id] as const

export const createOAuthApps = ({ db, vault, service }: Deps): OAuthApps => {
  const toOAuthApp = async (
    organizationId: string,
    stored: StoredOAuthApp | null,
  ): Promise<OAuthApp | null> =>
    stored && {
      id: stored.id,
      context: stored.context,
      clientId: stored.clientId,
      clientSecret: await unsealSecret(vault, organizationId, stored),
      clientAuthentication: stored.clientAuthentication,
      scopes: stored.scopes,
    }
  return {
    serviceHas: slug => service.find(slug) !== null,
    isInTestMode: id => id !== null && service.isInTestMode(id),
    forLinking: async (organizationId, slug) =>
      (await toOAuthApp(organizationId, await oauthAppStore.current(db, organizationId, slug))) ??
      service.find(slug),
    byId: async (organizationId, id) =>
      isUuid(id)
        ? toOAuthApp(organizationId, await oauthAppStore.byId(db, organizationId, id))
        : service.find(id),
    ownSlugs: async organizationId =>
      new Set((await oauthAppStore.slugs(db, organizationId)).map(stored => stored.connectorSlug)),
    ofClient: async (organizationId, slugs, clientId) => [
      ...slugs.filter(slug => service.find(slug)?.clientId === clientId),
      ...(await oauthAppStore.ofClient(db, organizationId, slugs, clientId)).map(({ id }) => id),
    ],
  }
}

const unsealSecret = async (
  vault: Vault,
  organizationId: string,
  stored: StoredOAuthApp,
): Promise<Secret | null> => {
  if (!stored.sealedSecret) return null
  const key = await vault.organizationKeyOf(organizationId, stored.sealedSecret)
  return new Secret(
    unseal(key, stored.sealedSecret, secretContext(organizationId, stored.id)).toString('utf8'),
  )
}

export type OAuthAppInput = {
  slug: string
  kind: OAuthAppKind
  context: string
  clientId: string
  /** Null: a public client. Undefined: the stored secret of the same client. */
  clientSecret: Secret | null | undefined
  clientAuthentication?: OAuthApp['clientAuthentication']
  scopes: string[] | null
  testMode?: boolean
}

/**
 * A different client replaces the current one, whose credentials continue to use it; for the same client, a given secret is
 * replaced.
 */
export const saveOAuthApp = async (
  tx: Queryable,
  organizationKey: DataKey,
  organizationId: string,
  app: OAuthAppInput,
): Promise<StoredOAuthApp> => {
  await oauthAppStore.lockOrganization(tx, organizationId)
  await oauthAppStore.supersedeOthers(tx, organizationId, app.slug, app.clientId)
  const known = await oauthAppStore.current(tx, organizationId, app.slug)
  const id = known?.id ?? newUuid()
  const sealed = app.clientSecret
    ? seal(organizationKey, app.clientSecret.reveal(), secretContext(organizationId, id))
    : app.clientSecret === undefined
      ? (known?.sealedSecret ?? null)
      : null
  return oauthAppStore.upsert(tx, {
    organizationId,
    id,
    connectorSlug: app.slug,
    kind: app.kind,
    context: app.context,
    clientId: app.clientId,
    sealedSecret: sealed,
    clientAuthentication: app.clientAuthentication ?? null,
    scopes: app.scopes,
    testMode: app.testMode === true,
  })
}

export const findOwnApp = (db: Queryable, organizationId: string, slug: string) =>
  oauthAppStore.current(db, organizationId, slug)

/** Deletes the apps with their secrets. Credentials linked with them can no longer be refreshed. */
export const removeOAuthApps = async (
  tx: Queryable,
  organizationId: string,
  slug: string,
): Promise<string[]> => (await oauthAppStore.deleteAll(tx, organizationId, slug)).map(({ id }) => id)
