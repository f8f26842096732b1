import { PageLink } from '../page-link.tsx'
import { UserName } from './user-name.tsx'

/** The name of a Registered User, which opens the user's details. */
export const UserLink = ({ id }: { id: string }) => (
  <PageLink path={`/users?user=${id}`} className="inline-flex min-h-6 items-center underline">
    <UserName id={id} />
  </PageLink>
)
