import {
  type ExplainDetail,
  type ExplainFix,
  type ExplainStep,
  type ExplainStepName,
  explainSteps,
} from '@carabiner/contract'
import type { Refusal } from '../../../core/refusal.ts'
import type { AuthRequired } from '../calls/resolve-credential.ts'

type Words = { summary: string; detail?: ExplainDetail }
/** What keeps a call from running: an error, or a missing connection. */
export type Obstacle = { refusal: Refusal } | { authRequired: AuthRequired }

export type Failure = Words & { status: 'failed'; fix?: ExplainFix; obstacle: Obstacle }
export type Finding = (Words & { status: 'passed' | 'not_checked' }) | Failure

export const passed = (summary: string, detail?: ExplainDetail): Finding => ({
  status: 'passed',
  summary,
  ...(detail && { detail }),
})

export const notChecked = (summary: string, detail?: ExplainDetail): Finding => ({
  status: 'not_checked',
  summary,
  ...(detail && { detail }),
})

export const failed = (
  obstacle: Obstacle,
  summary: string,
  { detail, fix }: { detail?: ExplainDetail; fix?: ExplainFix } = {},
): Failure => ({
  status: 'failed',
  summary,
  ...(detail && { detail }),
  ...(fix && { fix }),
  obstacle,
})

export type Rungs = Record<ExplainStepName, () => Finding | Promise<Finding>>
export type Climbed = { steps: ExplainStep[]; failure: (Failure & { step: ExplainStepName }) | null }

/** Takes the steps in the order of a call, up to the first that fails. */
export const climb = async (rungs: Rungs): Promise<Climbed> => {
  const steps: ExplainStep[] = []
  let failure: Climbed['failure'] = null
  for (const step of explainSteps) {
    if (failure) {
      steps.push({ step, status: 'not_reached', summary: 'An earlier step failed.' })
      continue
    }
    const finding = await rungs[step]()
    steps.push(toStep(step, finding))
    if (finding.status === 'failed') failure = { ...finding, step }
  }
  return { steps, failure }
}

export const toStep = (step: ExplainStepName, finding: Finding): ExplainStep => ({
  step,
  status: finding.status,
  summary: finding.summary,
  ...(finding.detail && { detail: finding.detail }),
  ...(finding.status === 'failed' && finding.fix && { fix: finding.fix }),
})
