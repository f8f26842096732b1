import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { ErrorState } from '../ui/states/error-state.tsx'

/** The error boundary of every page. The navigation around it keeps working. */
export const PageError = ({ error, reset }: ErrorComponentProps) => {
  const router = useRouter()
  return (
    <ErrorState
      error={error}
      onRetry={() => {
        reset()
        void router.invalidate()
      }}
    />
  )
}
