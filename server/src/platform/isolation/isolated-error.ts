/** `too_expensive`: the task reached its CPU or memory limit. `busy`: too many tasks of the owner are queued. */
export type IsolatedFailure = 'too_expensive' | 'busy'

export class IsolatedError extends Error {
  readonly failure: IsolatedFailure

  constructor(failure: IsolatedFailure, message: string) {
    super(message)
    this.name = 'IsolatedError'
    this.failure = failure
  }
}
