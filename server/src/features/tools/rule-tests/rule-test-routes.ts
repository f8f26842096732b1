import type { PolicyRuleTest, PolicyRuleTested } from '@carabiner/contract'
import { operations } from '@carabiner/contract/operations'
import type { Api } from '../../../edge/api.ts'
import { serve } from '../../../edge/serve.ts'
import type { Owner } from '../../metering/records/call-record.ts'
import { prepareTrial } from '../../policies/prepare-trial.ts'
import { type TryDeps, tryRule } from './try-rule.ts'
import { createTurns } from './turns.ts'

/** Like the records, the test is about calls of the caller's mode. */
export const ruleTestRoutes = (api: Api, deps: TryDeps): void => {
  const inTurn = createTurns()
  serve(
    api,
    operations.testPolicyRule,
    ({ principal, body }) => inTurn(principal.organizationId, () => testRule(deps, principal, body)),
    { skipsWakeUp: true },
  )
}

const testRule = async (deps: TryDeps, caller: Owner, body: PolicyRuleTest): Promise<PolicyRuleTested> => {
  const { issues, warnings, owner, toTry } = await prepareTrial(deps, caller.organizationId, body)
  return {
    issues: issues.map(({ param, message, position = null }) => ({ param, message, position })),
    warnings,
    calls: issues.length === 0 ? await tryRule(deps, caller, owner, toTry) : null,
  }
}
