import type { LinkCustomization } from '@carabiner/sdk'
import { type ChangeEvent, useRef } from 'react'
import { useApiMutation } from '../../../api/use-api-mutation.ts'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { cx } from '../../../ui/cx.ts'
import { ErrorNote } from '../../../ui/states/error-note.tsx'
import { THEMES, type Theme } from './preview-options.ts'

const TYPES = ['image/png', 'image/jpeg', 'image/webp']

export const LogoCard = ({ logo }: { logo: LinkCustomization['logo'] }) => (
  <Card title="Logo" note="PNG, JPEG or WebP, at most 512 kB, 16 to 2048 px per side. It is saved at once.">
    <div className="grid gap-4 sm:grid-cols-2">
      {THEMES.map(theme => (
        <LogoField key={theme} theme={theme} url={logo[theme]?.url ?? null} />
      ))}
    </div>
  </Card>
)

const LogoField = ({ theme, url }: { theme: Theme; url: string | null }) => {
  const file = useRef<HTMLInputElement>(null)
  const options = { invalidates: [['link-customization']], mode: 'production' } as const
  const upload = useApiMutation(
    async (api, image: File) =>
      api.linkCustomization.putLogo(theme, {
        type: image.type,
        data: new Uint8Array(await image.arrayBuffer()),
      }),
    options,
  )
  const remove = useApiMutation((api, _none: null) => api.linkCustomization.removeLogo(theme), options)
  const choose = ({ target }: ChangeEvent<HTMLInputElement>): void => {
    const [image] = target.files ?? []
    if (image) upload.mutate(image)
    // The same file can be chosen again after an error.
    target.value = ''
  }
  const name = theme === 'light' ? 'Light' : 'Dark'
  return (
    <div className="grid content-start gap-2.5">
      <p className="text-sm font-medium">{name}</p>
      <div
        className={cx(
          'grid h-24 place-items-center rounded-popup border border-line p-3',
          theme === 'light' ? 'bg-[#ffffff]' : 'bg-[#14171d]',
        )}
      >
        {url ? (
          <img src={new URL(url).pathname} alt={`Logo, ${name.toLowerCase()} theme`} className="max-h-full" />
        ) : (
          <span className={cx('text-xs', theme === 'light' ? 'text-[#525967]' : 'text-[#a6adbb]')}>
            No logo: the name is shown
          </span>
        )}
      </div>
      <div className="flex flex-wrap gap-2">
        <Button isBusy={upload.isPending} onClick={() => file.current?.click()}>
          {url ? 'Replace' : 'Upload'}
          <span className="sr-only">, {name.toLowerCase()} theme</span>
        </Button>
        {url && (
          <Button kind="quiet" isBusy={remove.isPending} onClick={() => remove.mutate(null)}>
            Remove
            <span className="sr-only">, {name.toLowerCase()} theme</span>
          </Button>
        )}
        <input
          ref={file}
          type="file"
          accept={TYPES.join(',')}
          aria-label={`Logo file, ${name.toLowerCase()} theme`}
          tabIndex={-1}
          hidden
          onChange={choose}
        />
      </div>
      {(upload.error ?? remove.error) && <ErrorNote error={upload.error ?? remove.error} />}
    </div>
  )
}
