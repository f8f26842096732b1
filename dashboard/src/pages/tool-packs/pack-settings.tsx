import type { ToolPack, ToolPackPatch } from '@carabiner/sdk'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { fieldError } from '../../api/field-error.ts'
import { useScope } from '../../api/use-api.ts'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useMay } from '../../shell/use-session.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Field } from '../../ui/forms/field.tsx'
import { Input } from '../../ui/forms/input.tsx'
import { Switch } from '../../ui/forms/switch.tsx'
import { ConfirmDialog } from '../../ui/overlays/confirm-dialog.tsx'
import { toast } from '../../ui/overlays/toast.tsx'
import { ErrorNote } from '../../ui/states/error-note.tsx'
import { ServingFields } from './serving-fields.tsx'

const RESULT_LIMIT = { minimum: 1000, maximum: 1_000_000 }

type Draft = Partial<
  Pick<
    ToolPack,
    'name' | 'description' | 'result_limit' | 'result_handles' | 'explain_access' | 'serving' | 'favorites'
  >
>

export const PackSettings = ({ pack }: { pack: ToolPack }) => {
  const mayBuild = useMay('build')
  /** Only the fields that were changed, so that a save elsewhere is not undone by this one. */
  const [draft, setDraft] = useState<Draft>({})
  const values = { ...pack, ...draft }
  const change = (changed: Draft): void => setDraft(previous => ({ ...previous, ...changed }))
  const save = useApiMutation((api, body: ToolPackPatch) => api.toolPacks.update(pack.id, body), {
    mode: 'production',
    invalidates: [['tool-packs']],
    onSuccess: () => {
      setDraft({})
      toast({ title: 'Tool Pack saved' })
    },
  })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    save.mutate({
      ...draft,
      ...(draft.name !== undefined && { name: draft.name.trim() }),
      ...(draft.description !== undefined && { description: draft.description.trim() }),
    })
  }
  return (
    <div className="grid gap-4">
      <Card title="Settings">
        <form className="grid gap-5" onSubmit={submit}>
          <fieldset disabled={!mayBuild} className="grid gap-5">
            <Field label="Name">
              <Input
                required
                maxLength={255}
                value={values.name}
                onChange={event => change({ name: event.target.value })}
              />
            </Field>
            <Field label="Description">
              <Input
                maxLength={2000}
                value={values.description}
                onChange={event => change({ description: event.target.value })}
              />
            </Field>
            <Field
              label="Result limit in bytes"
              hint="Longer results are truncated before the model reads them. 1,000 to 1,000,000."
            >
              <Input
                type="number"
                required
                min={RESULT_LIMIT.minimum}
                max={RESULT_LIMIT.maximum}
                value={Number.isNaN(values.result_limit) ? '' : values.result_limit}
                onChange={event => change({ result_limit: event.target.valueAsNumber })}
              />
            </Field>
            <Switch
              label="Keep the rest of long results"
              hint="Stores it for an hour and offers the tool fetch_result to read on."
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
            <div>
              <Button
                type="submit"
                kind="primary"
                isBusy={save.isPending}
                disabled={Object.keys(draft).length === 0}
              >
                Save settings
              </Button>
            </div>
          )}
        </form>
      </Card>
      {mayBuild && <DefaultAndDeletion pack={pack} />}
    </div>
  )
}

const DefaultAndDeletion = ({ pack }: { pack: ToolPack }) => {
  const scope = useScope()
  const navigate = useNavigate()
  const [isAsked, setAsked] = useState(false)
  const makeDefault = useApiMutation((api, id: string) => api.toolPacks.update(id, { is_default: true }), {
    mode: 'production',
    invalidates: [['tool-packs']],
    onSuccess: () => toast({ title: 'This is the default pack now' }),
  })
  const remove = useApiMutation((api, id: string) => api.toolPacks.delete(id), {
    mode: 'production',
    invalidates: [['tool-packs', 'list']],
    onSuccess: () => {
      toast({ title: 'Tool Pack deleted' })
      void navigate({ to: '/o/$organization/$mode/tool-packs', params: scope })
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
          Make it the default
        </Button>
        <Button kind="quiet-danger" disabled={pack.is_default} onClick={() => setAsked(true)}>
          Delete
        </Button>
        {makeDefault.error && <ErrorNote error={makeDefault.error} />}
      </div>
      <ConfirmDialog
        isOpen={isAsked}
        onClose={() => setAsked(false)}
        onConfirm={() => remove.mutate(pack.id)}
        title={`Delete ${pack.name}?`}
        action="Delete Tool Pack"
        typedName={pack.name}
        isBusy={remove.isPending}
        error={remove.error}
      >
        Its MCP URLs stop working at once, open links for it offer nothing, and it is removed from MCP keys.
      </ConfirmDialog>
    </Card>
  )
}
