import type { CallStep, EffectDeps, Obstacle, RunningCall } from './call/call-step.ts'
import { CALL_STEPS } from './steps.ts'

/**
 * Takes the steps of an admitted call, decisions and effects, up to the first obstacle. Throws a refusal; returns what has to be connected
 * or approved before the call can be made, or null if its provider can be called.
 */
export const takeSteps = async (
  deps: EffectDeps,
  call: RunningCall,
  onStep: (step: CallStep) => void,
): Promise<Exclude<Obstacle, { refusal: unknown }> | null> => {
  for (const step of CALL_STEPS) {
    onStep(step)
    const decided = step.decide ? await step.decide(deps, call) : null
    const obstacle = decided ?? (step.effect ? await step.effect.apply(deps, call) : null)
    if (!obstacle) continue
    if ('refusal' in obstacle) throw obstacle.refusal
    return obstacle
  }
  return null
}
