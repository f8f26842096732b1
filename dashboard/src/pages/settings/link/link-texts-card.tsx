import type { LinkCustomization } from '@carabiner/sdk'
import { useState } from 'react'
import { Card } from '../../../ui/card.tsx'
import { Select } from '../../../ui/forms/select.tsx'
import { TextField } from '../../../ui/forms/text-field.tsx'
import { TEXTS, withText } from './link-draft.ts'
import type { DraftProps } from './look-card.tsx'
import { LANGUAGE_NAMES, LANGUAGES, type Language } from './preview-options.ts'

const MAX_LENGTH = 160

type Props = DraftProps & { defaults: LinkCustomization['default_texts'] }

export const LinkTextsCard = ({ draft, onChange, defaults }: Props) => {
  const [language, setLanguage] = useState<Language>(draft.default_language)
  const countOf = (each: Language): number => Object.keys(draft.texts[each] ?? {}).length
  return (
    <Card
      title="Texts"
      note="An empty field keeps the default text."
      actions={
        <div className="w-48">
          <Select
            label="Language of the texts"
            value={language}
            onChange={setLanguage}
            options={LANGUAGES.map(value => ({
              value,
              label:
                countOf(value) > 0 ? `${LANGUAGE_NAMES[value]} (${countOf(value)})` : LANGUAGE_NAMES[value],
            }))}
          />
        </div>
      }
    >
      <div className="grid gap-4" lang={language}>
        {TEXTS.map(({ key, label, placeholders }) => (
          <TextField
            key={key}
            label={label}
            hint={placeholders && `Placeholders: ${placeholders}`}
            value={draft.texts[language]?.[key] ?? ''}
            placeholder={defaults[language]?.[key]}
            maxLength={MAX_LENGTH}
            dir="auto"
            onChange={value => onChange({ texts: withText(draft.texts, language, key, value) })}
          />
        ))}
      </div>
    </Card>
  )
}
