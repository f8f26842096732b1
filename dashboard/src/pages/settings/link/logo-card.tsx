import { TriangleAlert } from 'lucide-react'
import { type ChangeEvent, useRef, useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { cx } from '../../../ui/cx.ts'
import { type Logos, readImage } from './logo-draft.ts'
import { THEMES, type Theme } from './preview-options.ts'

const TYPES = ['image/png', 'image/jpeg', 'image/webp']
const MAX_BYTES = 512 * 1024

type Props = {
  logos: Logos
  /** Whether a logo is not saved yet. */
  isChanged: boolean
  onChange: (changes: Partial<Logos>) => void
}

export const LogoCard = ({ logos, isChanged, onChange }: Props) => (
  <Card title="Logo" note="PNG, JPEG or WebP, at most 512 kB, 16 to 2048 px per side.">
    <div className="grid gap-4 sm:grid-cols-2">
      {THEMES.map(theme => (
        <LogoField
          key={theme}
          theme={theme}
          image={logos[theme]}
          other={logos[theme === 'light' ? 'dark' : 'light']}
          onChange={image => onChange({ [theme]: image })}
        />
      ))}
      {isChanged && (
        <p role="status" className="text-xs text-muted sm:col-span-2">
          The preview shows logos after you save them.
        </p>
      )}
    </div>
  </Card>
)

const NAMES = { light: 'Light', dark: 'Dark' } as const

type FieldProps = {
  theme: Theme
  image: string | null
  /** Logo of the other theme. Pages show it if this theme has none. */
  other: string | null
  onChange: (image: string | null) => void
}

const LogoField = ({ theme, image, other, onChange }: FieldProps) => {
  const file = useRef<HTMLInputElement>(null)
  const [problem, setProblem] = useState<string>()
  const choose = async ({ target }: ChangeEvent<HTMLInputElement>): Promise<void> => {
    const [chosen] = target.files ?? []
    // The same file can be chosen again after an error.
    target.value = ''
    if (!chosen) return
    if (chosen.size > MAX_BYTES) {
      setProblem(`This file has ${Math.ceil(chosen.size / 1024)} kB. A logo can have at most 512 kB.`)
      return
    }
    setProblem(undefined)
    onChange(await readImage(chosen))
  }
  const name = NAMES[theme].toLowerCase()
  return (
    <div className="grid content-start gap-2.5">
      <p className="text-sm font-medium">{NAMES[theme]}</p>
      <LogoImage theme={theme} image={image} other={other} />
      <div className="flex flex-wrap gap-2">
        <Button onClick={() => file.current?.click()}>
          {image ? 'Replace' : 'Upload'}
          <span className="sr-only">, {name} theme</span>
        </Button>
        {image && (
          <Button kind="quiet" onClick={() => onChange(null)}>
            Remove
            <span className="sr-only">, {name} theme</span>
          </Button>
        )}
        <input
          ref={file}
          type="file"
          accept={TYPES.join(',')}
          aria-label={`Logo file, ${name} theme`}
          tabIndex={-1}
          hidden
          onChange={event => void choose(event)}
        />
      </div>
      {problem && (
        <p role="alert" className="text-xs font-medium text-bad">
          {problem}
        </p>
      )}
    </div>
  )
}

/** The logo on the background of its theme, as pages show it. */
const LogoImage = ({ theme, image, other }: Omit<FieldProps, 'onChange'>) => {
  const shown = image ?? other
  const [name, otherName] = theme === 'light' ? ['light', 'dark'] : ['dark', 'light']
  return (
    <>
      <div
        className={cx(
          'grid h-24 place-items-center rounded-popup border border-line p-3',
          theme === 'light' ? 'bg-[#ffffff]' : 'bg-[#14171d]',
        )}
      >
        {shown ? (
          <img src={shown} alt={image ? `Logo, ${name} theme` : ''} className="max-h-full max-w-full" />
        ) : (
          <span className={cx('text-xs', theme === 'light' ? 'text-[#525967]' : 'text-[#a6adbb]')}>
            No logo: the name is shown
          </span>
        )}
      </div>
      {!image && other && (
        <p className="flex items-start gap-2 text-xs text-warn">
          <TriangleAlert className="mt-0.5 size-3.5 shrink-0" aria-hidden="true" />
          <span>
            No {name} version: {name} pages show the {otherName} logo. Check that it is readable.
          </span>
        </p>
      )}
    </>
  )
}
