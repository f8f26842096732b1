import type { LinkCustomization, LinkCustomizationPatch } from '@carabiner/sdk'
import { useState } from 'react'
import { useApiMutation } from '../../../api/use-api-mutation.ts'
import { useApiQuery } from '../../../api/use-api-query.ts'
import { useMay } from '../../../shell/use-session.ts'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { toast } from '../../../ui/overlays/toast.tsx'
import { ErrorNote } from '../../../ui/states/error-note.tsx'
import { ErrorState } from '../../../ui/states/error-state.tsx'
import { SkeletonRows } from '../../../ui/states/skeleton.tsx'
import { SettingsPage } from '../settings-page.tsx'
import { changesOf, type Draft, draftOf } from './draft.ts'
import { LinkPreview } from './link-preview.tsx'
import { LinkTextsCard } from './link-texts-card.tsx'
import { LinksCard } from './links-card.tsx'
import { LogoCard } from './logo-card.tsx'
import { LookCard } from './look-card.tsx'

const LinkPage = () => {
  const { data, error, refetch } = useApiQuery(
    ['link-customization'],
    (api, options) => api.linkCustomization.get(options),
    { mode: 'production' },
  )
  return (
    <SettingsPage
      title="Link customization"
      note="Appearance and texts of the pages on which your users connect their accounts. Sentences about trust cannot be changed."
    >
      {data ? (
        <LinkForm saved={data} />
      ) : (
        <Card isFlush>
          {error ? (
            <ErrorState error={error} onRetry={() => void refetch()} />
          ) : (
            <SkeletonRows label="Loading the customization" />
          )}
        </Card>
      )}
    </SettingsPage>
  )
}

const LinkForm = ({ saved }: { saved: LinkCustomization }) => {
  const mayBuild = useMay('build')
  /** Only the fields that were changed, so that they survive a new logo, which is saved at once. */
  const [changed, setChanged] = useState<Partial<Draft>>({})
  const draft = { ...draftOf(saved), ...changed }
  const change = (changes: Partial<Draft>): void => setChanged(previous => ({ ...previous, ...changes }))
  const changes = changesOf(saved, draft)
  const count = Object.keys(changes).length
  const save = useApiMutation((api, patch: LinkCustomizationPatch) => api.linkCustomization.update(patch), {
    invalidates: [['link-customization']],
    onSuccess: () => {
      setChanged({})
      toast({ title: 'Link customization saved' })
    },
    mode: 'production',
  })
  return (
    <div className="grid items-start gap-5 xl:grid-cols-[minmax(0,1fr)_minmax(0,25rem)]">
      {mayBuild && (
        <div className="min-w-0 xl:sticky xl:top-20 xl:order-2">
          <LinkPreview saved={saved} changes={changes} />
        </div>
      )}
      <form
        className="grid min-w-0 gap-5"
        onSubmit={event => {
          event.preventDefault()
          save.mutate(changes)
        }}
      >
        <fieldset disabled={!mayBuild} className="grid min-w-0 gap-5">
          <LookCard draft={draft} onChange={change} />
          <LogoCard logo={saved.logo} />
          <LinksCard draft={draft} onChange={change} />
          <LinkTextsCard draft={draft} onChange={change} />
        </fieldset>
        {save.error && <ErrorNote error={save.error} />}
        {mayBuild && (
          <div className="sticky bottom-0 -mx-4 flex flex-wrap items-center justify-end gap-2 border-t border-line bg-ground/95 px-4 py-3 backdrop-blur-sm md:mx-0 md:px-0">
            <span role="status" className="me-auto text-sm text-muted">
              {count === 0
                ? 'No changes'
                : count === 1
                  ? '1 change, not saved yet'
                  : `${count} changes, not saved yet`}
            </span>
            <Button disabled={count === 0} onClick={() => setChanged({})}>
              Discard
            </Button>
            <Button type="submit" kind="primary" disabled={count === 0} isBusy={save.isPending}>
              Save
            </Button>
          </div>
        )}
      </form>
    </div>
  )
}

export default LinkPage
