import type { ValuePath } from '@carabiner/contract/operations'

export type RequestValues = { params: unknown; body?: unknown; response?: Record<string, unknown> }

const ID = /^[a-z0-9]+(-[a-z0-9]+)*$/

/** Reads a declared value. A parameter must have the format of an ID, because a path may contain anything, even a secret. */
export const findValue = (path: ValuePath | undefined, values: RequestValues): string | null => {
  if (!path) return null
  const [place, name] = path.split('.') as [keyof RequestValues, string]
  const value = (values[place] as Record<string, unknown> | undefined)?.[name]
  if (typeof value !== 'string') return null
  return place !== 'params' || ID.test(value.toLowerCase()) ? value : null
}
