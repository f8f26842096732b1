import { getRouteApi } from '@tanstack/react-router'
import { useScope } from '../../api/use-api.ts'
import { PackField, useChosenPack } from '../../pickers/pack-field.tsx'
import { nameOf, UserField, useChosenUser } from '../../pickers/user-field.tsx'
import { useMay } from '../../shell/use-session.ts'
import { Card } from '../../ui/card.tsx'
import { cx } from '../../ui/cx.ts'
import { Page } from '../../ui/page.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { EmptyState } from '../../ui/states/empty-state.tsx'
import { Workbench } from './workbench.tsx'

const route = getRouteApi('/o/$organization/$mode/playground')

const PlaygroundPage = () => {
  const { pack, user: userId } = route.useSearch()
  const navigate = route.useNavigate()
  const mayBuild = useMay('build')
  const chosenPack = useChosenPack(pack)
  const { data: user } = useChosenUser(userId)
  const set = (change: { user?: string; pack?: string }): void =>
    void navigate({ search: previous => ({ ...previous, ...change }), replace: true })
  return (
    <Page
      title="Playground"
      note="Call a tool as an agent would: through the MCP endpoint, with the user’s account."
    >
      <Card>
        <div className="grid items-start gap-4 md:grid-cols-2">
          <UserField value={userId} onChange={next => set({ user: next })} />
          <PackField value={pack} onChange={next => set({ pack: next })} />
        </div>
      </Card>
      {!mayBuild ? (
        <Card>
          <EmptyState title="You cannot call tools">
            The playground uses your users’ accounts. An administrator can give you the Developer role.
          </EmptyState>
        </Card>
      ) : user && chosenPack ? (
        <>
          <ActingAs name={nameOf(user)} />
          {user.is_active ? (
            <Workbench key={`${user.id} ${chosenPack.id}`} user={user} pack={chosenPack} />
          ) : (
            <Card>
              <EmptyState
                title={`${nameOf(user)} is deactivated`}
                action={
                  <PageLink path={`/users?user=${user.id}`} className="underline underline-offset-2">
                    See user
                  </PageLink>
                }
              >
                Tool calls for this user fail. Activate the user first.
              </EmptyState>
            </Card>
          )}
        </>
      ) : (
        <Card>
          <EmptyState title="Choose a user">
            Tools run for one user, with the accounts this user has connected. Every call is real.
          </EmptyState>
        </Card>
      )}
    </Page>
  )
}

/** Whose data is used, unmistakably. */
const ActingAs = ({ name }: { name: string }) => {
  const { mode } = useScope()
  const isTest = mode === 'test'
  return (
    <p
      role="note"
      className={cx(
        'rounded-card border px-4.5 py-3 text-sm font-medium',
        isTest ? 'border-accent bg-accent-soft text-accent-ink' : 'border-bad bg-bad-soft text-bad',
      )}
    >
      {isTest
        ? `As ${name}, in test mode. Calls are not counted.`
        : `As ${name}, in production. Calls change real data and count toward the plan.`}
    </p>
  )
}

export default PlaygroundPage
