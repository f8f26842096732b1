import { CarabinerError } from '@carabiner/sdk'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { verifySecondFactor } from '../../api/sign-in.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/forms/text-field.tsx'
import { ErrorNote } from '../../ui/states/error-note.tsx'

/** After the password: a code of the authenticator app, or a backup code. */
export const SecondFactorForm = ({ onSignedIn }: { onSignedIn: () => Promise<void> }) => {
  const [code, setCode] = useState('')
  const attempt = useMutation({ mutationFn: () => verifySecondFactor(code.trim()).then(onSignedIn) })
  const isWrong = attempt.error instanceof CarabinerError && [400, 401].includes(attempt.error.status)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (!attempt.isPending) attempt.mutate()
  }
  return (
    <form className="grid gap-4" onSubmit={submit}>
      <TextField
        label="Code"
        hint="Six digits from your authenticator app, or one of your backup codes."
        error={isWrong ? 'This code is wrong or has expired.' : undefined}
        name="code"
        autoComplete="one-time-code"
        required
        autoFocus
        value={code}
        onChange={setCode}
      />
      {attempt.error && !isWrong && <ErrorNote error={attempt.error} />}
      <Button type="submit" kind="primary" isBusy={attempt.isPending}>
        Continue
      </Button>
    </form>
  )
}
