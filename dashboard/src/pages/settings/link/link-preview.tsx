import type { LinkCustomization, LinkCustomizationPatch } from '@carabiner/sdk'
import { getRouteApi } from '@tanstack/react-router'
import { ExternalLink, TriangleAlert } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useApiQuery } from '../../../api/use-api-query.ts'
import { buttonClass } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { cx } from '../../../ui/cx.ts'
import { Filter } from '../../../ui/lists/filter.tsx'
import { ErrorNote } from '../../../ui/states/error-note.tsx'
import { Skeleton } from '../../../ui/states/skeleton.tsx'
import { type Device, LANGUAGE_NAMES, LANGUAGES, PAGES, type Theme } from './preview-options.ts'

const route = getRouteApi('/o/$organization/$mode/settings/link')
const DELAY_MS = 500
const SIZES: Record<Device, { width: number; height: number; scale: number }> = {
  desktop: { width: 800, height: 860, scale: 0.45 },
  phone: { width: 390, height: 780, scale: 0.78 },
}

type Props = { saved: LinkCustomization; changes: LinkCustomizationPatch }

/** The pages with the unsaved changes, as the service renders them. */
export const LinkPreview = ({ saved, changes }: Props) => {
  const { device, theme, language, state = PAGES[0].value } = route.useSearch()
  const navigate = route.useNavigate()
  const settled = useSettled(changes)
  const key = JSON.stringify(settled)
  const { data, error } = useApiQuery(
    ['link-preview', saved.updated_at, saved.logo, key],
    (api, options) => api.linkCustomization.preview(settled, options),
    { mode: 'production', keepPrevious: true },
  )
  const set = (more: object): void =>
    void navigate({ search: previous => ({ ...previous, ...more }), replace: true })
  const { width, height, scale } = SIZES[device]
  const query = new URLSearchParams({ theme, lang: language }).toString()
  return (
    <Card title="Preview" note="With your changes, before you save them.">
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        <div className="flex flex-wrap gap-2">
          <Filter
            label="Page"
            value={state}
            onChange={next => set({ state: next })}
            options={[...PAGES] as unknown as [{ value: string; label: string }]}
          />
          <Filter
            label="Device"
            value={device}
            onChange={next => set({ device: next })}
            options={[
              { value: 'desktop', label: 'Desktop' },
              { value: 'phone', label: 'Phone' },
            ]}
          />
          <Filter
            label="Theme"
            value={theme}
            onChange={(next: Theme) => set({ theme: next })}
            options={[
              { value: 'light', label: 'Light' },
              { value: 'dark', label: 'Dark' },
            ]}
          />
          <Filter
            label="Language"
            value={language}
            onChange={next => set({ language: next })}
            options={[
              { value: 'en', label: LANGUAGE_NAMES.en },
              ...LANGUAGES.slice(1).map(value => ({ value, label: LANGUAGE_NAMES[value] })),
            ]}
          />
        </div>
        {error && <ErrorNote error={error} />}
        {data ? (
          <>
            <ContrastNote settings={{ ...saved, ...changes }} contrast={data.contrast} theme={theme} />
            <div
              className="mx-auto overflow-hidden rounded-popup border border-line"
              style={{ width: width * scale, height: height * scale, maxWidth: '100%' }}
            >
              <iframe
                title="Preview of the Link page"
                src={`${data.preview_url}/${state}?${query}`}
                sandbox="allow-scripts"
                className="origin-top-left border-0"
                style={{ width, height, transform: `scale(${scale})` }}
              />
            </div>
            <div className="flex flex-wrap gap-2">
              <PreviewLink href={`${data.preview_url}/${state}?${query}`}>Open in full size</PreviewLink>
              <PreviewLink href={`${data.preview_url}?${query}`}>Open all pages</PreviewLink>
            </div>
          </>
        ) : (
          !error && <Skeleton label="Loading the preview" className="h-96 w-full rounded-popup" />
        )}
      </div>
    </Card>
  )
}

const PreviewLink = ({ href, children }: { href: string; children: string }) => (
  <a href={href} target="_blank" rel="noreferrer" className={buttonClass('quiet', 'sm')}>
    <ExternalLink className="size-3.5" aria-hidden="true" />
    {children}
  </a>
)

type NoteProps = {
  settings: { primary_color?: string | null; primary_color_dark?: string | null }
  contrast: LinkCustomization['contrast']
  theme: Theme
}

/** The service changes the shade of a color on which no text would be readable. */
const ContrastNote = ({ settings, contrast, theme }: NoteProps) => {
  const chosen = theme === 'dark' ? settings.primary_color_dark : settings.primary_color
  const { primary, ratio } = contrast[theme]
  const isAdjusted = Boolean(chosen) && chosen?.toLowerCase() !== primary
  return (
    <p
      role="status"
      className={cx('flex items-start gap-2 text-xs', isAdjusted ? 'text-warn' : 'text-muted')}
    >
      {isAdjusted && <TriangleAlert className="mt-0.5 size-3.5 shrink-0" aria-hidden="true" />}
      <span>
        {isAdjusted
          ? `${chosen} has too little contrast with any text. The pages use ${primary} instead (${ratio}:1).`
          : `Buttons use ${primary}; the contrast with their text is ${ratio}:1.`}
      </span>
    </p>
  )
}

/** The value after a pause in typing. */
const useSettled = (changes: LinkCustomizationPatch): LinkCustomizationPatch => {
  const [settled, setSettled] = useState(changes)
  const key = JSON.stringify(changes)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(JSON.parse(key) as LinkCustomizationPatch), DELAY_MS)
    return () => clearTimeout(timer)
  }, [key])
  return settled
}
