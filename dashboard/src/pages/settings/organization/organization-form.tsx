import type { Organization, OrganizationPatch } from '@carabiner/sdk'
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useApiMutation } from '../../../api/use-api-mutation.ts'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { Field } from '../../../ui/forms/field.tsx'
import { Input } from '../../../ui/forms/input.tsx'
import { Select } from '../../../ui/forms/select.tsx'
import { Switch } from '../../../ui/forms/switch.tsx'
import { toast } from '../../../ui/overlays/toast.tsx'
import { ErrorNote } from '../../../ui/states/error-note.tsx'

const BINDINGS = [
  {
    value: 'interstitial',
    label: 'Authorization code optional',
    hint: 'A link with a callback URL and a state waits for your backend. Any other link stores the account as soon as the user has connected it.',
  },
  {
    value: 'code_only',
    label: 'Only with an authorization code',
    hint: 'No account is stored before your backend has confirmed the code. Links without a state no longer work, including those already sent.',
  },
] as const

export const OrganizationForm = ({ saved, mayManage }: { saved: Organization; mayManage: boolean }) => {
  const queryClient = useQueryClient()
  const [name, setName] = useState(saved.name)
  const [capture, setCapture] = useState(saved.capture)
  const [binding, setBinding] = useState(saved.link_binding)
  const [callback, setCallback] = useState(saved.runtime_callback_url ?? '')
  const changes: OrganizationPatch = {
    ...(name.trim() !== saved.name && { name: name.trim() }),
    ...(capture !== saved.capture && { capture }),
    ...(binding !== saved.link_binding && { link_binding: binding }),
    ...(callback.trim() !== (saved.runtime_callback_url ?? '') && {
      runtime_callback_url: callback.trim() || null,
    }),
  }
  const save = useApiMutation((api, patch: OrganizationPatch) => api.organization.update(patch), {
    invalidates: [['organization']],
    mode: 'production',
    onSuccess: () => {
      // The name is part of the session.
      void queryClient.invalidateQueries({ queryKey: ['session'] })
      toast({ title: 'Organization saved' })
    },
  })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    save.mutate(changes)
  }
  const isUnchanged = Object.keys(changes).length === 0
  return (
    <Card title="Settings">
      <form onSubmit={submit}>
        <fieldset disabled={!mayManage} className="grid min-w-0 gap-6">
          <Field label="Name" hint="Users see it on the Link pages.">
            <Input
              required
              maxLength={255}
              value={name}
              onChange={event => setName(event.target.value)}
              className="max-w-md"
            />
          </Field>
          <Switch
            label="Store arguments and results of tool calls"
            hint="Encrypted, redacted by the Security Gateway, and shown in Logs. Off: only metadata is stored."
            isOn={capture === 'on'}
            isDisabled={!mayManage}
            onChange={isOn => setCapture(isOn ? 'on' : 'off')}
          />
          <Field label="Linking" hint={BINDINGS.find(({ value }) => value === binding)?.hint}>
            <Select value={binding} onChange={setBinding} options={BINDINGS} isDisabled={!mayManage} />
          </Field>
          <Field
            label="Runtime callback URL"
            hint="Used only if links need an authorization code: links that a tool call returns lead back here. Without it, such calls fail with code_mode_required. Its origin must be allowed."
          >
            <Input
              value={callback}
              maxLength={2048}
              onChange={event => setCallback(event.target.value)}
              placeholder="https://app.example.com/linked"
              inputMode="url"
              autoComplete="off"
              spellCheck={false}
            />
          </Field>
          {save.error && <ErrorNote error={save.error} />}
          {mayManage && (
            <Button
              type="submit"
              kind="primary"
              className="justify-self-start"
              isBusy={save.isPending}
              disabled={isUnchanged || name.trim() === ''}
            >
              Save
            </Button>
          )}
        </fieldset>
      </form>
    </Card>
  )
}
