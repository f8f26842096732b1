import { useState } from 'react'
import { Card } from '../../../ui/card.tsx'
import { Field } from '../../../ui/forms/field.tsx'
import { Input } from '../../../ui/forms/input.tsx'
import { Select } from '../../../ui/forms/select.tsx'
import { TEXTS, withText } from './draft.ts'
import type { DraftProps } from './look-card.tsx'
import { LANGUAGE_NAMES, LANGUAGES, type Language } from './preview-options.ts'

const MAX_LENGTH = 160

export const LinkTextsCard = ({ draft, onChange }: DraftProps) => {
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
          <Field key={key} label={label} hint={placeholders && `Placeholders: ${placeholders}`}>
            <Input
              value={draft.texts[language]?.[key] ?? ''}
              maxLength={MAX_LENGTH}
              dir="auto"
              onChange={event =>
                onChange({ texts: withText(draft.texts, language, key, event.target.value) })
              }
            />
          </Field>
        ))}
      </div>
    </Card>
  )
}
