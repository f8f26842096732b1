import { SettingsPage } from '../settings-page.tsx'
import { Identities } from './identities.tsx'
import { Passkeys } from './passkeys.tsx'
import { PasswordCard } from './password-card.tsx'
import { ProfileCard } from './profile-card.tsx'
import { SecondFactor } from './second-factor.tsx'
import { Sessions } from './sessions.tsx'

const AccountPage = () => (
  <SettingsPage title="Your account" note="The same in every organization you belong to.">
    <ProfileCard />
    <PasswordCard />
    <SecondFactor />
    <Passkeys />
    <Identities />
    <Sessions />
  </SettingsPage>
)

export default AccountPage
