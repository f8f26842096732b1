import { lazy, Suspense, useState } from 'react'
import { useSession } from '../../../shell/use-session.ts'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { Badge } from '../../../ui/data/badge.tsx'
import type { SecondFactorStep } from './second-factor-dialog.tsx'

const SecondFactorDialog = lazy(() => import('./second-factor-dialog.tsx'))

export const SecondFactor = () => {
  const { person } = useSession()
  const [step, setStep] = useState<SecondFactorStep | null>(null)
  return (
    <Card
      title="Second factor"
      note="A code from an authenticator app, in addition to the password."
      actions={person.has_second_factor ? <Badge tone="good">On</Badge> : <Badge tone="warn">Off</Badge>}
    >
      <div className="flex flex-wrap gap-2">
        {person.has_second_factor ? (
          <>
            <Button onClick={() => setStep('codes')}>New backup codes</Button>
            <Button kind="quiet-danger" onClick={() => setStep('disable')}>
              Turn off
            </Button>
          </>
        ) : person.has_password ? (
          <Button onClick={() => setStep('enable')}>Set up</Button>
        ) : (
          <p className="text-sm text-muted">
            Set a password first. If you only use single sign-on, your identity provider asks for the second
            factor.
          </p>
        )}
      </div>
      <Suspense>{step && <SecondFactorDialog step={step} onClose={() => setStep(null)} />}</Suspense>
    </Card>
  )
}
