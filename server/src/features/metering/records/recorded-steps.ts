import { callSteps, callStepTitles, type ToolCallDetail } from '@carabiner/contract'
import type { CallRecord } from './call-record.ts'

/**
 * The steps of a recorded call, as they were taken. Every recorded call of a connector was admitted, so it has passed the steps of
 * the admission. Empty if it is not known where the call ended.
 */
export const stepsOf = ({
  outcome,
  endedAtStep,
  connectorSlug,
}: Pick<CallRecord, 'outcome' | 'endedAtStep' | 'connectorSlug'>): ToolCallDetail['steps'] => {
  if (connectorSlug === '' || (endedAtStep === null && outcome !== 'success' && outcome !== 'replayed'))
    return []
  const end = endedAtStep === null ? callSteps.length : callSteps.indexOf(endedAtStep)
  return callSteps.map((step, index) => ({
    step,
    title: callStepTitles[step],
    status: index < end ? 'passed' : index === end ? 'failed' : 'not_reached',
  }))
}
