import type { PackAccounts } from '@carabiner/contract'
import { ACCOUNT_ARGUMENT, hasAccountInput } from '../admission/named-account.ts'
import type { ListedTool } from './listed-tool.ts'
import type { AccountLabels } from './listing-store.ts'

/** The user's accounts that a call may name, and the rules of the pack, by connector. */
export type AccountOffer = { accounts: AccountLabels; packAccounts: PackAccounts | null }

/**
 * The tool with an argument that names the account, if the user has several or the pack requires it. A tool's own input of this name is
 * left as it is.
 */
export const offerAccounts = (
  listed: ListedTool,
  slug: string,
  { accounts, packAccounts }: AccountOffer,
): ListedTool => {
  const { inputSchema: schema } = listed
  const labels = accounts[slug]
  const rule = packAccounts?.[slug] ?? {}
  if (!labels || 'fixed' in rule || hasAccountInput(schema)) return listed
  const isRequired = 'required' in rule && {
    required: [...((schema.required as string[]) ?? []), ACCOUNT_ARGUMENT],
  }
  const properties = {
    ...(schema.properties as object | undefined),
    [ACCOUNT_ARGUMENT]: accountSchema(labels),
  }
  return { ...listed, inputSchema: { ...schema, properties, ...isRequired } }
}

const accountSchema = (labels: string[]) => ({
  type: 'string',
  enum: labels,
  description:
    'The account of the user to use. Ask the user if the request does not say which one; a call that has to choose is not made.',
})
