import { Card } from '../../../ui/card.tsx'
import { Field } from '../../../ui/forms/field.tsx'
import { Input } from '../../../ui/forms/input.tsx'
import type { DraftProps } from './look-card.tsx'

const FIELDS = [
  { name: 'support_url', label: 'Support', hint: 'An https URL, or mailto: with one address.' },
  { name: 'privacy_url', label: 'Privacy policy', hint: 'An https URL.' },
  { name: 'terms_url', label: 'Terms of service', hint: 'An https URL.' },
  {
    name: 'redirect_uri',
    label: 'Redirect of the hosted page',
    hint: 'The browser goes here at the end, with status, connector and scopes. Its origin must be allowed.',
  },
] as const

export const LinksCard = ({ draft, onChange }: DraftProps) => (
  <Card title="Links">
    <div className="grid gap-4 sm:grid-cols-2">
      {FIELDS.map(({ name, label, hint }) => (
        <Field key={name} label={label} hint={hint}>
          <Input
            value={draft[name]}
            maxLength={2048}
            onChange={event => onChange({ [name]: event.target.value })}
            inputMode="url"
            autoComplete="off"
            spellCheck={false}
          />
        </Field>
      ))}
    </div>
  </Card>
)
