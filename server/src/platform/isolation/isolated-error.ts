/** `too_expensive`: the task reached its CPU deadline or its memory limit. `busy`: too many tasks of the owner wait already. */
export type IsolatedFailure = 'too_expensive' | 'busy'

export class IsolatedError extends Error {
  readonly failure: IsolatedFailure

  constructor(failure: IsolatedFailure, message: string) {
    super(message)
    this.name = 'IsolatedError'
    this.failure = failure
  }
}
