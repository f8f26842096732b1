import type { Known } from '../admission/caller-store.ts'
import type { CallerStep } from './admission/admission-step.ts'
import type { CallerFacts } from './admission/subject.ts'
import { ACCESS_STEPS, CALLER_STEPS } from './steps.ts'

const passing =
  (steps: readonly CallerStep[]) =>
  <Found extends CallerFacts>(caller: Found): Known<Found> => {
    for (const step of steps) {
      const refusal = step.decide(caller)
      if (refusal) throw refusal
    }
    return caller as Known<Found>
  }

/** Returns a known caller, and throws the refusal of the first step that it does not pass. */
export const requireCaller = passing(ACCESS_STEPS)

/** As `requireCaller`, for a user that is active. */
export const requireActiveCaller = passing(CALLER_STEPS)
