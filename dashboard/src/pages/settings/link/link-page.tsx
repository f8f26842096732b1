import type { LinkCustomization, LinkCustomizationPatch } from '@carabiner/sdk'
import { useMemo } from 'react'
import { useApiMutation } from '../../../api/use-api-mutation.ts'
import { useApiQuery } from '../../../api/use-api-query.ts'
import { useDraft } from '../../../drafts/use-draft.ts'
import { useMay } from '../../../shell/use-session.ts'
import { Card } from '../../../ui/card.tsx'
import { SaveBar } from '../../../ui/forms/save-bar.tsx'
import { toast } from '../../../ui/overlays/toast.tsx'
import { NotLoaded } from '../../../ui/states/not-loaded.tsx'
import { SettingsPage } from '../settings-page.tsx'
import { changesOf, type Draft, draftOf } from './link-draft.ts'
import { LinkPreview } from './link-preview.tsx'
import { LinkTextsCard } from './link-texts-card.tsx'
import { LinksCard } from './links-card.tsx'
import { LogoCard } from './logo-card.tsx'
import { type Logos, logosOf, saveLogos } from './logo-draft.ts'
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
      note="The look and texts of the pages where your users connect accounts. Security statements are fixed."
    >
      {data ? (
        <LinkForm saved={data} />
      ) : (
        <Card isFlush>
          <NotLoaded error={error} onRetry={refetch} label="Loading the customization" />
        </Card>
      )}
    </SettingsPage>
  )
}

type Submitted = { patch: LinkCustomizationPatch; logos: Partial<Logos> }

const LinkForm = ({ saved }: { saved: LinkCustomization }) => {
  const mayBuild = useMay('build')
  const {
    values: draft,
    change,
    discard,
    settle,
  } = useDraft(
    'link',
    useMemo(() => draftOf(saved), [saved]),
  )
  // On its own, because files are large: what is typed is stored with every key.
  const logos = useDraft(
    'link-logos',
    useMemo(() => logosOf(saved), [saved]),
  )
  const changes = changesOf(saved, draft)
  const save = useApiMutation(
    async (api, submitted: Submitted) => {
      await saveLogos(api, submitted.logos)
      if (Object.keys(submitted.patch).length > 0) await api.linkCustomization.update(submitted.patch)
    },
    {
      invalidates: [['link-customization']],
      onSuccess: (_saved, submitted) => {
        settle(submitted.patch as Partial<Draft>)
        logos.settle(submitted.logos)
        toast({ title: 'Link customization saved' })
      },
      mode: 'production',
    },
  )
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
          save.mutate({ patch: changes, logos: logos.changes })
        }}
      >
        <fieldset disabled={!mayBuild} className="grid min-w-0 gap-5">
          <LookCard draft={draft} onChange={change} />
          <LogoCard logos={logos.values} isChanged={logos.count > 0} onChange={logos.change} />
          <LinksCard draft={draft} onChange={change} />
          <LinkTextsCard draft={draft} onChange={change} defaults={saved.default_texts} />
        </fieldset>
        {mayBuild && (
          <SaveBar
            changes={Object.keys(changes).length + logos.count}
            onDiscard={() => {
              discard()
              logos.discard()
            }}
            isBusy={save.isPending}
            error={save.error}
          />
        )}
      </form>
    </div>
  )
}

export default LinkPage
