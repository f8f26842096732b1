import { type FormEvent, useState } from 'react'
import { type NewPassword, setPassword } from '../../../api/sign-in.ts'
import { useSession } from '../../../shell/use-session.ts'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { TextField } from '../../../ui/forms/text-field.tsx'
import { toast } from '../../../ui/overlays/toast.tsx'
import { ErrorNote } from '../../../ui/states/error-note.tsx'
import { useAccountChange } from './use-account.ts'

const MIN_LENGTH = 12

export const PasswordCard = () => {
  const { person } = useSession()
  const [current, setCurrent] = useState('')
  const [next, setNext] = useState('')
  const [isShort, setShort] = useState(false)
  const save = useAccountChange(
    (body: NewPassword) => setPassword(body),
    () => {
      setCurrent('')
      setNext('')
      toast({ title: 'Password changed', description: 'Your other sessions were signed out.' })
    },
  )
  const needsCurrent = person.has_password && !person.may_set_password
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    setShort(next.length < MIN_LENGTH)
    if (next.length >= MIN_LENGTH)
      save.mutate({ password: next, ...(needsCurrent && { current_password: current }) })
  }
  return (
    <Card title="Password" note="Changing it signs out your other sessions.">
      <form className="grid max-w-md gap-4" onSubmit={submit}>
        {/* Password managers need the name of the account. */}
        <input type="hidden" name="username" autoComplete="username" value={person.email} readOnly />
        {needsCurrent && (
          <TextField
            label="Current password"
            type="password"
            required
            value={current}
            onChange={setCurrent}
            autoComplete="current-password"
          />
        )}
        <TextField
          label="New password"
          hint="At least 12 characters. A sentence is easy to remember."
          error={isShort && next.length < MIN_LENGTH ? 'Use at least 12 characters.' : undefined}
          type="password"
          required
          maxLength={256}
          value={next}
          onChange={setNext}
          autoComplete="new-password"
        />
        {save.error && <ErrorNote error={save.error} />}
        <Button type="submit" className="justify-self-start" isBusy={save.isPending} disabled={next === ''}>
          {person.has_password ? 'Change password' : 'Set password'}
        </Button>
      </form>
    </Card>
  )
}
