import type { Gate } from '../../rules/gate.ts'
import type { ProviderSuccess, WholeResponse } from '../../upstream/provider-response.ts'
import type { CallableTool } from '../admission/callable-tool.ts'
import { inspectResponse, inspectResult } from '../results/inspect-result.ts'
import {
  responseResult,
  serverResult,
  successResult,
  type ToolResult,
  textOf,
} from '../results/tool-result.ts'

export const isByCode = (callable: CallableTool): boolean =>
  callable.kind === 'request' && callable.byCode === true

/** The result of a provider's answer, after the security rules. */
export const readResult = async (
  gate: Gate,
  callable: CallableTool,
  answer: ProviderSuccess,
): Promise<ToolResult> => {
  if (answer.kind === 'value' && isByCode(callable))
    return responseResult(await inspectResponse(gate, answer.value as WholeResponse))
  const passed = await inspectResult(gate, answer)
  return passed.kind === 'value' ? successResult(passed.value) : serverResult(passed.result)
}

/** What the record says about a result that reports an error. The recorded response of a request by code contains what the provider says. */
export const describeFailure = (callable: CallableTool, result: ToolResult): string =>
  isByCode(callable)
    ? `${callable.connector.name} responded with status ${(result.structuredContent as WholeResponse).status}.`
    : textOf(result)
