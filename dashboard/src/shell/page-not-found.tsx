import { Link } from '@tanstack/react-router'
import { buttonClass } from '../ui/button.tsx'
import { EmptyState } from '../ui/states/empty-state.tsx'

export const PageNotFound = () => (
  <div className="pt-8">
    <title>Page not found · Carabiner</title>
    <EmptyState
      title="This page does not exist"
      action={
        <Link to="/" className={buttonClass('primary')}>
          Go to the start
        </Link>
      }
    >
      The address may be mistyped, or the page belongs to an organization that you are not a member of.
    </EmptyState>
  </div>
)
