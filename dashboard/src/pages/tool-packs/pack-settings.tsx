import type { ToolPack, ToolPackPatch } from '@carabiner/sdk'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useMemo, useState } from 'react'
import { fieldError } from '../../api/field-error.ts'
import { useScope } from '../../api/use-api.ts'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { unsavedChanges } from '../../drafts/unsaved-changes.ts'
import { type Draft, useDraft } from '../../drafts/use-draft.ts'
import { useMay } from '../../shell/use-session.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { SaveBar } from '../../ui/forms/save-bar.tsx'
import { Switch } from '../../ui/forms/switch.tsx'
import { TextField } from '../../ui/forms/text-field.tsx'
import { ConfirmDialog } from '../../ui/overlays/confirm-dialog.tsx'
import { toast } from '../../ui/overlays/toast.tsx'
import { ErrorNote } from '../../ui/states/error-note.tsx'
import { ServingFields } from './serving-fields.tsx'

const RESULT_LIMIT = { minimum: 1000, maximum: 1_000_000 }

type Settings = Pick<
  ToolPack,
  | 'name'
  | 'description'
  | 'result_limit'
  | 'daily_call_limit'
  | 'result_handles'
  | 'explain_access'
  | 'renewal_notices'
  | 'tasks'
  | 'serving'
  | 'favorites'
>

export const usePackSettings = (pack: ToolPack): Draft<Settings> => {
  const saved = useMemo(() => settingsOf(pack), [pack])
  return useDraft(`tool-pack.${pack.id}.settings`, saved)
}

const settingsOf = ({
  name,
  description,
  result_limit,
  daily_call_limit,
  result_handles,
  explain_access,
  renewal_notices,
  tasks,
  serving,
  favorites,
}: Settings): Settings => ({
  name,
  description,
  result_limit,
  daily_call_limit,
  result_handles,
  explain_access,
  renewal_notices,
  tasks,
  serving,
  favorites,
})

const trimmed = (changes: Partial<Settings>): ToolPackPatch => ({
  ...changes,
  ...(changes.name !== undefined && { name: changes.name.trim() }),
  ...(changes.description !== undefined && { description: changes.description.trim() }),
})

