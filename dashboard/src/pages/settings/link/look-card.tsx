import { useId } from 'react'
import { Card } from '../../../ui/card.tsx'
import { Field } from '../../../ui/forms/field.tsx'
import { Input } from '../../../ui/forms/input.tsx'
import { SelectField } from '../../../ui/forms/select-field.tsx'
import { Switch } from '../../../ui/forms/switch.tsx'
import { type Draft, isColor } from './link-draft.ts'
import { LANGUAGE_NAMES, LANGUAGES } from './preview-options.ts'

export type DraftProps = { draft: Draft; onChange: (changes: Partial<Draft>) => void }

export const LookCard = ({ draft, onChange }: DraftProps) => {
  const radiusId = useId()
  return (
    <Card title="Look">
      <div className="grid gap-5">
        <div className="grid gap-4 sm:grid-cols-2">
          <ColorField
            label="Color"
            hint="Buttons, focus rings and outlines."
            value={draft.primary_color}
            onChange={primary_color => onChange({ primary_color })}
          />
          <ColorField
            label="Color in dark mode"
            hint="Leave empty to derive it from the color."
            value={draft.primary_color_dark}
            onChange={primary_color_dark => onChange({ primary_color_dark })}
          />
        </div>
        <div className="grid gap-1.5">
          <label htmlFor={radiusId} className="flex justify-between text-sm font-medium">
            Corner radius <span className="text-muted">{draft.radius} px</span>
          </label>
          <input
            id={radiusId}
            type="range"
            min={0}
            max={24}
            value={draft.radius}
            onChange={event => onChange({ radius: Number(event.target.value) })}
            className="h-6 accent-ink max-md:h-11"
          />
        </div>
        <SelectField
          label="Default language"
          hint="For browsers whose language is not supported."
          value={draft.default_language}
          onChange={default_language => onChange({ default_language })}
          options={LANGUAGES.map(value => ({ value, label: LANGUAGE_NAMES[value] }))}
        />
        <Switch
          label="Carabiner logo in the footer"
          isOn={draft.co_branding}
          onChange={co_branding => onChange({ co_branding })}
        />
      </div>
    </Card>
  )
}

type ColorProps = { label: string; hint: string; value: string; onChange: (value: string) => void }

const ColorField = ({ label, hint, value, onChange }: ColorProps) => (
  <Field
    label={label}
    hint={hint}
    error={value !== '' && !isColor(value) ? 'Use the format #rrggbb.' : undefined}
  >
    <div className="flex gap-2">
      <input
        type="color"
        aria-label={`${label}, picker`}
        value={isColor(value) ? value : '#1f2a44'}
        onChange={event => onChange(event.target.value)}
        className="h-9 w-11 shrink-0 rounded-control border border-line bg-paper p-1 max-md:h-11"
      />
      <Input
        value={value}
        maxLength={7}
        onChange={event => onChange(event.target.value)}
        placeholder="#rrggbb"
        autoComplete="off"
        spellCheck={false}
        className="font-mono"
      />
    </div>
  </Field>
)
