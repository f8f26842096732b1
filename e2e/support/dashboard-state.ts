import type { DashboardVisitor } from './dashboard.ts'

/** A state of the dashboard whose appearance is checked. */
export type DashboardState = {
  name: string
  isSignedIn?: boolean
  /** Changes the person or the session. */
  needsOwnPerson?: boolean
  isOperator?: boolean
  show: (visitor: DashboardVisitor) => Promise<void>
}