export const PackSettings = ({ pack, draft }: { pack: ToolPack; draft: Draft<Settings> }) => {
  const mayBuild = useMay('build')
  const { values, changes, change, discard, settle } = draft
  const save = useApiMutation(
    (api, changed: Partial<Settings>) => api.toolPacks.update(pack.id, trimmed(changed)),
    {
      mode: 'production',
      invalidates: [['tool-packs']],
      onSuccess: (_pack, submitted) => {
        settle(submitted)
        toast({ title: 'Tool Pack saved' })
      },
    },
  )
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    save.mutate(changes)
  }
  return (
    <div className="grid gap-4">
      <Card title="Settings">
        <form className="grid gap-5" onSubmit={submit}>
          <fieldset disabled={!mayBuild} className="grid gap-5">
            <TextField
              label="Name"
              required
              maxLength={255}
              value={values.name}
              onChange={value => change({ name: value })}
            />
            <TextField
              label="Description"
              maxLength={2000}
              value={values.description}
              onChange={value => change({ description: value })}
            />
            <TextField
              label="Result limit in bytes"
              hint="Longer results are truncated before the model reads them. 1,000 to 1,000,000."
              type="number"
              required
              min={RESULT_LIMIT.minimum}
              max={RESULT_LIMIT.maximum}
              value={textOf(values.result_limit)}
              onChange={value => change({ result_limit: Number.parseInt(value, 10) })}
            />
            <TextField
              label="Daily call limit"
              hint="Successful production calls per day (UTC). Leave empty for no limit."
              type="number"
              min={0}
              max={1_000_000_000}
              value={textOf(values.daily_call_limit)}
              onChange={value =>
                change({ daily_call_limit: value === '' ? null : Number.parseInt(value, 10) })
              }
            />
            <Switch
              label="Keep the rest of long results"
              hint="Stored for an hour. Agents read on with the tool fetch_result."
              isOn={values.result_handles}
              onChange={isOn => change({ result_handles: isOn })}
              isDisabled={!mayBuild}
            />
            <Switch
              label="Let agents ask why a tool does not work"
              hint="Offers the tool explain_access."
              isOn={values.explain_access}
              onChange={isOn => change({ explain_access: isOn })}
              isDisabled={!mayBuild}
            />
            <Switch
              label="Tell agents when a connection is about to end"
              hint="Adds a notice to results, and offers the tool renew_connection."
              isOn={values.renewal_notices}
              onChange={isOn => change({ renewal_notices: isOn })}
              isDisabled={!mayBuild}
            />
            <Switch
              label="Turn calls that wait for an approval into tasks"
              hint="For clients that support MCP tasks. Results are stored for an hour."
              isOn={values.tasks}
              onChange={isOn => change({ tasks: isOn })}
              isDisabled={!mayBuild}
            />
            <ServingFields
              serving={values.serving}
              favorites={values.favorites}
              onChange={change}
              isDisabled={!mayBuild}
              favoritesError={fieldError(save.error, 'favorites')}
            />
          </fieldset>
          {save.error && !fieldError(save.error, 'favorites') && <ErrorNote error={save.error} />}
          {mayBuild && (
            <SaveBar
              changes={draft.count}
              onDiscard={discard}
              action="Save settings"
              isBusy={save.isPending}
            />
          )}
        </form>
      </Card>
      {mayBuild && <DefaultAndDeletion pack={pack} />}
    </div>
  )
}

/** An empty number field is `NaN`, and `null` in a draft that was kept. */
const textOf = (value: number | null): string => (Number.isFinite(value) ? String(value) : '')

const DefaultAndDeletion = ({ pack }: { pack: ToolPack }) => {
  const scope = useScope()
  const navigate = useNavigate()
  const [isConfirming, setConfirming] = useState(false)
  const makeDefault = useApiMutation((api, id: string) => api.toolPacks.update(id, { is_default: true }), {
    mode: 'production',
    invalidates: [['tool-packs']],
    onSuccess: () => toast({ title: `${pack.name} is now the default pack` }),
  })
  const remove = useApiMutation((api, id: string) => api.toolPacks.delete(id), {
    mode: 'production',
    invalidates: [['tool-packs', 'list']],
    onSuccess: () => {
      toast({ title: 'Tool Pack deleted' })
      unsavedChanges.discard()
      void navigate({ to: '/o/$organization/$mode/tool-packs', params: scope, ignoreBlocker: true })
    },
  })
  return (
    <Card
      title="Default and deletion"
      note={
        pack.is_default
          ? 'Links and keys that name no pack use this one. Make another pack the default to delete it.'
          : 'The default pack is used by links and keys that name no pack.'
      }
    >
      <div className="flex flex-wrap gap-2">
        <Button
          disabled={pack.is_default}
          isBusy={makeDefault.isPending}
          onClick={() => makeDefault.mutate(pack.id)}
        >
          Make default
        </Button>
        <Button kind="quiet-danger" disabled={pack.is_default} onClick={() => setConfirming(true)}>
          Delete
        </Button>
        {makeDefault.error && <ErrorNote error={makeDefault.error} />}
      </div>
      <ConfirmDialog
        isOpen={isConfirming}
        onClose={() => setConfirming(false)}
        onConfirm={() => remove.mutate(pack.id)}
        title={`Delete ${pack.name}?`}
        action="Delete Tool Pack"
        typedName={pack.name}
        request={remove}
      >
        Its MCP URLs stop working immediately, open links for it offer no connectors, and it is removed from
        MCP keys.
      </ConfirmDialog>
    </Card>
  )
}
