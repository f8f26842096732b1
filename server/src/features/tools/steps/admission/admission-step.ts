import type { ExplainDetail, ExplainFix, ExplainStepName } from '@carabiner/contract'
import type { Refusal } from '../../../../core/refusal.ts'
import type { CallerFacts, Subject } from './subject.ts'

/** What Explain says about a step. */
export type StepText = {
  summary: string
  detail?: ExplainDetail
  fix?: ExplainFix
  /** The step was not decided: the provider decides, or it does not apply to the call. */
  status?: 'not_checked'
}

export const notChecked = (summary: string): StepText => ({ summary, status: 'not_checked' })

/**
 * A decision about the caller. Every request to the MCP endpoint takes those up to the Tool Pack; a call takes all of them if the
 * admission returns nothing.
 */
export type CallerStep = {
  name: ExplainStepName
  decide: (caller: CallerFacts) => Refusal | null
  explain: (subject: Subject, refusal: Refusal | null) => StepText
}

/** A decision about the called tool. A call takes it as a condition of its admission, which Explain reads as a column. */
export type ToolStep = {
  name: ExplainStepName
  decide: (subject: Subject) => Refusal | null
  explain: (subject: Subject, refusal: Refusal | null) => StepText
}

export const fixBy = (
  action: ExplainFix['action'],
  label: string,
  request?: ExplainFix['request'],
): ExplainFix => ({
  action,
  label,
  ...(request && { request }),
})
