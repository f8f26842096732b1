import { type ExplainStep, type ExplainStepName, explainStepTitles } from '@carabiner/contract'
import { Refusal } from '../../../core/refusal.ts'
import { callableTool } from '../admission/address-tool.ts'
import type { CallAdmission } from '../admission/admission-rows.ts'
import { withoutAccount } from '../admission/named-account.ts'
import { notChecked, type StepText } from '../steps/admission/admission-step.ts'
import type { Subject } from '../steps/admission/subject.ts'
import type { CallStep, Decision, DecisionDeps, ExplainedCall, Obstacle } from '../steps/call/call-step.ts'
import { providerStep } from '../steps/call/provider.ts'
import { CALL_STEPS, CALLER_STEPS, TOOL_STEPS } from '../steps/steps.ts'

/** `call`: null until the call would be admitted. */
export type Foreseen = { steps: ExplainStep[]; failure: Failure | null; call: ExplainedCall | null }
export type Failure = { step: ExplainStepName; text: StepText; obstacle: Obstacle }

type Taken = { text: StepText; obstacle: Decision }
type Take = { name: ExplainStepName; take: () => Taken | Promise<Taken> }

/** Takes the decisions of a call in its order, without effects, up to the first that fails. */
export const foreseeSteps = async (
  deps: DecisionDeps,
  subject: Subject,
  requestId: string,
): Promise<Foreseen> => {
  const steps: ExplainStep[] = []
  let failure: Failure | null = null
  let call: ExplainedCall | null = null
  const admittedCall = (): ExplainedCall => (call ??= admit(subject, requestId))
  for (const { name, take } of takesOf(deps, subject, admittedCall)) {
    if (failure) {
      steps.push({ ...named(name), status: 'not_reached', summary: 'An earlier step failed.' })
      continue
    }
    const { text, obstacle } = await take()
    steps.push(toStep(name, text, obstacle))
    if (obstacle) failure = { step: name, text, obstacle }
  }
  return { steps, failure, call }
}

const named = (step: ExplainStepName) => ({ step, title: explainStepTitles[step] })

export const toStep = (
  step: ExplainStepName,
  { summary, detail, fix, status }: StepText,
  obstacle: Decision,
): ExplainStep => ({
  ...named(step),
  status: obstacle ? 'failed' : (status ?? 'passed'),
  summary,
  ...(detail && { detail }),
  ...(fix && { fix }),
})

const takesOf = (deps: DecisionDeps, subject: Subject, admittedCall: () => ExplainedCall): Take[] => [
  ...CALLER_STEPS.map(({ name, decide, explain }) => ({
    name,
    take: () => ofRefusal(decide(subject.caller), refusal => explain(subject, refusal)),
  })),
  ...TOOL_STEPS.map(({ name, decide, explain }) => ({
    name,
    take: () => ofRefusal(decide(subject), refusal => explain(subject, refusal)),
  })),
  ...[...CALL_STEPS, providerStep].map(step => ({
    name: step.name,
    take: () =>
      subject.ownToolOffered
        ? { text: notChecked('Does not apply to built-in tools.'), obstacle: null }
        : foresee(deps, step, admittedCall()),
  })),
]

const ofRefusal = (refusal: Refusal | null, explain: (refusal: Refusal | null) => StepText): Taken => ({
  text: explain(refusal),
  obstacle: refusal && { refusal },
})

const foresee = async (deps: DecisionDeps, step: CallStep, call: ExplainedCall): Promise<Taken> => {
  const obstacle = await decideWithoutEffect(deps, step, call)
  return { text: step.explain(call, obstacle), obstacle }
}

/** A refusal that a step throws is its decision. Other errors, and those of this service, are faults. */
const decideWithoutEffect = async (
  deps: DecisionDeps,
  { decide, effect }: CallStep,
  call: ExplainedCall,
): Promise<Decision> => {
  try {
    return (await decide?.(deps, call)) ?? (await effect?.foresee(deps, call)) ?? null
  } catch (error) {
    if (error instanceof Refusal && !isFault(error)) return { refusal: error }
    throw error
  }
}

const isFault = ({ code }: Refusal): boolean =>
  code === 'internal_error' || code === 'unavailable' || code === 'check_capacity_exceeded'

/** The call as it continues after its admission. */
const admit = (subject: Subject, requestId: string): ExplainedCall => {
  const { name, addressed, preview, args } = subject
  const admission = admissionOf(subject)
  const callable = admission && callableTool(name, addressed, preview)
  if (!callable) throw new Error('a call that is not admitted has passed every step of the admission')
  return {
    subject,
    admission,
    callable,
    args: args && withoutAccount(callable, args),
    requestId,
    keyHash: null,
    violations: [],
    gate: null,
    argumentsToSend: null,
    access: null,
    policy: null,
  }
}

const admissionOf = ({ preview }: Subject): CallAdmission | null => {
  const { userId, packId, userActive } = preview
  return userId !== null && packId !== null && userActive ? { ...preview, userId, packId, userActive } : null
}
