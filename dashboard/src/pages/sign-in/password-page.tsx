import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { sessionQuery } from '../../api/session.ts'
import { setPassword } from '../../api/sign-in.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/forms/text-field.tsx'
import { ErrorNote } from '../../ui/states/error-note.tsx'
import { enter } from './enter.ts'
import { SignInFrame } from './sign-in-frame.tsx'

const MIN_LENGTH = 12
/** The address of the first operator, until the person enters one. */
const PLACEHOLDER = /@carabiner\.localhost$/

/** The first password, or a new one after a one-time link. */
const PasswordPage = () => {
  const [password, setText] = useState('')
  const [email, setEmail] = useState('')
  const session = useQuery(sessionQuery).data
  const asksForEmail = PLACEHOLDER.test(session?.person.email ?? '')
  const [error, setError] = useState<string>()
  const attempt = useMutation({
    mutationFn: async () => {
      await setPassword({ password, ...(email.trim() && { email: email.trim() }) })
      await enter('/dashboard')
    },
  })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    const problem =
      Array.from(password).length < MIN_LENGTH ? `Use at least ${MIN_LENGTH} characters.` : undefined
    setError(problem)
    if (!problem && !attempt.isPending) attempt.mutate()
  }
  return (
    <SignInFrame
      title="Choose a password"
      note="You’ll use it to sign in. Your other sessions are signed out."
    >
      <form className="grid gap-4" onSubmit={submit} noValidate>
        {asksForEmail && (
          <TextField
            label="Email"
            hint={`Your sign-in address. Leave empty to keep ${session?.person.email}.`}
            type="email"
            name="email"
            autoComplete="username"
            maxLength={254}
            value={email}
            onChange={setEmail}
          />
        )}
        <TextField
          label="New password"
          hint={`At least ${MIN_LENGTH} characters. A sentence is easy to remember.`}
          error={error}
          type="password"
          name="password"
          autoComplete="new-password"
          value={password}
          onChange={setText}
        />
        {attempt.error && <ErrorNote error={attempt.error} />}
        <Button type="submit" kind="primary" isBusy={attempt.isPending}>
          {attempt.isPending ? 'Saving…' : 'Save password'}
        </Button>
        <Button kind="quiet" onClick={() => void enter('/dashboard')}>
          Not now
        </Button>
      </form>
    </SignInFrame>
  )
}

export default PasswordPage
