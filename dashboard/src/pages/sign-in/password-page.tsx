import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { sessionQuery } from '../../api/session.ts'
import { setPassword } from '../../api/sign-in.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/forms/field.tsx'
import { Input } from '../../ui/forms/input.tsx'
import { ErrorNote } from '../../ui/states/error-note.tsx'
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
    mutationFn: () =>
      setPassword({ password, ...(email.trim() && { email: email.trim() }) }).then(() =>
        window.location.assign('/dashboard'),
      ),
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
      note="You sign in with it from now on. Other sessions of yours end."
    >
      <form className="grid gap-4" onSubmit={submit} noValidate>
        {asksForEmail && (
          <Field
            label="E-mail"
            hint={`You sign in with it. Until you enter one, it is ${session?.person.email}.`}
          >
            <Input
              type="email"
              name="email"
              autoComplete="username"
              maxLength={254}
              value={email}
              onChange={event => setEmail(event.target.value)}
            />
          </Field>
        )}
        <Field
          label="New password"
          hint={`At least ${MIN_LENGTH} characters. A sentence is easy to remember.`}
          error={error}
        >
          <Input
            type="password"
            name="password"
            autoComplete="new-password"
            value={password}
            onChange={event => setText(event.target.value)}
          />
        </Field>
        {attempt.error && <ErrorNote error={attempt.error} />}
        <Button type="submit" kind="primary" isBusy={attempt.isPending}>
          Save the password
        </Button>
      </form>
    </SignInFrame>
  )
}

export default PasswordPage
