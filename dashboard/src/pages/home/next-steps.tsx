import { ArrowRight } from 'lucide-react'
import type { Permission } from '../../api/session.ts'
import { useMembership } from '../../shell/use-session.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { PageLink } from '../../ui/page-link.tsx'

type NextStep = { title: string; note: string; path: string; needs: Permission }

const STEPS: readonly NextStep[] = [
  {
    title: 'Create a production key',
    note: 'Your backend needs one before real users can connect.',
    path: '/settings/api-keys',
    needs: 'manage',
  },
  {
    title: 'Add Link to your app',
    note: 'Your name, logo and colors, and the origins that may embed it.',
    path: '/settings/link',
    needs: 'build',
  },
  {
    title: 'Add a webhook',
    note: 'Know right away when users connect or lose an account.',
    path: '/webhooks',
    needs: 'build',
  },
  {
    title: 'Invite your team',
    note: 'Choose a role for each person.',
    path: '/settings/team',
    needs: 'manage',
  },
]

/** The end of the first steps, and what most organizations do next. */
export const NextSteps = ({ onDismiss }: { onDismiss: () => void }) => {
  const { permissions } = useMembership()
  const steps = STEPS.filter(({ needs }) => permissions.includes(needs))
  return (
    <Card
      title="You’re set up"
      note={steps.length > 0 ? 'Your first call worked. What’s next?' : 'Your first call worked.'}
      actions={
        <Button kind="quiet" size="sm" onClick={onDismiss}>
          Dismiss
        </Button>
      }
    >
      <ul className="-mx-2 grid">
        {steps.map(({ title, note, path }) => (
          <li key={path}>
            <PageLink
              path={path}
              className="flex items-center gap-3 rounded-lg px-2 py-2.5 text-sm hover:bg-hover"
            >
              <span className="grid flex-1 gap-0.5">
                <span className="font-medium">{title}</span>
                <span className="text-muted">{note}</span>
              </span>
              <ArrowRight className="size-4 shrink-0 text-muted rtl:rotate-180" aria-hidden="true" />
            </PageLink>
          </li>
        ))}
      </ul>
    </Card>
  )
}
