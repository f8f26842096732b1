import { useState } from 'react'
import {
  createBackupCodes,
  endSecondFactor,
  type NewSecondFactor,
  startSecondFactor,
} from '../../../api/account.ts'
import { verifySecondFactor } from '../../../api/sign-in.ts'
import { TextField } from '../../../ui/forms/text-field.tsx'
import { FormDialog } from '../../../ui/overlays/form-dialog.tsx'
import { SecretDialog, ShownOnce } from '../../../ui/overlays/secret-dialog.tsx'
import { toast } from '../../../ui/overlays/toast.tsx'
import { QrImage } from '../../../ui/qr-image.tsx'
import { useAccountChange } from './use-account.ts'

export type SecondFactorStep = 'enable' | 'codes' | 'disable'

type Props = { step: SecondFactorStep; onClose: () => void }

const TITLES: Record<SecondFactorStep, string> = {
  enable: 'Set up a second factor',
  codes: 'Create new backup codes?',
  disable: 'Turn off the second factor?',
}
const TEXTS: Record<SecondFactorStep, string> = {
  enable: 'Enter your password to begin.',
  codes: 'The previous backup codes stop working.',
  disable: 'You will sign in with your password alone.',
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
  const [password, setPassword] = useState('')
  const confirm = useAccountChange(async (current: string) => {
    if (step === 'enable') setFactor(await startSecondFactor(current))
    else if (step === 'codes') setCodes(await createBackupCodes(current))
    else {
      await endSecondFactor(current)
      toast({ title: 'The second factor is off' })
      onClose()
    }
  })
  if (codes) return <BackupCodes codes={codes} onClose={onClose} />
  if (factor)
    return <ScanStep factor={factor} onClose={onClose} onVerified={() => setCodes(factor.backupCodes)} />
  return (
    <FormDialog
      title={TITLES[step]}
      description={TEXTS[step]}
      action={ACTIONS[step]}
      isDanger={step === 'disable'}
      onClose={onClose}
      onSubmit={() => confirm.mutate(password)}
      isIncomplete={password === ''}
      request={confirm}
    >
      <TextField
        label="Your password"
        type="password"
        required
        value={password}
        onChange={setPassword}
        autoComplete="current-password"
        autoFocus
      />
    </FormDialog>
  )
}

/** Shows the codes once. */
const BackupCodes = ({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) => (
  <SecretDialog
    title="Store your backup codes"
    description="If you lose your authenticator app, each code signs you in once. This is the only time they are shown."
    confirmation="I have stored the codes"
    width="sm"
    onClose={onClose}
  >
    <ShownOnce text={codes.join('\n')} action="Copy the codes">
      <ul aria-label="Backup codes" className="grid grid-cols-2 gap-x-4 gap-y-1 font-mono text-sm">
        {codes.map(code => (
          <li key={code}>{code}</li>
        ))}
      </ul>
    </ShownOnce>
  </SecretDialog>
)

type ScanProps = { factor: NewSecondFactor; onClose: () => void; onVerified: () => void }

const ScanStep = ({ factor, onClose, onVerified }: ScanProps) => {
  const [code, setCode] = useState('')
  const verify = useAccountChange(verifySecondFactor, onVerified)
  const secret = new URL(factor.totpURI).searchParams.get('secret') ?? ''
  return (
    <FormDialog
      title="Scan the QR code"
      description="Use an authenticator app, then enter the six digits it shows."
      action="Turn on"
      onClose={onClose}
      onSubmit={() => verify.mutate(code.replaceAll(/\s/g, ''))}
      isIncomplete={code === ''}
      request={verify}
    >
      <div className="grid justify-items-center gap-3">
        <QrImage text={factor.totpURI} label="QR code for the authenticator app" />
        <p className="text-center text-xs text-muted">
          Or enter this key: <code className="font-mono break-all text-ink select-all">{secret}</code>
        </p>
      </div>
      <TextField
        label="Code"
        required
        inputMode="numeric"
        pattern="[0-9 ]{6,8}"
        maxLength={8}
        value={code}
        onChange={setCode}
        autoComplete="one-time-code"
      />
    </FormDialog>
  )
}

export default SecondFactorDialog
