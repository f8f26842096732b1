import type { SignIn } from '@carabiner/sdk'
import { type FormEvent, useState } from 'react'
import { fieldError } from '../../../api/field-error.ts'
import { useApiMutation } from '../../../api/use-api-mutation.ts'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { Field } from '../../../ui/forms/field.tsx'
import { Input } from '../../../ui/forms/input.tsx'
import { Select } from '../../../ui/forms/select.tsx'
import { toast } from '../../../ui/overlays/toast.tsx'
import { ErrorNote } from '../../../ui/states/error-note.tsx'
import { bodyOf, type Draft, draftOf, isComplete } from './draft.ts'
import { PackChoice } from './pack-choice.tsx'
import { ProviderFields } from './provider-fields.tsx'

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

export const SignInForm = ({ saved, mayManage }: { saved: SignIn; mayManage: boolean }) => {
  const [draft, setDraft] = useState(() => draftOf(saved))
  const save = useApiMutation((api, next: Draft) => api.signIn.replace(bodyOf(next)), {
    invalidates: [['user-sign-in']],
    onSuccess: () => toast({ title: 'User sign-in saved', description: 'The next sign-in uses it.' }),
  })
  const change = (changed: Partial<Draft>): void => setDraft(previous => ({ ...previous, ...changed }))
  const errorOf = (field: string): string | undefined => fieldError(save.error, field)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (!save.isPending) save.mutate(draft)
  }
  const isUnchanged = JSON.stringify(draft) === JSON.stringify(draftOf(saved))
  return (
    <Card title="Settings">
      <form onSubmit={submit}>
        <fieldset disabled={!mayManage} className="grid min-w-0 gap-6">
          <Field label="Users sign in">
            <Select
              value={draft.place}
              options={PLACES}
              onChange={place => change({ place })}
              isDisabled={!mayManage}
            />
          </Field>
          {draft.place === 'provider' ? (
            <ProviderFields {...{ saved, draft, change, errorOf, mayManage }} />
          ) : (
            <Field
              label="Sign-in URL"
              hint="The page of your application that the browser opens with the parameter request. Your backend approves the request when the user is signed in."
              error={errorOf('sign_in_url')}
            >
              <Input
                required
                maxLength={2048}
                value={draft.signInUrl}
                placeholder="https://app.example.com/connect-client"
                inputMode="url"
                autoComplete="off"
                spellCheck={false}
                onChange={event => change({ signInUrl: event.target.value })}
              />
            </Field>
          )}
          <PackChoice
            value={draft.toolPackIds}
            onChange={toolPackIds => change({ toolPackIds })}
            error={errorOf('tool_pack_ids')}
            isDisabled={!mayManage}
          />
          {save.error && !FIELDS.some(errorOf) && <ErrorNote error={save.error} />}
          {mayManage && (
            <Button
              type="submit"
              kind="primary"
              className="justify-self-start"
              isBusy={save.isPending}
              disabled={isUnchanged || !isComplete(saved, draft)}
            >
              Save
            </Button>
          )}
        </fieldset>
      </form>
    </Card>
  )
}
