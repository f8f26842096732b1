import { SignIn, SignInWrite } from '@carabiner/contract'
import { Type } from 'typebox'
import { Refusal } from '../../../core/refusal.ts'
import type { Api } from '../../../edge/api.ts'
import type { Database } from '../../../platform/database/database.ts'
import type { Egress } from '../../../platform/egress/egress.ts'
import type { Vault } from '../../../platform/vault/vault.ts'
import { saveSettings, showSettings } from './save-settings.ts'
import { type SettingsOwner, type StoredSettings, settingsStore } from './settings-store.ts'

const tags = ['Sign-in']
const permission = 'manage' as const

type Deps = { db: Database; vault: Vault; egress: Egress; baseUrl: string }

/** How users of the key's mode sign in at the MCP endpoint. */
export const signInSettingsRoutes = (api: Api, deps: Deps): void => {
  const { db, egress, baseUrl } = deps
  const show = (owner: SettingsOwner, settings: StoredSettings | null) =>
    showSettings(baseUrl, owner, settings)

  api.get(
    '/sign-in',
    {
      config: { errors: [] },
      schema: {
        summary: 'Read how users sign in at the MCP endpoint',
        description: 'If sign-in is not configured, the response contains the redirect URI to register.',
        tags,
        response: { 200: SignIn },
      },
    },
    async ({ principal }) => show(principal, await settingsStore.find(db, principal)),
  )

  api.put(
    '/sign-in',
    {
      config: {
        permission,
        errors: ['invalid_identity_provider', 'tool_pack_not_found'],
        audit: {
          action: 'sign_in.updated',
          values: [
            'sign_in_url',
            'create_users',
            'identity_provider.issuer',
            'identity_provider.client_id',
            'identity_provider.user_claim',
            'identity_provider.trust_email',
            'identity_provider.accept_assertions',
          ],
          before: async ({ principal }) => show(principal, await settingsStore.find(db, principal)),
        },
      },
      schema: {
        summary: 'Set how users sign in at the MCP endpoint',
        description:
          'For users of the mode of the API key. Give an OpenID Connect provider or the address of a page of your application. Missing fields get their defaults.',
        tags,
        body: SignInWrite,
        response: { 200: SignIn },
      },
    },
    async ({ principal, body }) =>
      show(
        principal,
        await saveSettings({ ...deps, egress: egress.onBehalfOf(principal.organizationId) }, principal, body),
      ),
  )

  api.delete(
    '/sign-in',
    {
      config: {
        permission,
        errors: ['sign_in_not_configured'],
        audit: { action: 'sign_in.deleted' },
      },
      schema: {
        summary: 'Turn sign-in off',
        description: 'Calls of signed-in clients are rejected at once.',
        tags,
        response: { 204: Type.Null() },
      },
    },
    async ({ principal }, reply) => {
      if (!(await settingsStore.delete(db, principal))) throw new Refusal('sign_in_not_configured')
      return reply.code(204).send(null)
    },
  )
}
