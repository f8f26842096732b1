import { useId } from 'react'
import { Field } from '../../../ui/forms/field.tsx'
import { Input } from '../../../ui/forms/input.tsx'

const SUGGESTIONS = [
  ['sub', 'ID of the person at the provider'],
  ['email', 'Email address'],
  ['oid', 'Entra ID: object ID of the person'],
  ['preferred_username', 'Name that the person signs in with'],
  ['upn', 'Entra ID and AD FS: user principal name'],
] as const

type Props = { value: string; onChange: (claim: string) => void; error: string | undefined }

/** Common claims are offered; any other can be typed. */
export const ClaimField = ({ value, onChange, error }: Props) => {
  const listId = useId()
  return (
    <Field
      label="Claim that identifies the user"
      hint="Its value is the ID of the user in your application (origin_user_id). Choose one that a person cannot change."
      error={error}
    >
      <Input
        required
        list={listId}
        maxLength={200}
        value={value}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        onChange={event => onChange(event.target.value)}
      />
      <datalist id={listId}>
        {SUGGESTIONS.map(([claim, meaning]) => (
          <option key={claim} value={claim}>
            {meaning}
          </option>
        ))}
      </datalist>
    </Field>
  )
}
