import type { SignIn } from '@carabiner/sdk'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { Checkbox } from '../../../ui/forms/checkbox.tsx'
import { Field } from '../../../ui/forms/field.tsx'
import { Input } from '../../../ui/forms/input.tsx'
import { Switch } from '../../../ui/forms/switch.tsx'
import { ClaimField } from './claim-field.tsx'
import { type Draft, keepsSecret } from './draft.ts'

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
    <Field
      label="Issuer"
      hint="Exactly as in /.well-known/openid-configuration of the provider. It is read when you save."
      error={errorOf('identity_provider.issuer')}
    >
      <Input
        required
        maxLength={2048}
        value={draft.issuer}
        placeholder="https://login.example.com"
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
        onChange={event => change({ issuer: event.target.value })}
      />
    </Field>
    <Field label="Client ID" error={errorOf('identity_provider.client_id')}>
      <Input
        required
        maxLength={512}
        value={draft.clientId}
        autoComplete="off"
        spellCheck={false}
        onChange={event => change({ clientId: event.target.value })}
      />
    </Field>
    <div className="grid gap-2.5">
      <Field
        label="Client secret"
        hint={
          keepsSecret(saved, draft)
            ? 'A secret is stored, and never shown. Leave the field empty to keep it.'
            : 'Stored encrypted, and never shown again.'
        }
        error={errorOf('identity_provider.client_secret')}
      >
        <Input
          type="password"
          maxLength={2048}
          value={draft.isPublicClient ? '' : draft.clientSecret}
          disabled={draft.isPublicClient}
          autoComplete="off"
          onChange={event => change({ clientSecret: event.target.value })}
        />
      </Field>
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
      <Field
        label="Scopes"
        hint="Besides openid, separated by spaces."
        error={errorOf('identity_provider.scopes')}
      >
        <Input
          value={draft.scopes}
          autoComplete="off"
          spellCheck={false}
          onChange={event => change({ scopes: event.target.value })}
        />
      </Field>
    </div>
    <Switch
      label="Trust email addresses of this issuer"
      hint={
        draft.trustsEmail ? (
          <span className="text-warn">
            Addresses count although the provider does not state that they are verified. If a person can
            choose their address at the provider, they can sign in as somebody else.
          </span>
        ) : (
          'An address counts only if the provider states that it is verified (email_verified). Entra ID does not state it.'
        )
      }
      isOn={draft.trustsEmail}
      isDisabled={!mayManage}
      onChange={trustsEmail => change({ trustsEmail })}
    />
    <Switch
      label="Create users at their first sign-in"
      hint="If this is off, people without a Registered User cannot sign in."
      isOn={draft.createsUsers}
      isDisabled={!mayManage}
      onChange={createsUsers => change({ createsUsers })}
    />
    <Switch
      label="Accept assertions of the provider"
      hint="Enterprise-managed authorization (ID-JAG): the provider decides which clients may act for a user, and the user is not asked."
      isOn={draft.acceptsAssertions}
      isDisabled={!mayManage}
      onChange={acceptsAssertions => change({ acceptsAssertions })}
    />
    {draft.acceptsAssertions && (
      <Address
        name="Audience of assertions"
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
