import { Card } from '../../../ui/card.tsx'
import { TextField } from '../../../ui/forms/text-field.tsx'
import type { DraftProps } from './look-card.tsx'

const FIELDS = [
  { name: 'support_url', label: 'Support', hint: 'An https URL, or mailto: with one address.' },
  { name: 'privacy_url', label: 'Privacy policy', hint: 'An https URL.' },
  { name: 'terms_url', label: 'Terms of service', hint: 'An https URL.' },
  {
    name: 'redirect_uri',
    label: 'Hosted page redirect',
    hint: 'Where the browser goes at the end, with status, connector and scopes. Its origin must be allowed.',
  },
] as const

export const LinksCard = ({ draft, onChange }: DraftProps) => (
  <Card title="Links">
    <div className="grid gap-4 sm:grid-cols-2">
      {FIELDS.map(({ name, label, hint }) => (
        <TextField
          key={name}
          label={label}
          hint={hint}
          value={draft[name]}
          maxLength={2048}
          onChange={value => onChange({ [name]: value })}
          inputMode="url"
          autoComplete="off"
          spellCheck={false}
        />
      ))}
    </div>
  </Card>
)
