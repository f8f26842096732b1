import type { ApprovalValue, ValueChanges } from '@carabiner/contract/approval-values'
import type { ConnectorDisplay, ConnectorText, FormTarget } from '../model.ts'
import type { ApprovalEnding } from '../words/reasons.ts'

/** `position`: identifies the value to `open`. */
export type ShownValue = ApprovalValue & { position: number; isShown: boolean }

export type ApprovalModel = {
  connector: ConnectorDisplay
  tool: ConnectorText
  /** The title of the tool is a claim of an MCP server. */
  isOfServer: boolean
  isDestructive: boolean
  /** The account, as the provider names it. */
  account: string | null
  /** What the user has called the account. */
  accountLabel: string | null
  /** Of the rules that ask. */
  reasons: string[]
  args: ShownValue[]
  /** The last call of the tool that was approved and carried out, and what differs from it. Null: none is known. */
  previous: ({ at: Date; isSame: boolean } & ValueChanges) | null
  /** What the arguments refer to, as the provider has returned it. */
  preview: { label: ConnectorText; text: string }[]
  /** The provider did not return all of it. */
  isPreviewIncomplete: boolean
  /** The request that will be sent. */
  request: ShownValue[]
  /** Every argument is shown. */
  isComplete: boolean
  /** Shows a folded value. */
  open: (position: number) => FormTarget
  approve: FormTarget
  /** Null: only this call can be approved. `texts`: the call has texts that may differ the next time. */
  remember: { texts: boolean } | null
  deny: FormTarget
}

export type ApprovalEntryModel = {
  /** Null: users do not sign in at a provider, so only the application can open the page. */
  signIn: FormTarget | null
  /** Null: only an identified user sees the call. */
  view: FormTarget | null
}

export type ApprovalEndingModel = {
  ending: ApprovalEnding
  /** Back to an app with its own URL scheme. */
  appHref?: string
}
