import type { SignIn } from '@carabiner/sdk'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { Checkbox } from '../../../ui/forms/checkbox.tsx'
import { Switch } from '../../../ui/forms/switch.tsx'
import { TextField } from '../../../ui/forms/text-field.tsx'
import { ClaimField } from './claim-field.tsx'
import { type Draft, keepsSecret } from './user-sign-in-draft.ts'

type Props = {
  saved: SignIn
  draft: Draft
  change: (changed: Partial<Draft>) => void
  errorOf: (field: string) => string | undefined
  mayManage: boolean
}

export const ProviderFields = ({ saved, draft, change, errorOf, mayManage }: Props) => (
  <>
    <Address
      name="Redirect URI"
      hint="Register a web application with this URI at the provider first."
      text={saved.redirect_uri}
    />
    <TextField
      label="Issuer"
      hint="Exactly as in the provider’s /.well-known/openid-configuration, which is read when you save."
      error={errorOf('identity_provider.issuer')}
      required
      maxLength={2048}
      value={draft.issuer}
      placeholder="https://login.example.com"
      inputMode="url"
      autoComplete="off"
      spellCheck={false}
      onChange={value => change({ issuer: value })}
    />
    <TextField
      label="Client ID"
      error={errorOf('identity_provider.client_id')}
      required
      maxLength={512}
      value={draft.clientId}
      autoComplete="off"
      spellCheck={false}
      onChange={value => change({ clientId: value })}
    />
    <div className="grid gap-2.5">
      <TextField
        label="Client secret"
        hint={
          keepsSecret(saved, draft)
            ? 'A secret is stored and never shown. Leave empty to keep it.'
            : 'Stored encrypted and never shown again.'
        }
        error={errorOf('identity_provider.client_secret')}
        type="password"
        maxLength={2048}
        value={draft.isPublicClient ? '' : draft.clientSecret}
        disabled={draft.isPublicClient}
        autoComplete="off"
        onChange={value => change({ clientSecret: value })}
      />
      <Checkbox
        isChecked={draft.isPublicClient}
        isDisabled={!mayManage}
        onChange={isPublicClient => change({ isPublicClient })}
      >
        Public client without a secret
      </Checkbox>
    </div>
    <div className="grid items-start gap-6 md:grid-cols-2">
      <ClaimField
        value={draft.userClaim}
        onChange={userClaim => change({ userClaim })}
        error={errorOf('identity_provider.user_claim')}
      />
      <TextField
        label="Scopes"
        hint="In addition to openid. Separated by spaces."
        error={errorOf('identity_provider.scopes')}
        value={draft.scopes}
        autoComplete="off"
        spellCheck={false}
        onChange={value => change({ scopes: value })}
      />
    </div>
    <Switch
      label="Trust this issuer’s email addresses"
      hint={
        draft.trustsEmail ? (
          <span className="text-warn">
            Addresses are accepted even if the provider does not mark them as verified. If people can choose
            their address at the provider, they can sign in as someone else.
          </span>
        ) : (
          'Only addresses that the provider marks as verified (email_verified) are accepted. Entra ID does not mark them.'
        )
      }
      isOn={draft.trustsEmail}
      isDisabled={!mayManage}
      onChange={trustsEmail => change({ trustsEmail })}
    />
    <Switch
      label="Create users at their first sign-in"
      hint="When off, people without a Registered User cannot sign in."
      isOn={draft.createsUsers}
      isDisabled={!mayManage}
      onChange={createsUsers => change({ createsUsers })}
    />
    <Switch
      label="Accept assertions from the provider"
      hint="Enterprise-managed authorization (ID-JAG): the provider decides which clients may act for a user, and the user is not asked."
      isOn={draft.acceptsAssertions}
      isDisabled={!mayManage}
      onChange={acceptsAssertions => change({ acceptsAssertions })}
    />
    {draft.acceptsAssertions && (
      <Address
        name="Assertion audience"
        hint="Assertions must name this address as their only audience."
        text={saved.issuer}
      />
    )}
  </>
)

const Address = ({ name, hint, text }: { name: string; hint: string; text: string }) => (
  <div className="grid gap-1">
    <span className="text-sm font-medium">{name}</span>
    <span className="flex items-center gap-1 rounded-control border border-line bg-ground ps-3">
      <code className="min-w-0 flex-1 py-2 font-mono text-xs">{text}</code>
      <CopyButton text={text} label={`Copy: ${name}`} />
    </span>
    <span className="text-xs text-muted">{hint}</span>
  </div>
)
