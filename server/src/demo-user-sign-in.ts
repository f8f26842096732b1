import { saveSettings } from './features/authorization/settings/save-settings.ts'
import { settingsStore } from './features/authorization/settings/settings-store.ts'
import { providerRedirectUri } from './features/authorization/settings/sign-in-addresses.ts'
import type { Features } from './features.ts'
import type { Demo } from './first-boot.ts'

/**
 * Development only: users of the demo organization's test mode sign in with the accounts of the sandbox, so that a client can be connected
 * with an address only. Settings that name another provider are left alone.
 */
export const ensureDemoUserSignIn = async (
  features: Features,
  { organization_id: organizationId }: Demo,
  sandboxUrl: string,
): Promise<void> => {
  const { db, egress, baseUrl, log } = features
  const owner = { organizationId, mode: 'test' } as const
  const settings = await settingsStore.find(db, owner)
  if (settings && settings.issuer !== sandboxUrl) return
  try {
    const { body } = await egress.request({
      url: `${sandboxUrl}/oauth/register`,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        client_name: 'Sign-in of the demo organization',
        redirect_uris: [providerRedirectUri(baseUrl, organizationId, 'test')],
      }),
    })
    const client = JSON.parse(body.toString()) as { client_id: string; client_secret: string }
    const { client_id, client_secret } = client
    const identity_provider = { issuer: sandboxUrl, client_id, client_secret }
    const saved = { forApprovals: true }
    await saveSettings(features, owner, { identity_provider, create_users: true }, saved)
  } catch (error) {
    log.warn({ error }, 'sign-in with the sandbox could not be configured for the demo organization')
  }
}
