import { useState } from 'react'
import { Button, buttonClass } from '../ui/button.tsx'
import { useSession } from './use-session.ts'

/** It signs in with a button of the start page, in development only. */
const DEMO_EMAIL = 'demo@carabiner.localhost'
const POSTPONED = 'carabiner.password-postponed'

/** For people who have just signed in with a one-time link and could not sign in again. */
const PasswordReminder = () => {
  const { id, email } = useSession().person
  const [isPostponed, setPostponed] = useState(() => sessionStorage.getItem(POSTPONED) === id)
  if (isPostponed || email === DEMO_EMAIL) return null
  const postpone = (): void => {
    sessionStorage.setItem(POSTPONED, id)
    setPostponed(true)
  }
  return (
    <section
      aria-label="Choose a password"
      className="mx-4 mb-4 flex flex-wrap items-center justify-between gap-3 rounded-card border border-line bg-paper px-4 py-3 text-sm shadow-card md:mx-8"
    >
      <p className="min-w-0 flex-1 basis-60">
        <b className="font-semibold">Choose a password within 15 minutes.</b> Your sign-in link worked only
        once. Without a password, you will need a new link to sign in again.
      </p>
      <div className="flex gap-2">
        <Button size="sm" onClick={postpone}>
          Later
        </Button>
        <a href="/dashboard/password" className={buttonClass('primary', 'sm')}>
          Choose a password
        </a>
      </div>
    </section>
  )
}

export default PasswordReminder
