import { operations } from '@carabiner/contract/operations'
import { Refusal } from '../../../core/refusal.ts'
import type { Api } from '../../../edge/api.ts'
import { serve } from '../../../edge/serve.ts'
import type { Database } from '../../../platform/database/database.ts'
import type { Egress } from '../../../platform/egress/egress.ts'
import type { Vault } from '../../../platform/vault/vault.ts'
import { mayLoosen } from '../../policies/may-loosen.ts'
import { saveSettings, showSettings } from './save-settings.ts'
import { type SettingsOwner, type StoredSettings, settingsStore } from './settings-store.ts'

type Deps = { db: Database; vault: Vault; egress: Egress; baseUrl: string }

/** How users of the key's mode sign in at the MCP endpoint. */
export const signInSettingsRoutes = (api: Api, deps: Deps): void => {
  const { db, egress, baseUrl } = deps
  const show = (owner: SettingsOwner, settings: StoredSettings | null) =>
    showSettings(baseUrl, owner, settings)

  serve(api, operations.getSignIn, async ({ principal }) =>
    show(principal, await settingsStore.find(db, principal)),
  )

  serve(
    api,
    operations.replaceSignIn,
    async ({ principal, body }) =>
      show(
        principal,
        await saveSettings(
          { ...deps, egress: egress.onBehalfOf(principal.organizationId) },
          principal,
          body,
          {
            forApprovals: mayLoosen(principal),
          },
        ),
      ),
    { before: async ({ principal }) => show(principal, await settingsStore.find(db, principal)) },
  )

  serve(api, operations.deleteSignIn, async ({ principal }) => {
    if (!(await settingsStore.delete(db, principal))) throw new Refusal('sign_in_not_configured')
  })
}
