import { registerAudit } from './audit/audit-commands.ts'
import { registerCompletion } from './completion/completion-commands.ts'
import { registerConnectors } from './connectors/connector-commands.ts'
import { registerCredentials } from './credentials/credential-commands.ts'
import { registerLogs } from './events/log-commands.ts'
import { registerWebhooks } from './events/webhook-commands.ts'
import { registerExplain } from './explain/explain-commands.ts'
import { registerGrants } from './grants/grant-commands.ts'
import { registerLink } from './link/link-commands.ts'
import { registerMcp } from './mcp-config/mcp-commands.ts'
import { registerOperations } from './operations/operation-commands.ts'
import { registerOrganization } from './organization/organization-commands.ts'
import { registerOrganizationAccounts } from './organization-accounts/organization-account-commands.ts'
import { registerPacks } from './packs/pack-commands.ts'
import { registerPolicies } from './policies/policy-commands.ts'
import { registerProfiles } from './profiles/profile-commands.ts'
import type { CliCommand } from './program/cli-command.ts'
import type { CliContext } from './program/cli-context.ts'
import { createRoot, type RegisterCommands } from './program/create-program.ts'
import { registerReceipts } from './receipts/receipt-commands.ts'
import { registerRules } from './rules/rule-commands.ts'
import { registerSignIn } from './sign-in/sign-in-commands.ts'
import { registerTools } from './tools/tool-commands.ts'
import { registerUsage } from './usage/usage-commands.ts'
import { registerUsers } from './users/user-commands.ts'

/** In the order in which the help lists them. */
const FEATURES: readonly RegisterCommands[] = [
  registerProfiles,
  registerUsers,
  registerLink,
  registerCredentials,
  registerConnectors,
  registerPacks,
  registerTools,
  registerMcp,
  registerGrants,
  registerExplain,
  registerLogs,
  registerWebhooks,
  registerOrganization,
  registerOrganizationAccounts,
  registerSignIn,
  registerPolicies,
  registerReceipts,
  registerRules,
  registerUsage,
  registerAudit,
  registerOperations,
  registerCompletion,
]

/** The commands that work with the API of a running service. */
export const createProgram = (context: CliContext): CliCommand => {
  const program = createRoot(context)
  for (const register of FEATURES) register(program, context)
  return program
}
