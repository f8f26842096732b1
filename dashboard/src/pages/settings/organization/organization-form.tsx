import type { Organization, OrganizationPatch } from '@carabiner/sdk'
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useMemo } from 'react'
import { useApiMutation } from '../../../api/use-api-mutation.ts'
import { useDraft } from '../../../drafts/use-draft.ts'
import { Card } from '../../../ui/card.tsx'
import { SaveBar } from '../../../ui/forms/save-bar.tsx'
import { SelectField } from '../../../ui/forms/select-field.tsx'
import { Switch } from '../../../ui/forms/switch.tsx'
import { TextField } from '../../../ui/forms/text-field.tsx'
import { toast } from '../../../ui/overlays/toast.tsx'

const BINDINGS = [
  {
    value: 'interstitial',
    label: 'Authorization code optional',
    hint: 'Links with a callback URL and a state wait for your backend. All other links store the account as soon as the user connects it.',
  },
  {
    value: 'code_only',
    label: 'Only with an authorization code',
    hint: 'No account is stored until your backend confirms the code. Links without a state stop working, including those already sent.',
  },
] as const

const fieldsOf = ({ name, capture, link_binding, runtime_callback_url }: Organization) => ({
  name,
  capture,
  link_binding,
  runtime_callback_url: runtime_callback_url ?? '',
})
type Fields = ReturnType<typeof fieldsOf>

const patchOf = (changes: Partial<Fields>): OrganizationPatch => ({
  ...changes,
  ...(changes.name !== undefined && { name: changes.name.trim() }),
  ...(changes.runtime_callback_url !== undefined && {
    runtime_callback_url: changes.runtime_callback_url.trim() || null,
  }),
})

export const OrganizationForm = ({ saved, mayManage }: { saved: Organization; mayManage: boolean }) => {
  const queryClient = useQueryClient()
  const before = useMemo(() => fieldsOf(saved), [saved])
  const { values, changes, count, change, discard, settle } = useDraft('organization', before)
  const save = useApiMutation((api, changed: Partial<Fields>) => api.organization.update(patchOf(changed)), {
    invalidates: [['organization']],
    mode: 'production',
    onSuccess: (_saved, submitted) => {
      settle(submitted)
      // The name is part of the session.
      void queryClient.invalidateQueries({ queryKey: ['session'] })
      toast({ title: 'Organization saved' })
    },
  })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    save.mutate(changes)
  }
  return (
    <Card title="Settings">
      <form onSubmit={submit}>
        <fieldset disabled={!mayManage} className="grid min-w-0 gap-6">
          <TextField
            label="Name"
            hint="End users see it on the Link pages."
            required
            maxLength={255}
            value={values.name}
            onChange={name => change({ name })}
            className="max-w-md"
          />
          <Switch
            label="Store arguments and results of tool calls"
            hint="Encrypted, redacted by the Security Gateway, and shown in Logs. When off, only metadata is stored."
            isOn={values.capture === 'on'}
            isDisabled={!mayManage}
            onChange={isOn => change({ capture: isOn ? 'on' : 'off' })}
          />
          <SelectField
            label="Linking"
            hint={BINDINGS.find(({ value }) => value === values.link_binding)?.hint}
            value={values.link_binding}
            onChange={link_binding => change({ link_binding })}
            options={BINDINGS}
            isDisabled={!mayManage}
          />
          <TextField
            label="Runtime callback URL"
            hint="Where links from tool calls return to if links need an authorization code. Without it, such calls fail with code_mode_required. Its origin must be allowed."
            value={values.runtime_callback_url}
            maxLength={2048}
            onChange={runtime_callback_url => change({ runtime_callback_url })}
            placeholder="https://app.example.com/linked"
            inputMode="url"
            autoComplete="off"
            spellCheck={false}
          />
          {mayManage && (
            <SaveBar
              changes={count}
              onDiscard={discard}
              isBusy={save.isPending}
              isDisabled={values.name.trim() === ''}
              error={save.error}
            />
          )}
        </fieldset>
      </form>
    </Card>
  )
}
