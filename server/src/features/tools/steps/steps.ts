import type { CallerStep, ToolStep } from './admission/admission-step.ts'
import { connectorStep } from './admission/connector.ts'
import { keyStep } from './admission/key.ts'
import { modeStep } from './admission/mode.ts'
import { toolStep } from './admission/tool.ts'
import { toolDefinitionStep } from './admission/tool-definition.ts'
import { toolPackStep } from './admission/tool-pack.ts'
import { userStep } from './admission/user.ts'
import { userStatusStep } from './admission/user-status.ts'
import { accountStep } from './call/account.ts'
import { approvalStep } from './call/approval.ts'
import { argumentsStep } from './call/arguments.ts'
import type { CallStep } from './call/call-step.ts'
import { credentialStep } from './call/credential.ts'
import { dailyLimitStep } from './call/daily-limit.ts'
import { planLimitStep } from './call/plan-limit.ts'
import { policyStep } from './call/policy.ts'
import { policyHooksStep } from './call/policy-hooks.ts'
import { rateLimitStep } from './call/rate-limit.ts'
import { scopesStep } from './call/scopes.ts'
import { securityRulesStep } from './call/security-rules.ts'
import { tokenStep } from './call/token.ts'

// Every decision of a call up to its provider, in the order of the call. The contract's `explainSteps` has the same order.

/** Required of every request to the MCP endpoint. */
export const ACCESS_STEPS: readonly CallerStep[] = [keyStep, userStep, modeStep, toolPackStep]

/** A call that the admission rejects gets the refusal of the first of these, or the one of an unknown tool. */
export const CALLER_STEPS: readonly CallerStep[] = [...ACCESS_STEPS, userStatusStep]

/** Conditions of the admission, which a call does not tell apart: its tool is unknown. */
export const TOOL_STEPS: readonly ToolStep[] = [connectorStep, toolStep, toolDefinitionStep]

/** After the admission, before the provider. */
export const CALL_STEPS: readonly CallStep[] = [
  planLimitStep,
  dailyLimitStep,
  rateLimitStep,
  argumentsStep,
  securityRulesStep,
  policyStep,
  accountStep,
  credentialStep,
  scopesStep,
  tokenStep,
  policyHooksStep,
  approvalStep,
]
