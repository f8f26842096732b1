import { Link } from '@tanstack/react-router'
import { buttonClass } from '../ui/button.tsx'
import { EmptyState } from '../ui/states/empty-state.tsx'

export const PageNotFound = () => (
  <div className="pt-8">
    <title>Page not found · Carabiner</title>
    <EmptyState
      title="Page not found"
      action={
        <Link to="/" className={buttonClass('primary')}>
          Go to Home
        </Link>
      }
    >
      The address may be wrong, or the page may belong to an organization that you are not a member of.
    </EmptyState>
  </div>
)
