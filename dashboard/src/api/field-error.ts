import { CarabinerError } from '@carabiner/sdk'

/** The message of an error that concerns this field of the request or a part of it, such as `identity_provider.scopes.0`. */
export const fieldError = (error: unknown, field: string): string | undefined =>
  error instanceof CarabinerError && (error.param === field || error.param?.startsWith(`${field}.`))
    ? error.message
    : undefined
