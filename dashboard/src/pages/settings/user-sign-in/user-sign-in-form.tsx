import type { SignIn } from '@carabiner/sdk'
import { type FormEvent, useMemo } from 'react'
import { fieldError } from '../../../api/field-error.ts'
import { useScope } from '../../../api/use-api.ts'
import { useApiMutation } from '../../../api/use-api-mutation.ts'
import { useDraft } from '../../../drafts/use-draft.ts'
import { useSecretDraft } from '../../../drafts/use-secret-draft.ts'
import { Card } from '../../../ui/card.tsx'
import { SaveBar } from '../../../ui/forms/save-bar.tsx'
import { SelectField } from '../../../ui/forms/select-field.tsx'
import { TextField } from '../../../ui/forms/text-field.tsx'
import { toast } from '../../../ui/overlays/toast.tsx'
import { ErrorNote } from '../../../ui/states/error-note.tsx'
import { PackChoice } from './pack-choice.tsx'
import { ProviderFields } from './provider-fields.tsx'
import { bodyOf, type Draft, draftOf, isComplete } from './user-sign-in-draft.ts'

const PLACES = [
  { value: 'provider', label: 'At your identity provider', hint: 'Any OpenID Connect provider' },
  { value: 'application', label: 'In your application', hint: 'Your backend approves each sign-in' },
] as const

const FIELDS = [
  'identity_provider.issuer',
  'identity_provider.client_id',
  'identity_provider.client_secret',
  'identity_provider.scopes',
  'identity_provider.user_claim',
  'sign_in_url',
  'tool_pack_ids',
]

export const UserSignInForm = ({ saved, mayManage }: { saved: SignIn; mayManage: boolean }) => {
  const { mode } = useScope()
  const kept = useDraft(
    `user-sign-in.${mode}`,
    useMemo(() => draftOf(saved), [saved]),
  )
  const clientSecret = useSecretDraft()
  const draft: Draft = { ...kept.values, clientSecret: clientSecret.value }
  const discard = (): void => {
    kept.discard()
    clientSecret.discard()
  }
  const save = useApiMutation((api, next: Draft) => api.signIn.replace(bodyOf(next)), {
    invalidates: [['user-sign-in']],
    onSuccess: (_saved, submitted) => {
      kept.settle(submitted)
      clientSecret.settle(submitted.clientSecret)
      toast({ title: 'User sign-in saved', description: 'It applies from the next sign-in.' })
    },
  })
  const change = ({ clientSecret: secret, ...changed }: Partial<Draft>): void => {
    if (secret !== undefined) clientSecret.change(secret)
    kept.change(changed)
  }
  const errorOf = (field: string): string | undefined => fieldError(save.error, field)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (!save.isPending) save.mutate(draft)
  }
  return (
    <Card title="Settings">
      <form onSubmit={submit}>
        <fieldset disabled={!mayManage} className="grid min-w-0 gap-6">
          <SelectField
            label="Users sign in"
            value={draft.place}
            options={PLACES}
            onChange={place => change({ place })}
            isDisabled={!mayManage}
          />
          {draft.place === 'provider' ? (
            <ProviderFields {...{ saved, draft, change, errorOf, mayManage }} />
          ) : (
            <TextField
              label="Sign-in URL"
              hint="The page in your application that the browser opens with a request parameter. Your backend approves the request once the user is signed in."
              error={errorOf('sign_in_url')}
              required
              maxLength={2048}
              value={draft.signInUrl}
              placeholder="https://app.example.com/connect-client"
              inputMode="url"
              autoComplete="off"
              spellCheck={false}
              onChange={value => change({ signInUrl: value })}
            />
          )}
          <PackChoice
            value={draft.toolPackIds}
            onChange={toolPackIds => change({ toolPackIds })}
            error={errorOf('tool_pack_ids')}
            isDisabled={!mayManage}
          />
          {save.error && !FIELDS.some(errorOf) && <ErrorNote error={save.error} />}
          {mayManage && (
            <SaveBar
              changes={kept.count + (clientSecret.value === '' ? 0 : 1)}
              onDiscard={discard}
              isBusy={save.isPending}
              isDisabled={!isComplete(saved, draft)}
            />
          )}
        </fieldset>
      </form>
    </Card>
  )
}
