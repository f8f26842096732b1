import type { PackAccounts } from '@carabiner/contract'
import { parseAccountLabel } from '../../../core/account-label.ts'
import { Refusal } from '../../../core/refusal.ts'
import { isUuid } from '../../../core/uuid.ts'

/** A slug need not belong to a connector yet, and a label need not belong to an account. */
export const readAccounts = (accounts: PackAccounts): PackAccounts =>
  Object.fromEntries(
    Object.entries(accounts).map(([slug, rule]) => {
      if (!/^[a-z0-9][a-z0-9-]{0,63}$/.test(slug))
        throw new Refusal('invalid_request', {
          param: 'accounts',
          message: `"accounts" has the name ${JSON.stringify(slug.slice(0, 80))}, which is not the slug of a connector.`,
        })
      return [slug, 'fixed' in rule ? { fixed: readFixed(rule.fixed, `accounts.${slug}.fixed`) } : rule]
    }),
  )

/** A credential ID or a label. */
const readFixed = (fixed: string, param: string): string =>
  isUuid(fixed.trim()) ? fixed.trim() : parseAccountLabel(fixed, param)
