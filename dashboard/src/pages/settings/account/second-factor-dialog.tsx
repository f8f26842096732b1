import { type FormEvent, useState } from 'react'
import {
  createBackupCodes,
  endSecondFactor,
  type NewSecondFactor,
  startSecondFactor,
} from '../../../api/account.ts'
import { verifySecondFactor } from '../../../api/sign-in.ts'
import { QrImage } from '../../../qr/qr-image.tsx'
import { Button } from '../../../ui/button.tsx'
import { Field } from '../../../ui/forms/field.tsx'
import { Input } from '../../../ui/forms/input.tsx'
import { Dialog } from '../../../ui/overlays/dialog.tsx'
import { DialogActions } from '../../../ui/overlays/dialog-actions.tsx'
import { toast } from '../../../ui/overlays/toast.tsx'
import { ErrorNote } from '../../../ui/states/error-note.tsx'
import { BackupCodes } from './backup-codes.tsx'
import type { SecondFactorStep } from './second-factor.tsx'
import { useAccountChange } from './use-account.ts'

type Props = { step: SecondFactorStep; onClose: () => void }

const TITLES: Record<SecondFactorStep, string> = {
  enable: 'Set up a second factor',
  codes: 'Create new backup codes?',
  disable: 'Turn off the second factor?',
}
const TEXTS: Record<SecondFactorStep, string> = {
  enable: 'Enter your password to begin.',
  codes: 'The previous backup codes stop working.',
  disable: 'After this, the password alone signs you in.',
}
const ACTIONS: Record<SecondFactorStep, string> = {
  enable: 'Continue',
  codes: 'Create codes',
  disable: 'Turn off',
}

/** Asks for the password, then shows the QR code or the backup codes. */
const SecondFactorDialog = ({ step, onClose }: Props) => {
  const [factor, setFactor] = useState<NewSecondFactor | null>(null)
  const [codes, setCodes] = useState<string[] | null>(null)
  const confirm = useAccountChange(async (password: string) => {
    if (step === 'enable') setFactor(await startSecondFactor(password))
    else if (step === 'codes') setCodes(await createBackupCodes(password))
    else {
      await endSecondFactor(password)
      toast({ title: 'The second factor is off' })
      onClose()
    }
  })
  if (codes) return <BackupCodes codes={codes} onClose={onClose} />
  if (factor)
    return <ScanStep factor={factor} onClose={onClose} onVerified={() => setCodes(factor.backupCodes)} />
  return (
    <Dialog isOpen onClose={onClose} title={TITLES[step]} description={TEXTS[step]}>
      <PasswordForm
        action={ACTIONS[step]}
        isDanger={step === 'disable'}
        isBusy={confirm.isPending}
        error={confirm.error}
        onSubmit={password => confirm.mutate(password)}
        onClose={onClose}
      />
    </Dialog>
  )
}

type FormProps = {
  action: string
  isDanger: boolean
  isBusy: boolean
  error: unknown
  onSubmit: (password: string) => void
  onClose: () => void
}

const PasswordForm = ({ action, isDanger, isBusy, error, onSubmit, onClose }: FormProps) => {
  const [password, setPassword] = useState('')
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    onSubmit(password)
  }
  return (
    <form className="grid gap-5" onSubmit={submit}>
      <Field label="Your password">
        <Input
          type="password"
          required
          value={password}
          onChange={event => setPassword(event.target.value)}
          autoComplete="current-password"
          autoFocus
        />
      </Field>
      {error !== null && <ErrorNote error={error} />}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button
          type="submit"
          kind={isDanger ? 'danger' : 'primary'}
          isBusy={isBusy}
          disabled={password === ''}
        >
          {action}
        </Button>
      </DialogActions>
    </form>
  )
}

type ScanProps = { factor: NewSecondFactor; onClose: () => void; onVerified: () => void }

const ScanStep = ({ factor, onClose, onVerified }: ScanProps) => {
  const [code, setCode] = useState('')
  const verify = useAccountChange(verifySecondFactor, onVerified)
  const secret = new URL(factor.totpURI).searchParams.get('secret') ?? ''
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    verify.mutate(code.replaceAll(/\s/g, ''))
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Scan the code"
      description="Scan it with an authenticator app, then enter the six digits that the app shows."
    >
      <form className="grid gap-5" onSubmit={submit}>
        <div className="grid justify-items-center gap-3">
          <QrImage text={factor.totpURI} label="QR code for the authenticator app" />
          <p className="text-center text-xs text-muted">
            Or enter this key: <code className="font-mono break-all text-ink select-all">{secret}</code>
          </p>
        </div>
        <Field label="Code">
          <Input
            required
            inputMode="numeric"
            pattern="[0-9 ]{6,8}"
            maxLength={8}
            value={code}
            onChange={event => setCode(event.target.value)}
            autoComplete="one-time-code"
          />
        </Field>
        {verify.error && <ErrorNote error={verify.error} />}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" isBusy={verify.isPending} disabled={code === ''}>
            Turn on
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

export default SecondFactorDialog
